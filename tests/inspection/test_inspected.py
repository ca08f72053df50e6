"""An upload from elsewhere: what comes back, and which assumption fails."""

from typing import Any

import numpy as np
import pytest

import ldp_core
from ldp_core import mechanisms
from ldp_core.attacks.findings.metrics import psnr
from ldp_core.errors import StudioError
from ldp_core.events import Attacked
from ldp_core.experiment import parse
from ldp_core.images import decode
from ldp_core.simulate import simulate
from tests.data import digits as few_digits
from tests.inspection.made import DENSE, LENET, digits, failed, upload

BACK = "the picture explains the upload"


@pytest.mark.parametrize("model", [DENSE, LENET, {"layers": "conv 6 3 sigmoid, dense 16 sigmoid"}, "mlp2"])
def test_an_upload_of_one_picture_comes_back(model: Any):
    arrays, card = upload(model)
    originals, labels = digits()
    found = ldp_core.inspect(arrays | {"originals": originals}, card | {"dataset": "digits"})
    assert failed(found) == [] and found["verdict"] == "comes back"
    shown = decode(found["pictures"][0]).astype(float) / 255
    assert psnr(shown[None], originals.astype(float))[0] > 30
    assert found["psnr"][0] > 30 > 20 > found["psnr_mean_image"][0]
    assert found["remade"] < 1e-2 and found["label"] == labels[0]


def test_inspected_upload_matches_the_clean_control():
    """The clean control of a run is an upload of one step on one picture, too."""
    events = list(simulate(parse({"rounds": 1, "model": DENSE}), few_digits()))
    here = [one.psnr for one in events if isinstance(one, Attacked) and one.control == "clean"]
    arrays, card = upload(DENSE)
    found = ldp_core.inspect(arrays | {"originals": digits()[0]}, card)
    assert found["psnr"][0] == pytest.approx(min(here), abs=1.0)


def test_updates_and_gradients_are_inverted_too():
    arrays, card = upload()
    names = [name.removeprefix("after/") for name in arrays if name.startswith("after/")]
    change = {f"update/{name}": arrays[f"after/{name}"] - arrays[f"before/{name}"] for name in names}
    gradient = {f"gradient/{name}": -change[f"update/{name}"] / np.float32(0.1) for name in names}
    beside = {"originals": digits()[0]}
    for some, says in ((change, "update"), (gradient, "gradient")):
        found = ldp_core.inspect(some | beside, card | {"sent": says})
        assert failed(found) == [] and found["psnr"][0] > 30
    pixels = {"originals": digits()[0] * 0.25 + 0.5}
    shifted = ldp_core.inspect(arrays | pixels, card | {"mean": 0.5, "deviation": 0.25})
    assert failed(shifted) == [] and shifted["psnr"][0] > 30


def test_many_pictures_come_back_from_a_wide_layer():
    arrays, card = upload({"layers": "dense 256 relu"}, count=4)
    found = ldp_core.inspect(arrays | {"originals": digits(4)[0]}, card)
    assert failed(found) == [] and found["attacker"] == "per_neuron"
    assert max(found["psnr"]) > 30 and len(found["psnr"]) == 4
    assert ldp_core.inspect(arrays, card)["verdict"] == "cannot tell"


def test_laplace_noise_decides_whether_the_image_returns():
    arrays, card = upload(rate=1.0)
    draw = np.random.default_rng(0)
    rule = card | {"clipped": {"low": -1, "high": 1}, "mechanism": "laplace", "dataset": "digits"}
    for epsilon, back in ((1.0, False), (500.0, True)):
        noisy = dict(arrays)
        for name in [name for name in arrays if name.startswith("after/")]:
            sent = mechanisms.get("laplace").perturb(arrays[name].astype(float), epsilon, -1.0, 1.0, draw)
            noisy[name] = sent.astype(np.float32)
        found = ldp_core.inspect(noisy | {"originals": digits()[0]}, rule | {"epsilon": epsilon})
        assert failed(found) == [] and found["verdict"] == ("comes back" if back else "does not come back")
        without = ldp_core.inspect(noisy, rule | {"epsilon": epsilon})
        assert without["verdict"] == "cannot tell"
        assert failed(ldp_core.inspect(noisy, card)), "noise that the card keeps quiet of"


def broken(how: str) -> tuple[dict[str, Any], dict[str, Any]]:
    made: dict[str, dict[str, Any]] = {"several steps": {"steps": 5}, "two pictures": {"count": 2}}
    arrays, card = upload(**(made | {"decay": {"decay": 0.1}}).get(how, {}))
    names = [*arrays]
    match how:
        case "two pictures":
            card["batch"] = 1
        case "hidden steps":
            arrays, card = upload(steps=6, rate=0.5)
            card["steps"] = 1
        case "batch norm":
            for group, at in (("before", 0.0), ("after", 0.3)):
                arrays |= {f"{group}/bn.weight": np.ones(32), f"{group}/bn.running_mean": np.full(32, at)}
        case "missing layer":
            arrays = {name: one for name, one in arrays.items() if "/5" not in name}
        case "another layer":
            card["model"] = {"layers": "dense 32 relu, dense 12 relu"}
        case "lacking layer":
            card["model"] = "logistic_regression"
        case "other order":
            arrays = {name: arrays[name] for name in [*names[3::-1], *names[:3:-1]]}
        case "transposed":
            arrays = {name: one.T for name, one in arrays.items()}
        case "wrong width":
            card["model"] = {"layers": "dense 33 relu"}
        case "float16":
            arrays, card = upload(rate=0.001)
            arrays = {name: one.astype(np.float16) for name, one in arrays.items()}
        case "whole numbers":
            arrays = {name: one.astype(np.int32) for name, one in arrays.items()}
        case "nan":
            arrays[names[-1]] = arrays[names[-1]] * np.nan
        case "nothing":
            arrays = {name: arrays[name.replace("after", "before")] for name in names}
        case "rate":
            card["learning_rate"] = 0.01
        case "activation":
            card["model"] = {"layers": "dense 32 sigmoid"}
    return arrays, card


