"""Logistic regression."""

from ldp_core import models


def test_sizes():
    assert models.get("logistic_regression").dimension((8, 8), 10) == 650
    assert models.get("logistic_regression").dimension((28, 28), 10) == 7850
