"""The programs of assets/uploads save what `inspect` reads."""

import json
import runpy
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ldp_core.cli import main
from tests.conftest import ROOT
from tests.inspection.made import upload

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
