"""An upload without a card: what its arrays prove, and what they leave open."""

import json
import runpy
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ldp_core
from ldp_core import cli
from ldp_core.cli import main
from ldp_core.errors import InvalidInput
from ldp_core.inspection.look import look
from tests.conftest import ROOT
from tests.inspection.made import DENSE, upload


def asked(seen: Any) -> set[str]:
    return {key for one in seen.open for key in (one["answers"][0]["card"] if one["answers"] else {"?": 0})}


def gradients(arrays: dict[str, Any], prefix: str = "gradient/") -> dict[str, Any]:
    names = [name.removeprefix("after/") for name in arrays if name.startswith("after/")]
    return {prefix + name: (arrays[f"before/{name}"] - arrays[f"after/{name}"]) * 10 for name in names}


def test_answers_to_open_questions_make_the_uploads_card():
    arrays, card = upload(DENSE)
    seen = look(arrays, {})
    assert asked(seen) == {"model", "classes", "shape", "learning_rate"}, "one picture is proved"
    first = seen.first({})
    assert first == {"sent": "weights", **card, "model": {"layers": "dense 32 relu, dense 10 none"}}
    assert ldp_core.inspect(arrays, first)["verdict"] == "comes back"
    assert not look(arrays, first).open


def test_several_pictures_are_asked_about():
    arrays, _ = upload(DENSE, count=4)
    assert {"steps", "batch"} <= asked(look(arrays, {}))


def test_arrays_without_a_group_are_asked_about():
    arrays, card = upload(DENSE)
    plain = gradients(arrays, "")
    seen = look(plain, {})
    assert "sent" in asked(seen)
    taken = seen.first({}) | {"shape": card["shape"]}
    assert taken["sent"] == "gradient" and ldp_core.inspect(plain, taken)["verdict"] == "comes back"


def test_network_that_leaves_no_trace_in_its_arrays_is_to_be_stated():
    arrays, _ = upload({"layers": "conv 6 3 stride 2 relu, dense 16 relu"})
    assert "?" in asked(look(arrays, {}))


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({}, "no arrays"),
        ({"originals": np.zeros((1, 8, 8))}, "alone"),
        ({f"update/{s}": np.zeros(s) for s in ((64, 32), (32,), (32, 10), (10,))}, "transposed"),
        ({"after/w": np.zeros((3, 4)), "after/b": np.zeros(3)}, "without before"),
        ({"update/w": np.zeros((3, 4)), "update/v": np.zeros((2, 3))}, "no biases"),
        ({"update/all": np.zeros(30)}, "one long array"),
        ({"update/a": np.zeros(3), "b": np.zeros(3)}, "arrays are called"),
    ],
)
def test_arrays_that_will_not_do_are_refused(arrays: dict[str, Any], words: str):
    with pytest.raises(InvalidInput, match=words):
        look(arrays, {})


def test_command_asks_and_keeps_the_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    arrays, _ = upload(DENSE)
    np.savez(tmp_path / "u.npz", **arrays)
    file = str(tmp_path / "u.npz")
    assert cli.main(["data", "--show", file]) == 2 and "activations" in capsys.readouterr().out
    assert cli.main(["inspect", file]) == 2
    assert "leaves open" in capsys.readouterr().err and not (tmp_path / "u.json").exists()
    assert cli.main(["inspect", file, "--yes"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "comes back"
    assert json.loads((tmp_path / "u.json").read_text())["shape"] == [8, 8]
    assert cli.main(["inspect", file]) == 0 and ldp_core.look(file).open == []


PROGRAMS = ROOT / "assets" / "uploads"


def inspected(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    code = main(["inspect", str(folder / "upload.npz"), "--card", str(folder / "card.json")])
    return code, json.loads(capsys.readouterr().out)


def test_the_loop_of_pytorch_saves_an_upload_that_comes_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    subprocess.run([sys.executable, str(PROGRAMS / "save_from_pytorch.py")], cwd=tmp_path, check=True)
    code, found = inspected(tmp_path, capsys)
    assert (code, found["verdict"]) == (0, "comes back") and found["remade"] < 1e-6
    card = json.loads((tmp_path / "card.json").read_text()) | {"steps": 3}
    (tmp_path / "card.json").write_text(json.dumps(card))
    code, found = inspected(tmp_path, capsys)
    assert code == 1 and found["says"].startswith("one step: the card says 3 steps")
    (tmp_path / "upload.npz").write_bytes(b"PK")
    assert main(["inspect", str(tmp_path / "upload.npz"), "--card", str(tmp_path / "card.json")]) == 2
    assert "this is no npz file" in capsys.readouterr().err


def test_flower_mod_saves_the_clients_upload(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    app = {"MessageType": SimpleNamespace(TRAIN="train"), "Context": None, "Message": None}
    for name, content in (("flwr", {}), ("flwr.app", app), ("flwr.clientapp", {})):
        vars(module := ModuleType(name)).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    vars(typing := ModuleType("flwr.clientapp.typing")).update({"ClientAppCallable": None})
    monkeypatch.setitem(sys.modules, "flwr.clientapp.typing", typing)
    monkeypatch.chdir(tmp_path)
    mod = runpy.run_path(str(PROGRAMS / "save_from_flower.py"))["save_upload"]
    arrays, card = upload()

    def message(group: str, kind: str = "train", error: bool = False) -> Any:
        own = {name.partition("/")[2]: one for name, one in arrays.items() if name.startswith(group)}
        record = {name: SimpleNamespace(numpy=lambda one=one: one) for name, one in own.items()}
        content = SimpleNamespace(array_records={"arrays": record})
        return SimpleNamespace(
            content=content, metadata=SimpleNamespace(message_type=kind), has_error=lambda: error
        )

    for kind, error in (("evaluate", False), ("train", True)):
        mod(message("before/", kind), None, lambda *_, error=error: message("after/", error=error))
        assert not (tmp_path / "upload.npz").exists()
    reply = message("after/")
    assert mod(message("before/"), None, lambda *_: reply) is reply
    with np.load(tmp_path / "upload.npz", allow_pickle=False) as saved:
        assert {*saved} == {*arrays} and all(np.array_equal(saved[name], one) for name, one in arrays.items())
    (tmp_path / "card.json").write_text(json.dumps(card))
    code, found = inspected(tmp_path, capsys)
    assert (code, found["verdict"]) == (0, "comes back")
