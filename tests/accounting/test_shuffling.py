"""Shuffled messages against the plane of counts, exact enumeration and the reference's figures."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.special import gammaln, xlogy

from ldp_core.accounting import compose, shuffled
from ldp_core.composition.shuffling import heap_delta
from ldp_core.errors import InvalidInput
from ldp_core.mechanisms.shared.gaussian_privacy import epsilon_of, mu_of


def on_the_plane(target: float, epsilon: float, clients: int, reach: float = 7.5) -> float:
    """δ of the pair (A + Δ, C − A + 1 − Δ) and the same turned round, over all pairs of counts (a, b)."""
    others, p = clients - 1, 1 / (math.exp(epsilon) + 1)
    spread = reach * math.sqrt(others * p * (1 - p)) + reach**2 / 2
    counts = np.arange(
        max(0, math.floor(others * p - spread)), min(others, math.ceil(others * p + spread)) + 2
    )
    a, b = (axis.astype(np.float64) for axis in np.meshgrid(counts, counts, indexing="ij"))

    def law(a: Any, b: Any) -> Any:
        rest, inside = others - a - b, (a >= 0) & (b >= 0) & (a + b <= others)
        a, b, rest = (np.where(inside, one, 0.0) for one in (a, b, rest))
        log = gammaln(others + 1) - gammaln(a + 1) - gammaln(b + 1) - gammaln(rest + 1)
        log += (a + b) * math.log(p) + xlogy(rest, 1 - 2 * p)
        return np.exp(np.where(inside, log, -np.inf))

    first, second = law(a - 1, b), law(a, b - 1)
    one, other = (1 - p) * first + p * second, p * first + (1 - p) * second
    return float(np.maximum(one - math.exp(target) * other, 0.0).sum())


def heaps_of(laws: list[np.ndarray]) -> dict[tuple[int, ...], float]:
    """Probability of each outcome, the counts of each answer; `laws`: of each client's answer."""
    found: dict[tuple[int, ...], float] = {(0,) * len(laws[0]): 1.0}
    for law in laws:
        following: dict[tuple[int, ...], float] = {}
        for heap, chance in found.items():
            for answer, p in enumerate(law):
                key = (*heap[:answer], heap[answer] + 1, *heap[answer + 1 :])
                following[key] = following.get(key, 0.0) + chance * float(p)
        found = following
    return found


def apart(one: dict[Any, float], other: dict[Any, float], epsilon: float) -> float:
    return sum(max(0.0, p - math.exp(epsilon) * other[key]) for key, p in one.items())


def response(epsilon: float, answers: int, value: int) -> np.ndarray:
    """k-ary randomised response."""
    law = np.full(answers, 1 / (math.exp(epsilon) + answers - 1))
    law[value] *= math.exp(epsilon)
    return law


@pytest.mark.parametrize("clients", [300, 3000, 60_000])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0, 6.0, 8.0])
def test_within_two_percent_of_the_plane_and_never_below(clients: int, epsilon: float):
    found = shuffled(epsilon, clients, 1e-6)
    assert on_the_plane(found, epsilon, clients) <= 1e-6
    if found < 0.999 * epsilon:
        assert on_the_plane(found / 1.02, epsilon, clients) > 1e-6


@pytest.mark.parametrize("clients", [1, 2, 5, 8])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("answers", [2, 3])
def test_never_below_randomised_response_counted_out(clients: int, epsilon: float, answers: int):
    """Whatever the others hold, no figure is below what the whole heap of a real mechanism tells."""
    found = shuffled(epsilon, clients, 1e-2)
    for others in itertools.combinations_with_replacement(range(answers), clients - 1):
        rest = [response(epsilon, answers, value) for value in others]
        one, other = (heaps_of([response(epsilon, answers, value), *rest]) for value in (0, 1))
        assert apart(one, other, found) <= 1e-2 * (1 + 1e-9)


def test_several_heaps_compose():
    """Two heaps at once, all pairs of outcomes; and many, between one heap and the sum of all."""
    law = [response(1.0, 2, value) for value in (0, 1)]
    one, other = (heaps_of([law[v], *[law[1]] * 4]) for v in (0, 1))
    both = [
        {(a, b): p * q for (a, p), (b, q) in itertools.product(side.items(), side.items())}
        for side in (one, other)
    ]
    assert apart(both[0], both[1], shuffled(1.0, 5, 1e-2, heaps=2)) <= 1e-2
    alone, many = shuffled(1.0, 3000, 1e-5), shuffled(1.0, 3000, 1e-5, heaps=50)
    assert alone < many < 50 * shuffled(1.0, 3000, 1e-5 / 50)
    assert many < compose([1.0] * 50, 1e-5)["epsilon"]
    # losses of one heap are nearly normal: fifty of them add up as the root of fifty does
    nearly = epsilon_of(1e-5, math.sqrt(50) * mu_of(alone, 1e-5))
    assert many == pytest.approx(float(nearly), rel=0.05)


def test_the_ends():
    assert shuffled(2.0, 1000, 0.0) == 2
    assert shuffled(0.0, 1000, 1e-6) == 0
    assert shuffled(121.0, 60_000, 1e-6) == 121
    assert shuffled(1.0, 1, 1e-6) == pytest.approx(1, rel=1e-4)
    assert shuffled(0.01, 10**6, 1e-3) < 1e-10
    assert shuffled(0.01, 10**6, 1e-2, heaps=3) < 1e-5
    assert float(heap_delta(1.0, 1.0, 300)) == 0
    for wrong in (
        (-1.0, 5, 0.1, 1),
        (1.0, 0, 0.1, 1),
        (1.0, 5, 1.0, 1),
        (math.inf, 5, 0.1, 1),
        (1.0, 5, 0.1, 0),
    ):
        with pytest.raises(InvalidInput, match="must be"):
            shuffled(*wrong)
