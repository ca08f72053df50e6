"""Gradients that are differentiated again: as usual for hard labels, and with the right slopes."""

from __future__ import annotations

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
    """In double precision: a model, its parameters for two clients, and a sample with a soft label each."""
    model = small(name)
    shape = next(s for d in ("digits", "mnist", "cifar10") if model.fits(s := datasets.get(d).shape))
    rng = np.random.default_rng(3)
    weights = np.stack([model.initial(shape, CLASSES, rng) for _ in range(2)])
    views = model.views(torch.from_numpy(weights).double(), shape, CLASSES)
    x = torch.from_numpy(rng.uniform(0, 1, (2, 1, *shape)))
    return model, views, x, torch.from_numpy(rng.dirichlet(np.ones(CLASSES), (2, 1)))


def flat(found: dict[str, torch.Tensor]) -> torch.Tensor:
    return torch.cat([found[name].flatten(1) for name in sorted(found)], 1)


@pytest.mark.parametrize("name", models.names())
def test_with_hard_labels_they_are_the_usual_gradients(name: str):
    model, views, x, _ = ready(name)
    y = torch.tensor([[1], [3]])
    usual = flat(model.gradients(views, x, y, torch.ones(2, 1, dtype=x.dtype)))
    traced = flat(model.traced_gradients(views, x, torch.nn.functional.one_hot(y, CLASSES).double()))
    torch.testing.assert_close(traced.detach(), usual, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", models.names())
@pytest.mark.parametrize("by", ["x", "targets"])
def test_their_slopes_agree_with_finite_differences(name: str, by: str):
    model, views, x, targets = ready(name)
    rng = np.random.default_rng(5)
    given: dict[str, Any] = {"x": x, "targets": targets}
    towards = torch.from_numpy(rng.standard_normal(given[by].shape))
    weight = torch.from_numpy(rng.standard_normal(flat(model.traced_gradients(views, **given)).shape))

    def seen(moved: torch.Tensor) -> torch.Tensor:
        return (weight * flat(model.traced_gradients(views, **{**given, by: moved}))).sum()

    leaf = given[by].clone().requires_grad_()
    (slope,) = torch.autograd.grad(seen(leaf), leaf)
    ends = [float(seen(given[by] + sign * STEP * towards).detach()) for sign in (1, -1)]
    measured = (ends[0] - ends[1]) / (2 * STEP)
    assert float((slope * towards).sum()) == pytest.approx(measured, rel=1e-5, abs=1e-7)
    assert abs(measured) > 1e-6, "there is something to measure"
