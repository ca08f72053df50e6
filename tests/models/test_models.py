"""Models: flat vectors with views, and gradients that agree with automatic differentiation."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch

from ldp_core import models
from ldp_core.streams import stream

ALL = [models.get(name) for name in models.names()]
SHAPE, CLASSES = (8, 8), 10


@pytest.mark.parametrize("model", ALL, ids=lambda m: m.name)
def test_slices_cover_the_vector_without_gaps(model):
    slices = model.slices(SHAPE, CLASSES)
    assert slices[0].start == 0
    assert all(a.stop == b.start for a, b in pairwise(slices))
    assert all(s.stop - s.start == np.prod(s.shape) for s in slices)
    assert model.dimension(SHAPE, CLASSES) == slices[-1].stop
    initial = model.initial(SHAPE, CLASSES, stream(0, "initial model"))
    assert initial.shape == (model.dimension(SHAPE, CLASSES),)
    assert initial.dtype == np.float32


def test_sizes():
    assert models.get("logistic_regression").dimension((8, 8), 10) == 650
    assert models.get("logistic_regression").dimension((28, 28), 10) == 7850
    assert models.get("mlp", hidden=20).dimension((8, 8), 10) == 64 * 20 + 20 + 20 * 10 + 10


@pytest.mark.parametrize("model", ALL, ids=lambda m: m.name)
def test_views_write_through(model):
    weights = torch.zeros(3, model.dimension(SHAPE, CLASSES))
    for view in model.views(weights, SHAPE, CLASSES).values():
        view.fill_(1.0)
    assert bool((weights == 1).all())


@pytest.mark.parametrize("model", ALL, ids=lambda m: m.name)
def test_gradients_agree_with_autograd(model):
    generator = np.random.default_rng(0)
    clients, batch = 4, 6
    flat = np.stack([model.initial(SHAPE, CLASSES, stream(s, "initial model")) for s in range(clients)])
    weights = torch.from_numpy(flat).double().requires_grad_()
    x = torch.from_numpy(generator.random((clients, batch, *SHAPE)))
    y = torch.from_numpy(generator.integers(0, CLASSES, (clients, batch)))
    weight = torch.from_numpy(generator.random((clients, batch)))
    logits = model.logits(model.views(weights, SHAPE, CLASSES), x)
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten(), reduction="none")
    torch.autograd.backward((loss * weight.flatten()).sum())
    with torch.no_grad():
        views = model.views(weights, SHAPE, CLASSES)
        gradients = model.gradients(views, x, y, weight)
        together = torch.cat([gradients[name].flatten(1) for name in views], 1)
    assert list(gradients) and set(gradients) == set(views)
    torch.testing.assert_close(together, weights.grad, rtol=1e-10, atol=1e-12)
