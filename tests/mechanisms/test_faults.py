"""The checks can fail: ten planted faults, and each of them is caught."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from ldp_core.contract import mechanism as checks
from ldp_core.contract import stated
from ldp_core.contract.stated import VECTOR
from ldp_core.mechanisms import Mechanism, Use
from ldp_core.mechanisms.duchi import Duchi
from ldp_core.mechanisms.harmony import Harmony
from ldp_core.mechanisms.laplace import Laplace
from ldp_core.mechanisms.piecewise import Piecewise

BUDGET = (1.0, -1.0, 1.0)


class SwapsProbabilities(Duchi):
    def unit_sample(self, v: Any, u: Any, k: Any) -> Any:
        return super().unit_sample(-v, u, k)


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


def shared(ask: Any, x: Any, e: Any, low: float, high: float, first: Any) -> Any:
    """What is answered to the first ones, with their noise for all others as well."""
    inside = np.clip(x, low, high)
    return inside + ask(inside[first], e, low, high) - inside[first]


def filled_with_zero(ask: Any, x: Any, e: Any, low: float, high: float) -> Any:
    sent = np.asarray(ask(x, e, low, high))
    return np.where(np.isclose(sent, (low + high) / 2), 0.0, sent)


ANSWERS: dict[str, tuple[type[Mechanism], Callable[..., Any], str]] = {
    "does not clip": (Laplace, lambda ask, x, e, *r: ask(x, e, *r) + x - np.clip(x, *r), "clipping"),
    "doubles the budget": (Duchi, lambda ask, x, e, *r: ask(x, 2 * np.asarray(e), *r), "samples"),
    "5 % too much": (Piecewise, lambda ask, x, e, *r: ask(x, 1.05 * np.asarray(e), *r), "samples"),
    "clients share noise": (Laplace, partial(shared, first=np.s_[:1]), "independence"),
    "one noise for a row": (Laplace, partial(shared, first=np.s_[:, :1]), "independence"),
    "fills with zero": (Harmony, filled_with_zero, "samples"),
    "a vector's budget": (Duchi, lambda ask, x, e, *r: ask(x, e / np.shape(x)[-1], *r), "independence"),
}
"""Mechanism, what it answers (by what it should), and the check that has to see it."""


def planted(kind: Any, answer: Callable[..., Any]) -> type[Mechanism]:
    class Faulty(kind):  # type: ignore[misc]
        def perturb(self, values: Any, epsilon: Any, low: Any, high: Any, generator: Any) -> Any:
            def ask(*given: Any) -> Any:
                return kind.perturb(self, *given, generator)

            return answer(ask, values, epsilon, low, high)

    return Faulty


def caught(mechanism: Mechanism, budget: tuple[float, float, float]) -> list[str]:
    law: list[tuple[str, Callable[[], None]]] = [
        ("moments", lambda: stated.check_moments(mechanism, budget)),
        ("worst variance", lambda: stated.check_worst_variance(mechanism, budget)),
        ("loss", lambda: stated.check_loss(mechanism, budget)),
        ("samples", lambda: checks.check_samples(mechanism, budget, budget[1], "float64")),
        ("finite", lambda: checks.check_finite(mechanism, (700.0, *budget[1:]), "float64")),
        ("clipping", lambda: checks.check_clipping(mechanism, budget)),
        ("independence", lambda: checks.check_independence(mechanism, budget)),
    ]
    found = []
    for name, check in law:
        try:
            with np.errstate(all="ignore"):
                check()
        except AssertionError:
            found.append(name)
    return found


FAULTS = {name: (planted(kind, answer), check) for name, (kind, answer, check) in ANSWERS.items()}
FAULTS |= {"swaps": (SwapsProbabilities, "samples"), "radius": (WrongRadius, "samples")}
FAULTS |= {"overflows": (Overflows, "finite")}


@pytest.mark.parametrize("name", FAULTS)
def test_each_planted_fault_is_caught(name: str):
    kind, check = FAULTS[name]
    kind.name = kind.__mro__[1].name if hasattr(kind.__mro__[1], "name") else "fault"
    budget = (1.0, 0.2, 1.0) if name == "fills with zero" else BUDGET
    assert check in caught(kind().fitted(Use(VECTOR)), budget)


@pytest.mark.parametrize("kind", [Duchi, Laplace, Piecewise, Harmony])
def test_sound_mechanisms_pass_the_fault_checks(kind: type[Mechanism]):
    for budget in (BUDGET, (1.0, 0.2, 1.0)):
        assert caught(kind().fitted(Use(VECTOR)), budget) == []
