"""Causes that an inspection says fit an upload, and those that do not, each from the upload's numbers."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ldp_core
from tests.inspection.made import digits, upload

SIGMOID = {"layers": "dense 32 sigmoid"}
Given = tuple[dict[str, Any], dict[str, Any]]


def fitting(arrays: dict[str, Any], card: dict[str, Any]) -> tuple[str, str]:
    """Causes that fit and those that do not, of the refusal."""
    found = ldp_core.inspect(arrays, card)
    assert found["verdict"] == "an assumption fails"
    _, _, rest = found["says"].partition("these fit: ")
    some, _, others = rest.partition("these do not: ")
    return some, others


def moves(arrays: dict[str, Any]) -> Iterator[NDArray[Any]]:
    return ((arrays[f"after/{x[7:]}"] - one).ravel() for x, one in arrays.items() if x[:7] == "before/")


def changed(change: Callable[[NDArray[Any]], NDArray[Any]], rate: float = 0.1) -> Given:
    """Upload whose arrays move by `change` of what plain descent moves them by."""
    arrays, card = upload(rate=rate)
    for name in [name for name in arrays if name.startswith("after/")]:
        begun = arrays[name.replace("after", "before")]
        arrays[name] = begun + change(arrays[name] - begun).astype(np.float32)
    return arrays, card


def by_hand(kept: NDArray[Any] | float = 1.0, smoothing: float = 0.0) -> Given:
    """One step of a tanh network, with factors on its first units, and a share of all labels alike."""
    arrays, card = upload({"layers": "dense 32 tanh"})
    weight, bias, out, last = [one for name, one in arrays.items() if name.startswith("before/")]
    (picture,), (label,) = digits()
    hidden = np.tanh(weight @ picture.ravel() + bias)
    odds = np.exp(out @ (kept * hidden) + last)
    error = odds / odds.sum() - (1 - smoothing) * np.eye(10)[label] - smoothing / 10
    inner = (out.T @ error) * kept * (1 - hidden**2)
    moves = [np.outer(inner, picture), inner, np.outer(error, kept * hidden), error]
    names = [name for name in arrays if name.startswith("after/")]
    for name, one, move in zip(names, (weight, bias, out, last), moves, strict=True):
        arrays[name] = (one - 0.1 * move).astype(np.float32)
    return arrays, card


def largest(change: NDArray[Any]) -> NDArray[Any]:
    return np.where(np.abs(change) >= np.quantile(np.abs(change), 0.9), change, 0)


def test_moves_of_one_size_fit_adam_and_signs():
    arrays, card = changed(lambda change: -0.001 * np.sign(-change))
    for optimizer in ("sgd", "adam"):
        some, others = fitting(arrays, card | {"learning_rate": 0.001, "optimizer": optimizer})
        assert "Adam" in some and "sign" in some and "top-k" in others
        assert optimizer in some.lower()


def test_signs_scaled_by_layer_fit_no_adam():
    some, others = fitting(*changed(lambda change: np.sign(change) * np.abs(change).mean()))
    assert "sign compression" in some and "Adam" in others


def test_signs_of_two_classes_are_no_picture():
    draw = np.random.default_rng(0)
    signs = {
        f"update/{name}": np.sign(draw.normal(size=size)).astype(np.float32)
        for name, size in (("1.weight", (8, 16)), ("1.bias", 8), ("2.weight", (2, 8)))
    } | {"update/2.bias": np.array([1, -1], np.float32)}
    card = {"model": {"layers": "dense 8 relu"}, "shape": [4, 4], "classes": 2, "sent": "update"}
    assert "sign" in fitting(signs, card | {"learning_rate": 0.1})[0]


def test_a_share_of_scattered_zeros_fits_top_k():
    arrays, card = changed(largest)
    some, others = fitting(arrays, card)
    zeros = np.concatenate([*moves(arrays)]) == 0
    assert f"top-k ({100 * zeros.mean():.0f} %" in some and "sign" in others


@pytest.mark.parametrize("share", [0.98, 0.995, 0.999])
def test_top_k_of_hardly_any_numbers_is_not_ruled_out(share: float):
    """Those kept may all stand in one row, or in no first layer at all."""
    arrays, _ = upload()
    least = np.quantile(np.abs(np.concatenate([*moves(arrays)])), share)
    some, _ = fitting(*changed(lambda change: np.where(np.abs(change) >= least, change, 0)))
    assert "top-k" in some


def test_top_k_that_leaves_the_first_layer_whole_is_not_ruled_out():
    """Layer by layer: half of a first layer may be zero as it is."""

    def kept(change: NDArray[Any]) -> NDArray[Any]:
        return np.where(np.abs(change) >= np.quantile(np.abs(change), 0.5), change, 0)

    assert "top-k" in fitting(*changed(kept))[0]


def test_more_directions_are_not_told_as_pictures_where_top_k_fits():
    arrays, card = changed(lambda change: largest(change) if change.ndim > 1 else change)
    says = ldp_core.inspect(arrays, card)["says"]
    assert "top-k (" in says and "at least" not in says


def test_units_at_zero_that_the_picture_moves_fit_dropout():
    kept = np.random.default_rng(1).random(32) > 0.5
    some, others = fitting(*by_hand(2.0 * kept))
    assert f"dropout of first units ({(~kept).sum()} of 32" in some and "top-k" in others


def test_label_smoothing_is_no_other_learning_rate():
    found = ldp_core.inspect(*by_hand(smoothing=0.2))
    assert found["verdict"] == "an assumption fails" and "learning rate was" not in found["says"]
    assert "another loss" in found["says"]


@pytest.mark.parametrize(("share", "biases"), [(0.5, True), (0.5, False), (0.97, False)])
def test_zeros_of_any_size_and_place_fit_random_k(share: float, biases: bool):
    draw = np.random.default_rng(2)

    def kept(change: NDArray[Any]) -> NDArray[Any]:
        """Biases may be left whole, or be hit by none of a few zeros."""
        whole = change.ndim < 2 and not biases
        return change if whole else change * (draw.random(change.shape) < share)

    some, others = fitting(*changed(kept))
    assert "random-k" in some and "top-k" in others and "dropout" not in some


@pytest.mark.parametrize("count", [2, 8])
def test_pictures_that_silence_units_fit_no_random_k(count: int):
    arrays, card = upload(count=count)
    some, others = fitting(arrays, card | {"batch": 1})
    assert "random-k" in others and "top-k" not in some + others


@pytest.mark.parametrize(("share", "rate"), [(0.8, 0.1), (0.97, 0.1), (0.997, 0.1), (0.8, 0.001)])
def test_values_as_large_as_the_largest_fit_clipping(share: float, rate: float):
    arrays, _ = upload(rate=rate)
    most = np.quantile(np.abs(np.concatenate([*moves(arrays)])), share)
    some, others = fitting(*changed(lambda change: np.clip(change, -most, most), rate))
    assert "clipping" in some and "top-k" in others and "random-k" in others


@pytest.mark.parametrize(
    ("made", "card"),
    [({"decay": 0.1}, {}), ({"steps": 6, "rate": 0.5}, {"steps": 1}), ({}, {"model": SIGMOID})],
)
def test_unclipped_values_with_all_coordinates_fit_no_clipping(made: dict[str, Any], card: dict[str, Any]):
    arrays, own = upload(**made)
    some, others = fitting(arrays, own | card)
    assert "clipping" in others and "random-k" in others and "clipping" not in some


@pytest.mark.parametrize(
    ("made", "fits"),
    [
        ({"steps": 4, "momentum": 0.9}, "momentum 0.9 (4)"),
        ({"steps": 6, "rate": 0.5}, "on this picture (6)"),
        ({"steps": 3, "rate": 0.002}, "on this picture (3)"),
    ],
)
def test_hidden_steps_on_one_picture_are_counted(made: dict[str, Any], fits: str):
    arrays, card = upload(**made)
    some, others = fitting(arrays, card | {"steps": 1})
    assert fits in some and "dropout" in others
    assert "learning rate was" not in ldp_core.inspect(arrays, card | {"steps": 1})["says"]


def test_another_activation_fits_and_dropout_does_not():
    arrays, card = upload()
    some, others = fitting(arrays, card | {"model": SIGMOID})
    assert "relu" in some and "dropout" in others and "tanh" in others


def test_reversed_sign_fits_where_the_update_was_subtracted():
    arrays, card = upload()
    some, others = fitting(*changed(lambda change: -change))
    assert "reversed sign" in some and "noise" in others
    assert ldp_core.inspect(arrays, card)["verdict"] == "comes back"


@pytest.mark.parametrize("layer", [0, 1])
def test_layer_that_did_not_move_is_named(layer: int):
    arrays, card = upload()
    names = [name for name in arrays if name.startswith("after/")][2 * layer : 2 * layer + 2]
    arrays |= {name: arrays[name.replace("after", "before")] for name in names}
    found = ldp_core.inspect(arrays, card)
    assert found["verdict"] == "an assumption fails"
    assert ("did not move" if layer else "first layer moved") in found["says"]
    assert "0 directions" not in found["says"]
