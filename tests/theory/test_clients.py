"""A client's own noise, alone and among thousands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_core.experiment import parse
from ldp_core.mechanisms.piecewise import Piecewise
from ldp_core.mechanisms.shared.kinds import alike
from ldp_core.theory.clients import client_variance


def test_clients_of_few_kinds_are_computed_once_a_kind(monkeypatch: pytest.MonkeyPatch):
    """Sixty thousand of two kinds cost what two do, and each has what it has alone."""
    budgets = [0.5, 4.0, 0.5] * 1000
    base = {"mechanism": "piecewise", "dataset": "mnist"}
    many = parse({**base, "clients": {"count": 3000, "epsilon": budgets}})
    two = parse({**base, "clients": {"count": 2, "epsilon": [0.5, 4.0]}})
    asked = list[int]()
    variance = Piecewise.unit_variance

    def counted(self: Piecewise, v: Any, epsilon: Any) -> Any:
        asked.append(len(v))
        return variance(self, v, epsilon)

    monkeypatch.setattr(Piecewise, "unit_variance", counted)
    found = client_variance(many)
    assert asked == [2]
    np.testing.assert_array_equal(found[:3], client_variance(two)[[0, 1, 0]])
    assert alike(np.array([1, 2, 1, 1]), np.array([0, 0, 0, np.inf])).tolist() == [0, 2, 0, 1]
