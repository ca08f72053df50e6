"""Models: flat vectors with views, and three readings that agree with a plain torch module."""

import numpy as np
import pytest
import torch

from ldp_core import models
from ldp_core.streams import stream
from tests.models.modules import CASES, module, name_of

CLASSES = 10
every_case = pytest.mark.parametrize(("model", "shape"), CASES, ids=name_of)


@every_case
def test_parameters_are_those_of_the_plain_module(model, shape):
    theirs = [tuple(p.shape) for p in module(model, shape).parameters()]
    assert [s.shape for s in model.slices(shape, CLASSES)] == theirs


@every_case
def test_scores_and_gradients_agree_with_the_plain_module(model, shape):
    generator = np.random.default_rng(0)
    clients, batch = 3, 5
    flat = np.stack([model.initial(shape, CLASSES, stream(s, "initial model")) for s in range(clients)])
    weights = torch.from_numpy(flat).double()
    x = torch.from_numpy(generator.random((clients, batch, *shape)))
    y = torch.from_numpy(generator.integers(0, CLASSES, (clients, batch)))
    weight = torch.from_numpy(generator.random((clients, batch)))
    views = model.views(weights, shape, CLASSES)
    together, gradients = model.logits(views, x), model.gradients(views, x, y, weight)
    assert set(gradients) == set(views)
    flat_gradients = torch.cat([gradients[name].flatten(1) for name in views], 1)
    plain = module(model, shape).double()
    for k in range(clients):
        torch.nn.utils.vector_to_parameters(weights[k].clone(), plain.parameters())
        plain.zero_grad()
        scores = plain(x[k])
        losses = torch.nn.functional.cross_entropy(scores, y[k], reduction="none")
        torch.autograd.backward((losses * weight[k]).sum())
        truth = torch.cat([p.grad.flatten() for p in plain.parameters() if p.grad is not None])
        torch.testing.assert_close(flat_gradients[k], truth, rtol=1e-9, atol=1e-12)
        torch.testing.assert_close(together[k], scores.detach(), rtol=1e-10, atol=1e-12)
        alone = model.scores({name: view[k] for name, view in views.items()}, x[k])
        torch.testing.assert_close(alone, scores.detach(), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("model", "shape", "size"),
    [
        (models.get("logistic_regression"), (28, 28), 7850),
        (models.get("mlp2", hidden=20, second=12), (3, 4), 12 * 20 + 20 + 20 * 12 + 12 + 12 * 10 + 10),
        (models.get("cnn"), (28, 28), 21_840),
        (models.get("cnn"), (3, 32, 32), 31_340),
        (models.get("lenet"), (3, 32, 32), 15_826),
        (models.get("resnet18"), (3, 32, 32), 11_173_962),
    ],
)
def test_sizes_are_the_published_ones(model: models.Model, shape: tuple[int, ...], size: int):
    assert model.dimension(shape, 10) == size
    assert model.fits((8, 8)) == (model.name != "cnn")


@pytest.mark.parametrize("name", models.names())
def test_first_slices_are_weight1_and_bias1(name: str):
    model = models.get(name)
    first = [one.name for one in model.slices((28, 28), 10)[:2]]
    assert (first == ["weight1", "bias1"]) == (model.batched and name != "own")
