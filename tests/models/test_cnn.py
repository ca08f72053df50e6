"""The papers' convolutional network."""

from ldp_core import models

CNN = models.get("cnn")


def test_sizes():
    assert CNN.dimension((28, 28), 10) == 21_840
    assert CNN.dimension((3, 32, 32), 10) == 31_340
    assert CNN.products((28, 28), 10) == 480_500
    assert not CNN.fits((8, 8))
    assert not CNN.fits((54,))


def test_no_layer_is_mistaken_for_a_fully_connected_first_one():
    assert not any(s.name in ("weight1", "bias1") for s in CNN.slices((28, 28), 10))
