"""A network between two transforms: as a plain module computes it, in both readings."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from ldp_core import models
from ldp_core.models._extended import LEARNED, TRANSFORMS, Extended
from ldp_core.models.base import Model
from ldp_core.streams import stream

CLASSES = 10
CASES = [("mlp2", (5, 6)), ("cnn", (28, 28)), ("resnet18", (3, 16, 16)), ("logistic_regression", (7,))]
PLAIN: dict[str, Callable[[Any, Any, Any], Any]] = {
    "none": lambda x, a, b: x,
    "affine": lambda x, a, b: a * x + b,
    "log": lambda x, a, b: torch.log(1 + a * x + b),
    "tanh": lambda x, a, b: torch.tanh(a * x + b),
    "sigmoid": lambda x, a, b: torch.sigmoid(a * x + b),
    "gain": lambda x, a, b: 3 * x,
}


def made(name: str, before: str, after: str) -> Extended:
    base = models.get(name, width=4) if name == "resnet18" else models.get(name)
    return Extended(base=base, before=before, after=after, gain=3.0, start_a=1.5, start_b=0.25)


def weights_of(model: Model, shape: tuple[int, ...], rows: int) -> torch.Tensor:
    first = torch.from_numpy(model.initial(shape, CLASSES, stream(0, "initial model")))
    jitter = torch.from_numpy(stream(1, "noise").uniform(0, 0.01, (rows, len(first))).astype("float32"))
    return first + jitter


@pytest.mark.parametrize(("name", "shape"), CASES)
@pytest.mark.parametrize("before", TRANSFORMS)
def test_scores_are_those_of_the_parts_one_after_another(name, shape, before):
    """Each transform stands before once and after once; clients together and one alone agree."""
    after = {"log": "tanh"}.get(before, before)  # scores may lie below −1
    model = made(name, before, after)
    weights = weights_of(model, shape, 3)
    x = torch.from_numpy(stream(2, "noise").random((3, 4, *shape)).astype("float32"))
    views = model.views(weights, shape, CLASSES)
    together = model.logits(views, x)
    for k in range(3):
        one = {key: view[k] for key, view in views.items()}
        a, b = one.get("input.a"), one.get("input.b")
        if a is not None:
            a = a.view(-1, 1, 1) if len(shape) == 3 else a
        inside = model.base.scores(
            {key: v for key, v in one.items() if "put." not in key}, PLAIN[before](x[k], a, b)
        )
        expected = PLAIN[after](inside, one.get("output.a"), one.get("output.b"))
        torch.testing.assert_close(together[k], expected, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(model.scores(one, x[k]), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["mlp2", "logistic_regression", "lenet"])
@pytest.mark.parametrize(("before", "after"), [(one, {"log": "none"}.get(one, one)) for one in TRANSFORMS])
def test_gradients_are_those_of_the_whole(name: str, before: str, after: str):
    """By hand or not, against differences of the loss along random directions, in double precision."""
    model, shape = made(name, before, after), (3, 28, 28)
    weights = weights_of(model, shape, 2).double()
    draws = stream(3, "noise")
    x, y = (
        torch.from_numpy(draws.random((2, 5, *shape))),
        torch.from_numpy(draws.integers(0, CLASSES, (2, 5))),
    )
    share = torch.full((2, 5), 0.2, dtype=torch.float64)
    views = model.views(weights, shape, CLASSES)
    gradients = model.gradients(views, x, y, share)
    flat = torch.cat([gradients[name].flatten(1) for name in views], 1)

    def losses(at: torch.Tensor) -> torch.Tensor:
        scores = model.logits(model.views(at, shape, CLASSES), x)
        nats = torch.nn.functional.cross_entropy(scores.flatten(0, 1), y.flatten(), reduction="none")
        return (nats.view(2, 5) * share).sum(1)

    for _ in range(5):
        way = torch.from_numpy(draws.standard_normal(weights.shape))
        slope = (losses(weights + 1e-6 * way) - losses(weights - 1e-6 * way)) / 2e-6
        torch.testing.assert_close((flat * way).sum(1), slope, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("name", "shape"), CASES)
def test_network_weights_come_first_in_extended_models(name, shape):
    model = made(name, "tanh", "affine")
    own, alone = model.slices(shape, CLASSES), model.base.slices(shape, CLASSES)
    assert own[: len(alone)] == alone
    assert [one.name for one in own[len(alone) :]] == ["input.a", "input.b", "output.a", "output.b"]
    assert model.layers(shape, CLASSES)[:-2] == model.base.layers(shape, CLASSES)
    initial = model.initial(shape, CLASSES, stream(0, "initial model"))
    assert (initial[: alone[-1].stop] == model.base.initial(shape, CLASSES, stream(0, "initial model"))).all()
    assert set(initial[alone[-1].stop :].tolist()) == {1.5, 0.25}


def test_shared_part_is_the_network_with_public_gains():
    base = models.get("mlp2")
    assert made("mlp2", "affine", "log").shared is not base
    assert made("mlp2", "affine", "log").shared == base
    left = made("mlp2", "gain", "affine").shared
    assert isinstance(left, Extended)
    assert (left.before, left.after, left.gain) == ("gain", "none", 3.0)
    assert base.shared is base
    assert set(LEARNED) < set(TRANSFORMS)
