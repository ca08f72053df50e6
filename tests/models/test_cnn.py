"""The papers' convolutional network."""

import torch

from ldp_core import models
from ldp_core.streams import stream

CNN = models.get("cnn")


def test_sizes():
    assert CNN.dimension((28, 28), 10) == 21_840
    assert CNN.dimension((3, 32, 32), 10) == 31_340
    assert CNN.products((28, 28), 10) == 480_500
    assert not CNN.fits((8, 8))
    assert not CNN.fits((54,))


def test_no_layer_is_mistaken_for_a_fully_connected_first_one():
    assert not any(s.name in ("weight1", "bias1") for s in CNN.slices((28, 28), 10))


def test_the_first_of_equal_maxima_takes_all_of_the_gradient():
    """On an empty image all maxima tie; both readings must agree with torch on who is first."""
    weights = torch.from_numpy(CNN.initial((28, 28), 10, stream(3, "initial model")))
    x, y = torch.zeros(2, 28, 28), torch.tensor([1, 2])
    x[1, 10:14, 10:14] = 1.0
    views = CNN.views(weights.unsqueeze(0), (28, 28), 10)
    together = CNN.gradients(views, x.unsqueeze(0), y.unsqueeze(0), torch.full((1, 2), 0.5))
    leaves = {name: view[0].detach().requires_grad_() for name, view in views.items()}
    torch.autograd.backward(torch.nn.functional.cross_entropy(CNN.scores(leaves, x), y))

    def kernel(name: str) -> torch.Tensor:
        return views[f"{name}.weight"][0].detach().requires_grad_()

    first, second = kernel("conv1"), kernel("conv2")
    f = torch.nn.functional
    standard = (x.unsqueeze(1) - 0.1307) / 0.3081
    h = f.relu(f.max_pool2d(f.conv2d(standard, first, views["conv1.bias"][0]), 2))
    h = f.relu(f.max_pool2d(f.conv2d(h, second, views["conv2.bias"][0]), 2)).flatten(1)
    h = f.relu(f.linear(h, views["fc1.weight"][0], views["fc1.bias"][0]))
    torch.autograd.backward(f.cross_entropy(f.linear(h, views["fc2.weight"][0], views["fc2.bias"][0]), y))
    for name, truth in (("conv1.weight", first.grad), ("conv2.weight", second.grad)):
        assert truth is not None
        assert truth.abs().max() > 1e-3
        torch.testing.assert_close(leaves[name].grad, truth, rtol=1e-5, atol=1e-7)
        torch.testing.assert_close(together[name][0], truth, rtol=1e-5, atol=1e-7)
