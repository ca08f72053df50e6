"""The checks can fail: ten planted faults, and each of them is caught."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ldp_core.contract import sampling, stated
from ldp_core.contract.stated import VECTOR
from ldp_core.mechanisms import Mechanism, Use
from ldp_core.mechanisms.duchi import Duchi
from ldp_core.mechanisms.harmony import Harmony
from ldp_core.mechanisms.laplace import Laplace
from ldp_core.mechanisms.piecewise import Piecewise

BUDGET = (1.0, -1.0, 1.0)


class DoesNotClip(Laplace):
    def perturb(self, values: Any, epsilon: Any, low: Any, high: Any, generator: Any) -> Any:
        return super().perturb(values, epsilon, low, high, generator) + values - np.clip(values, low, high)


class SwapsProbabilities(Duchi):
    def unit_sample(self, xp: Any, v: Any, u: Any, k: Any) -> Any:
        return super().unit_sample(xp, -v, u, k)


class DoublesTheBudget(Duchi):
    def perturb(self, values: Any, epsilon: Any, low: Any, high: Any, generator: Any) -> Any:
        return super().perturb(values, 2 * np.asarray(epsilon), low, high, generator)


class FivePerCentTooMuch(Piecewise):
    def perturb(self, values: Any, epsilon: Any, low: Any, high: Any, generator: Any) -> Any:
        return super().perturb(values, 1.05 * np.asarray(epsilon), low, high, generator)


class WrongRadius(Duchi):
    def unit_coefficients(self, epsilon: Any) -> Any:
        coefficients = super().unit_coefficients(epsilon)
        return coefficients | {"outcome": coefficients["outcome"] * 1.01}


class Overflows(Duchi):
    def unit_coefficients(self, epsilon: Any) -> Any:
        with np.errstate(over="ignore", invalid="ignore"):
            power = np.exp(np.asarray(epsilon, dtype=np.float32)).astype(np.float64)
            outcome = (power + 1) / (power - 1)
            return {"outcome": outcome, "slope": 1 / outcome}


class SharesNoiseBetweenClients(Laplace):
    def perturb(self, values: Any, epsilon: Any, low: Any, high: Any, generator: Any) -> Any:
        clipped = np.clip(values, low, high)
        first = super().perturb(clipped[:1], epsilon, low, high, generator) - clipped[:1]
        return clipped + first


class OneNoiseForAWholeRow(Laplace):
    def perturb(self, values: Any, epsilon: Any, low: Any, high: Any, generator: Any) -> Any:
        clipped = np.clip(values, low, high)
        first = super().perturb(clipped[:, :1], epsilon, low, high, generator) - clipped[:, :1]
        return clipped + first


class FillsWithZero(Harmony):
    def perturb(self, values: Any, epsilon: Any, low: Any, high: Any, generator: Any) -> Any:
        out = np.asarray(super().perturb(values, epsilon, low, high, generator))
        return np.where(np.isclose(out, (low + high) / 2), 0.0, out)


class BudgetOfAVectorForEachWeight(Duchi):
    def perturb(self, values: Any, epsilon: Any, low: Any, high: Any, generator: Any) -> Any:
        share = np.asarray(epsilon) / np.shape(values)[-1]
        return super().perturb(values, share, low, high, generator)


def caught(mechanism: Mechanism, budget: tuple[float, float, float]) -> list[str]:
    law: list[tuple[str, Callable[[], None]]] = [
        ("moments", lambda: stated.check_moments(mechanism, budget)),
        ("worst variance", lambda: stated.check_worst_variance(mechanism, budget)),
        ("loss", lambda: stated.check_loss(mechanism, budget)),
        ("samples", lambda: sampling.check_samples(mechanism, budget, budget[1], "numpy64")),
        ("finite", lambda: sampling.check_finite(mechanism, (700.0, *budget[1:]), "numpy64")),
        ("clipping", lambda: sampling.check_clipping(mechanism, budget)),
        ("independence", lambda: sampling.check_independence(mechanism, budget)),
    ]
    found = []
    for name, check in law:
        try:
            with np.errstate(all="ignore"):
                check()
        except AssertionError:
            found.append(name)
    return found


FAULTS = {
    DoesNotClip: "clipping",
    SwapsProbabilities: "samples",
    DoublesTheBudget: "samples",
    FivePerCentTooMuch: "samples",
    WrongRadius: "samples",
    Overflows: "finite",
    SharesNoiseBetweenClients: "independence",
    OneNoiseForAWholeRow: "independence",
    FillsWithZero: "samples",
    BudgetOfAVectorForEachWeight: "independence",
}


@pytest.mark.parametrize("kind", FAULTS, ids=lambda kind: kind.__name__)
def test_each_planted_fault_is_caught(kind: type[Mechanism]):
    kind.name = kind.__mro__[1].name if hasattr(kind.__mro__[1], "name") else "fault"
    budget = (1.0, 0.2, 1.0) if kind is FillsWithZero else BUDGET
    assert FAULTS[kind] in caught(kind().fitted(Use(VECTOR)), budget)


@pytest.mark.parametrize("kind", [Duchi, Laplace, Piecewise, Harmony])
def test_what_has_no_fault_is_not_blamed(kind: type[Mechanism]):
    for budget in (BUDGET, (1.0, 0.2, 1.0)):
        assert caught(kind().fitted(Use(VECTOR)), budget) == []