BROKEN = {
    "several steps": "one step",
    "two pictures": "one picture",
    "hidden steps": BACK,
    "decay": "cross-entropy after softmax",
    "batch norm": "no batch normalisation: a batch normalisation is in training mode, as",
    "missing layer": "the card's layers: of before/…, arrays of the card's model are missing",
    "another layer": "the card's layers: of before/…, ",
    "lacking layer": "the card's layers",
    "other order": "the card's layers: of before/…, the weights come in another order",
    "transposed": "the card's layers: of before/…, the weights are transposed",
    "wrong width": "the card's layers: of before/…, 2.weight (32 × 64) was sent, where",
    "float16": "a fine number format: float16",
    "whole numbers": "a fine number format",
    "nan": "finite numbers",
    "nothing": "something was learnt",
    "rate": "the card's learning rate: the upload is 10 times",
    "activation": BACK,
}


@pytest.mark.parametrize("how", BROKEN)
def test_the_assumption_that_fails_is_named(how: str):
    found = ldp_core.inspect(*broken(how))
    assert found["verdict"] == "an assumption fails"
    assert found["says"].startswith(BROKEN[how])
    assert failed(found)[0] == BROKEN[how].partition(":")[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"learning_rate": None}, "learning_rate is missing"),
        ({"model": "lenet5"}, "did you mean lenet"),
        ({"model": "cnn"}, "does not fit samples of 8 × 8: cnn needs images of at least 16"),
        ({"model": {"layers": "dense 0"}}, "between 1 and 4"),
        ({"shape": [8, 0]}, "a sample's sides"),
        ({"shape": [32, 32, 3]}, "channels first"),
        ({"classes": 1}, "between 2 and"),
        ({"sent": "deltas"}, "must be weights, update or gradient"),
        ({"sent": "gradient"}, "no arrays gradient/"),
        ({"steps": 0}, "between 1 and"),
        ({"foo": 1}, "is not a field here"),
        ({"mechanism": "laplace"}, "epsilon is missing"),
        ({"clipped": {"low": 1, "high": 1}}, "low below high"),
        ({"dataset": "imagenet"}, "must be"),
    ],
)
def test_a_card_that_cannot_be_true_is_a_sentence(change: dict[str, Any], words: str):
    arrays, card = upload()
    with pytest.raises(StudioError) as caught:
        ldp_core.inspect(arrays, card | change)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"originals": np.zeros((1, 9, 9))}, "originals have the shape"),
        ({"originals": np.full((2, 8, 8), np.nan)}, "no numbers"),
        ({"during/x": np.zeros(3)}, "arrays are called before/…"),
        ({"before/z": np.array([{}])}, "Python objects, which could run"),
        ({"before/z": np.array(["a"])}, "numbers are asked for"),
    ],
)
def test_arrays_beside_that_contradict_the_card_are_a_sentence(more: dict[str, Any], words: str):
    arrays, card = upload()
    with pytest.raises(StudioError, match=words):
        ldp_core.inspect(arrays | more, card)


def test_a_normalisation_is_not_to_be_listed_in_the_card():
    arrays, card = upload(DENSE)
    scale = {
        f"{group}/norm.{name}": np.ones(7) for group in ("before", "after") for name in ("scale", "shift")
    }
    says = next(
        one["says"] for one in ldp_core.inspect(arrays | scale, card)["assumptions"] if not one["holds"]
    )
    assert "normalisation" in says and "list them" not in says


@pytest.mark.parametrize("dropped", ["bias", "weight"])
def test_no_card_is_asked_for_layers_that_none_can_list(dropped: str):
    arrays, card = upload(DENSE)
    if dropped == "bias":
        arrays = {name: one for name, one in arrays.items() if one.ndim > 1}
    else:
        arrays |= {f"{group}/z.weight": np.ones((7, 10), np.float32) for group in ("before", "after")}
    says = ldp_core.inspect(arrays, card)["says"]
    assert "no card" in says and "mend" not in says and "list them in" not in says


def test_standardised_pixels_ask_for_mean_and_deviation():
    arrays, card = upload()
    pixels = {"deviation": 0.5, "mean": -0.5}  # as if pixels had been standardised by others
    found = ldp_core.inspect(arrays, card | pixels)
    assert failed(found) == ["pixels from 0 to 1"]
    assert failed(ldp_core.inspect(arrays, card)) == []
