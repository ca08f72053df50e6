"""An upload without a card: what its arrays prove, and what they leave open."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldp_core
from ldp_core import cli
from ldp_core.errors import InvalidInput
from ldp_core.inspection.look import look
from tests.inspection.made import DENSE, LENET, upload


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


def test_lenet_is_known_by_its_arrays():
    arrays, _ = upload(LENET)
    (which,) = (one for one in look(arrays, {}).questions if "which network" in one["asks"])
    assert which["answers"][0]["card"] == {"model": "lenet", "shape": [8, 8], "classes": 10}


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
