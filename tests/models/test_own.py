"""Layers that a person lists: read from JSON and text, or refused with a sentence at the field."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldp_core
from ldp_core import models
from ldp_core.cli import main
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import amended, parse, plan
from ldp_core.fields import Choice
from ldp_core.models._grammar import FIELDS, read, spelled
from ldp_core.simulate import simulate
from tests.data import digits

FEW: dict[str, Any] = {"rounds": 1, "clients": {"count": 3, "epsilon": 8}, "local": {"epochs": 1}}
LISTED = [
    {"kind": "conv", "channels": 8, "size": 3},
    {"kind": "pool", "size": 2},
    {"kind": "dense", "units": 12},
]


def ended(model: Any) -> Any:
    return list(simulate(parse(FEW | {"model": model}), digits()))


def test_equal_layer_notations_train_and_leak_alike():
    listed, named = (ended(one) for one in ({"layers": "dense 32 relu"}, "mlp"))
    assert listed[-1].weights_sha256 == named[-1].weights_sha256
    pictures = [[one.psnr for one in events if one.event == "attack"] for events in (listed, named)]
    assert pictures[0] == pytest.approx(pictures[1], abs=1e-3) and len(pictures[0]) > 3


def test_text_and_json_mean_the_same():
    short = "conv 8 3, pool, dense 12"  # relu, as 12 is not the number of classes
    one = parse({"model": {"layers": LISTED}})
    assert parse({"model": {"layers": short}}) == one == parse({"model": {"layers": json.dumps(LISTED)}})
    assert one == parse(one.as_json()) == amended({}, {"model": {"layers": LISTED}})
    assert one.model.title == "own layers (conv 8 3 relu, pool 2, dense 12 relu)"
    assert plan(one).dimension == 8 * 9 + 8 + 8 * 9 * 12 + 12 + 12 * 10 + 10
    wider = amended(one.as_json(), {"model.layers": "conv 8 3, pool, dense 13"})
    assert plan(wider).key != plan(one).key == plan(parse({"model": {"name": "own", "layers": short}})).key


def test_last_layer_with_a_unit_for_each_class_is_asked_about():
    with pytest.raises(InvalidExperiment, match="leaves open") as caught:
        parse({"model": {"layers": "dense 32 relu, dense 10"}})
    (problem,) = caught.value.problems
    assert problem.path == "model.layers"
    sizes = []
    for layers in models.get("own", layers="dense 32 relu, dense 10").asks(10)[1]:
        assert layers in problem.message
        sizes.append(plan(parse({"model": {"layers": layers}})).dimension)
    output, before = 32 * 10 + 10, 64 * 32 + 32
    assert sizes == [before + output, before + output + 10 * 10 + 10]


def test_last_linear_layer_with_a_unit_for_each_class_is_the_output():
    last = "dense 10 none"
    listed, usual = parse({"model": {"layers": f"dense 32 relu, {last}"}}), parse({"model": "mlp"})
    assert plan(listed).dimension == plan(usual).dimension == 64 * 32 + 32 + 32 * 10 + 10
    ends = [ended({"layers": layers})[-1] for layers in ("dense 32 relu", f"dense 32 relu, {last}")]
    assert ends[0].weights_sha256 == ends[1].weights_sha256
    source = plan(listed).source
    understood = listed.model.understood(source.shape, source.classes)
    assert [size for _, size in understood] == [64 * 32 + 32, 32 * 10 + 10] and not listed.model.doubt(10)


def test_stored_relu_last_layer_keeps_its_network():
    stored = {"kind": "dense", "units": 10, "activation": "relu"}
    before, now = (parse({"model": {"layers": one}}) for one in ([stored], "dense 10 none"))
    assert plan(before).dimension == 64 * 10 + 10 + 10 * 10 + 10 and plan(before).key != plan(now).key
    assert before.as_json()["model"]["layers"] == [stored] and "dense 10 none" in before.model.doubt(10)
    assert "added" in before.model.understood((8, 8), 10)[-1][0]


def test_every_list_of_layers_is_read_back_from_its_text():
    draw = np.random.default_rng(7)
    for _ in range(300):
        kinds = draw.choice(["conv", "pool", "avg_pool"], draw.integers(0, 4)).tolist() + ["dense"] * int(
            draw.integers(1, 3)
        )
        layers = [{"kind": kind} for kind in kinds]
        for one in layers:
            for name, field in FIELDS[one["kind"]].items():
                if isinstance(field, Choice):
                    one[name] = str(draw.choice(field.words[1:]))
                else:
                    one[name] = int(draw.integers(int(field.limit.minimum), int(field.limit.maximum) + 1))
        made = read(layers)
        assert read(spelled(made)) == made and [one.as_json() for one in made] == layers


BAD: list[tuple[Any, str, str]] = [
    ([], "model.layers", "1 to 16 layers"),
    ([7], "model.layers.0", "must be an object"),
    ([{"kind": "dens", "units": 3}], "model.layers.0.kind", "did you mean dense"),
    ([{"kind": "batch_norm"}], "model.layers.0.kind", "statistics"),
    ("nn.Sequential(nn.Linear(64, 32), nn.ReLU())", "model.layers", "without brackets"),
    ("dense 3, Dropout2d", "model.layers.1.kind", "leave it out"),
    ("dense 3, softmax", "model.layers.1.kind", "the loss has it"),
    ("dense 3, relu", "model.layers.1.kind", "behind its layer"),
    ([{"kind": "dense", "units": 0}], "model.layers.0.units", "between 1 and 4"),
    ([{"kind": "dense"}], "model.layers.0.units", "got null"),
    ([{"kind": "dense", "units": 3, "size": 2}], "model.layers.0.size", "no field of dense"),
    (
        [{"kind": "dense", "units": 3, "activation": "gelu"}],
        "model.layers.0.activation",
        "none, relu, sigmoid or tanh",
    ),
    ("dense 3 relu, conv 3 3", "model.layers", "after a dense one"),
    ("dense 3 relu tanh", "model.layers", "tanh"),
    ("[{", "model.layers", "no JSON"),
    ("x" * 5000, "model.layers", "at most 4000"),
]


@pytest.mark.parametrize(("layers", "path", "words"), BAD, ids=[str(at) for at, _ in enumerate(BAD)])
def test_invalid_own_layers_are_refused_at_their_field(layers: Any, path: str, words: str):
    with pytest.raises(InvalidExperiment) as caught:
        parse({"model": {"layers": layers}})
    [problem] = caught.value.problems
    assert problem.path == path and words in problem.message


@pytest.mark.parametrize(
    ("layers", "dataset", "words"),
    [
        ("conv 3 3, dense 4", "covtype", "reads images"),
        ("dense 12 none", "digits", "12 units for 10 classes"),
        ("pool 5, pool 4", "digits", "layer 2 (pool 4) is larger than the 1 × 1 pixels"),
        ("conv 512 1, dense 4096", "digits", "at most 12,000,000"),
    ],
)
def test_unfit_own_layers_name_fitting_models(layers: str, dataset: str, words: str):
    with pytest.raises(InvalidExperiment) as caught:
        parse({"dataset": dataset, "model": {"layers": layers}, "clients": {"epsilon_scope": "run"}})
    [problem] = caught.value.problems
    assert problem.path == "model" and words in problem.message and "choose" in problem.message


REFUSED = {
    "dense 32, dropout 50, dense 10": "leave it out",
    "dense 32, gelu, dense 10": "activations are",
    "dense 32 relu, dense 4 none": "4 units for 10 classes",
    "dense 10, log_softmax": "the loss has it",
    "conv 8 3, batchnorm, dense 10": "statistics",
    "nn.Sequential()": "without brackets",
}


@pytest.mark.parametrize("text", REFUSED)
def test_network_that_is_not_offered_is_refused_in_one_sentence(text: str):
    with pytest.raises(InvalidExperiment) as caught:
        parse({"model": {"layers": text}})
    (problem,) = caught.value.problems
    assert REFUSED[text] in problem.message


def test_network_file_is_shown_asked_about_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "net.json").write_text('{"layers": "dense 32 relu, dense 10"}')
    (tmp_path / "net.txt").write_text("dense 32 relu, dense 10 none")
    assert main(["data", "--show", str(tmp_path / "net.txt")]) == 0
    assert "the output layer | 330" in capsys.readouterr().out
    assert main(["data", "--show", str(tmp_path / "net.json")]) == 2
    assert "output layer?" in capsys.readouterr().out
    assert main(["data", "--show", str(tmp_path / "net.json"), "--yes"]) == 0
    assert "dense 10 none" in (tmp_path / "net.json").read_text()
    assert main(["data", "--show", str(tmp_path / "net.json")]) == 0
    assert ldp_core.look({"layers": "dense 10"}).open and not ldp_core.look({"layers": "dense 11"}).open
    (tmp_path / "run.json").write_text('{"model": {"layers": "dense 10"}}')
    capsys.readouterr()
    assert main(["run", str(tmp_path / "run.json")]) == 2 and "dense 10 relu" in capsys.readouterr().err
