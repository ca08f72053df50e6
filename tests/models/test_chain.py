"""Architectures read as chains of layers, or refused with a reason."""

from typing import Any

import pytest

from ldp_core import models
from ldp_core.models.chain import Conv, DenseLayer, Unfit, layers_of
from ldp_core.models.convolutional import Convolutional
from tests.models.modules import CASES, name_of


@pytest.mark.parametrize(("model", "shape"), CASES, ids=name_of)
def test_every_weight_is_in_one_layer(model: models.Model, shape: tuple[int, ...]):
    if model.name == "resnet18":
        with pytest.raises(Unfit, match="it "):
            layers_of(model, shape, 10)
        return
    layers = layers_of(model, shape, 10)
    counts = [(c.weight, c.out * c.channels * c.size**2, c.bias, c.out) for c in layers.convs]
    counts += [(d.weight, d.out * d.inputs, d.bias, d.out) for d in layers.dense]
    ends = 0
    for weight, size, bias, out in counts:
        assert (weight, bias) == (ends, ends + size)
        ends = bias + out
    assert ends == layers.dimension == model.dimension(shape, 10)
    assert layers.dense[-1].activation == "none"
    assert layers.classes == 10


def test_the_papers_network():
    layers = layers_of(models.get("cnn"), (28, 28), 10)
    assert layers.convs == (Conv(1, 28, 28, 10, 5, 0, 250), Conv(10, 12, 12, 20, 5, 260, 5260))
    assert layers.dense == (DenseLayer(320, 50, 5280, 21280), DenseLayer(50, 10, 21330, 21830, "none"))
    assert layers.moments == (0.1307, 0.3081)
    assert layers.products == models.get("cnn").products((28, 28), 10)


class Odd(Convolutional):
    how: str
    smallest = 1

    def network(self, net: Any, x: Any, classes: int) -> Any:
        def conv(name: str, x: Any) -> Any:
            return net.relu(net.pool(net.conv(name, x, 4, 3)))

        match self.how:
            case "averaged before":
                return net.linear("a", net.flat(net.relu(net.average(net.conv("b", x, 4, 3), 2))), classes)
            case "relu last":
                return net.relu(net.linear("a", net.flat(x), classes))
            case "input again":
                conv("b", x)
                return net.linear("a", net.flat(conv("c", x)), classes)
            case "standard later":
                return net.linear("a", net.flat(net.standard(conv("b", x))), classes)
            case "pooled twice":
                return net.linear("a", net.flat(net.pool(conv("b", x))), classes)
            case "input pooled":
                return net.linear("a", net.flat(net.pool(x)), classes)
            case "input relu":
                return net.linear("a", net.flat(net.relu(x)), classes)
            case "wide":
                return net.linear("a", net.flat(net.relu(net.pool(net.conv("b", x, 4, 16)))), classes)
            case _:
                return net.linear("a", net.flat(net.add(x, x)), classes)


Odd.name = "odd"


ODDITIES = (
    "averaged before,relu last,input again,standard later,pooled twice,input pooled,input relu,wide,sum"
)


@pytest.mark.parametrize("how", ODDITIES.split(","))
def test_network_that_is_no_chain_is_refused(how: str):
    with pytest.raises(Unfit, match="it"):
        layers_of(Odd(how=how), (20, 20), 10)


def test_too_many_classes_are_refused():
    assert layers_of(models.get("mlp"), (8, 8), 256).classes == 256
    with pytest.raises(Unfit, match="more than 256"):
        layers_of(models.get("mlp"), (8, 8), 257)
