"""Gradients that are differentiated again: as usual for hard labels, and with the right slopes."""

from typing import Any

import numpy as np
import pytest
import torch

from ldp_core import datasets, models
from ldp_core.models import Model

CLASSES = 4
STEP = 1e-6


def small(name: str) -> Model:
    return models.get(name, **({"width": 4} if name == "resnet18" else {}))


def ready(name: str) -> tuple[Model, dict[str, torch.Tensor], torch.Tensor, torch.Tensor]:
    """In double precision: a model, its parameters, and two samples with a soft label each."""
    model = small(name)
    shape = next(s for d in ("digits", "mnist", "cifar10") if model.fits(s := datasets.get(d).shape))
    rng = np.random.default_rng(3)
    weights = torch.from_numpy(model.initial(shape, CLASSES, rng)).double().unsqueeze(0)
    own = {name: p[0] for name, p in model.views(weights, shape, CLASSES).items()}
    x = torch.from_numpy(rng.uniform(0, 1, (2, *shape)))
    return model, own, x, torch.from_numpy(rng.dirichlet(np.ones(CLASSES), 2))


def flat(model: Model, own: dict[str, torch.Tensor], x: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    return torch.cat([part.whole() for part in model.traced(own, x, targets)], 1)


@pytest.mark.parametrize("name", models.names())
def test_with_hard_labels_they_are_the_usual_gradients(name: str):
    model, own, x, _ = ready(name)
    y = torch.tensor([[1], [3]])
    views = {name: p.expand(2, *p.shape) for name, p in own.items()}
    found = model.gradients(views, x.unsqueeze(1), y, torch.ones(2, 1, dtype=x.dtype))
    usual = torch.cat([found[name].flatten(1) for name in own], 1)
    traced = flat(model, own, x, torch.nn.functional.one_hot(y[:, 0], CLASSES).double())
    torch.testing.assert_close(traced.detach(), usual, rtol=1e-9, atol=1e-12)
    result = traced[
        :, -CLASSES:
    ].detach()  # the last bias tells the loss's slopes by the scores: no label is needed
    again = torch.cat([part.whole() for part in model.traced(own, x, result, slopes=True)], 1)
    torch.testing.assert_close(again.detach(), usual, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", models.names())
@pytest.mark.parametrize("by", ["x", "targets"])
def test_their_slopes_agree_with_finite_differences(name: str, by: str):
    model, own, x, targets = ready(name)
    rng = np.random.default_rng(5)
    given: dict[str, Any] = {"x": x, "targets": targets}
    towards = torch.from_numpy(rng.standard_normal(given[by].shape))
    weight = torch.from_numpy(rng.standard_normal(flat(model, own, **given).shape))

    def seen(moved: torch.Tensor) -> torch.Tensor:
        return (weight * flat(model, own, **{**given, by: moved})).sum()

    leaf = given[by].clone().requires_grad_()
    (slope,) = torch.autograd.grad(seen(leaf), leaf)
    ends = [float(seen(given[by] + sign * STEP * towards).detach()) for sign in (1, -1)]
    measured = (ends[0] - ends[1]) / (2 * STEP)
    assert float((slope * towards).sum()) == pytest.approx(measured, rel=1e-5, abs=1e-7)
    assert abs(measured) > 1e-6, "there is something to measure"


@pytest.mark.parametrize("name", ["mlp", "lenet"])
def test_an_outer_product_is_compared_without_being_formed(name: str):
    model, own, x, targets = ready(name)
    for part in model.traced(own, x, targets):
        if part.rank_one:
            whole = part.whole()
            torch.testing.assert_close(part.square(), (whole**2).sum(1))
            other = whole.roll(1, 1)
            torch.testing.assert_close(part.dot(other), (whole * other).sum(1))
