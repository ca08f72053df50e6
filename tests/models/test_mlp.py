"""Fully connected networks."""

import pytest
from pydantic import ValidationError

from ldp_core import models


def test_sizes():
    assert models.get("mlp", hidden=20).dimension((8, 8), 10) == 64 * 20 + 20 + 20 * 10 + 10
    two = models.get("mlp2", hidden=20, second=12)
    assert two.dimension((3, 4), 5) == 12 * 20 + 20 + 20 * 12 + 12 + 12 * 5 + 5


def test_the_first_layer_is_where_attacks_look_for_it():
    for name in ("logistic_regression", "mlp", "mlp2"):
        first, second = models.get(name).slices((8, 8), 10)[:2]
        assert (first.name, second.name) == ("weight1", "bias1")


def test_no_layer_without_units():
    with pytest.raises(ValidationError):
        models.get("mlp2", second=0)
