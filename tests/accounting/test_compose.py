"""Composition against the reference values, and against itself."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from dp_accounting import privacy_accountant
from dp_accounting.pld import privacy_loss_distribution
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import gammaln, xlogy

from ldp_core.accounting import compose, shuffled
from ldp_core.composition.shuffling import heap_delta
from ldp_core.composition.sums import sampled_delta, sampled_epsilon, skellam_epsilon
from ldp_core.errors import InvalidInput
from ldp_core.mechanisms.shared.gaussian_privacy import epsilon_of, mu_of


@settings(max_examples=150)
@given(
    epsilons=st.lists(st.floats(0, 20), max_size=40),
    delta=st.sampled_from([0.0, 1e-9, 1e-5, 0.01]),
    method=st.sampled_from(["best", "basic", "optimal", "rdp"]),
)
def test_never_above_the_sum_and_in_no_order(epsilons: list[float], delta: float, method: str):
    bound = compose(epsilons, delta, method)
    assert 0 <= bound["epsilon"] <= bound["basic"] * (1 + 1e-12)
    assert bound["delta"] <= delta
    assert compose(epsilons[::-1], delta, method)["epsilon"] == pytest.approx(bound["epsilon"], rel=1e-12)
    more = compose([*epsilons, 1.0], delta, method)
    assert more["epsilon"] >= bound["epsilon"] * (1 - 1e-9)


def test_the_optimal_bound_is_exact_against_a_brute_force_sum():
    """The definition itself: sum over all 2^k outcomes of k randomised responses."""
    epsilon, k, delta = 0.8, 6, 1e-3
    p = math.exp(epsilon) / (1 + math.exp(epsilon))

    def excess(bound: float) -> float:
        outcomes = np.array(np.meshgrid(*[[0, 1]] * k)).reshape(k, -1).sum(axis=0)
        likely, unlikely = p**outcomes * (1 - p) ** (k - outcomes), p ** (k - outcomes) * (1 - p) ** outcomes
        return float(np.maximum(likely - math.exp(bound) * unlikely, 0).sum())

    found = compose([epsilon] * k, delta, "optimal")["epsilon"]
    assert excess(found) == pytest.approx(delta, rel=1e-6)


@pytest.mark.parametrize(
    ("epsilons", "delta", "method", "words"),
    [
        ([-1.0], 0.0, "best", "epsilons"),
        ([math.nan], 0.0, "best", "epsilons"),
        ([math.inf], 0.0, "best", "epsilons"),
        ([1.0], 1.0, "best", "delta"),
        ([1.0], -0.1, "best", "delta"),
        ([1.0], math.nan, "best", "delta"),
        ([1.0], 0.0, "advanced", "method"),
    ],
)
def test_invalid_composition_is_refused(epsilons: list[float], delta: float, method: str, words: str):
    with pytest.raises(InvalidInput, match=words):
        compose(epsilons, delta, method)


def randomised_response(epsilon: float, step: float) -> Any:
    noise = 2 / (1 + math.exp(epsilon))
    return privacy_loss_distribution.from_randomized_response(noise, 2, value_discretization_interval=step)


@pytest.mark.parametrize("budgets", [[0.05] * 40, [0.5] * 20, [2.0] * 7, [0.1, 0.3, 0.5, 1.0] * 5])
def test_composition_agrees_with_dp_accounting(budgets: list[float]):
    """Its discretised distribution rounds losses up, by at most a step a use."""
    exact = randomised_response(budgets[0], step := 1e-4)
    for epsilon in budgets[1:]:
        exact = exact.compose(randomised_response(epsilon, step))
    known, found = exact.get_epsilon_for_delta(1e-5), compose(budgets, delta=1e-5)
    assert known - 2 * len(budgets) * step <= found["epsilon"] <= found["basic"]
    assert found["epsilon"] <= (1.15 * known if len(set(budgets)) > 1 else known + 1e-9)


DELTA = 1e-5
REPLACE = privacy_accountant.NeighboringRelation.REPLACE_ONE


def of_loss_distribution(mu: float, chance: float, uses: int) -> float:
    """The other implementation: dp-accounting's pair for draws of one's own and replaced values ±1."""
    once = privacy_loss_distribution.from_gaussian_mechanism(
        2 / mu, sampling_prob=chance, neighboring_relation=REPLACE, value_discretization_interval=1e-3
    )
    return float(once.self_compose(uses).get_epsilon_for_delta(DELTA))


@pytest.mark.parametrize("chance", [0.05, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("mu", [0.3, 1.5])
@pytest.mark.parametrize("uses", [1, 15, 200])
def test_sampled_sums_are_those_of_the_public_accountant(chance: float, mu: float, uses: int):
    """dp-accounting rounds up by up to half a percent."""
    found, other = sampled_epsilon(mu, chance, False, uses, DELTA), of_loss_distribution(mu, chance, uses)
    assert 0.995 * other <= found <= 1.02 * other + 1e-3
    assert found <= sampled_epsilon(mu, chance, True, uses, DELTA) * (1 + 1e-3)


def test_replacement_bound_is_not_below_two_inputs():
    """Two of three people in each sum, drawn without replacement; one of them has 1 or −1, the others −1 or
    1: δ of one sum by the mixtures themselves."""
    x = np.linspace(-14, 14, 400_001)
    for mu in (0.5, 2.0):
        sigma = 2 / mu

        def law(values: tuple[int, ...], sigma: float = sigma) -> np.ndarray:
            pairs = [values[0] + values[1], values[0] + values[2], values[1] + values[2]]
            return np.mean([stats.norm.pdf(x, at, sigma) for at in pairs], axis=0) * (x[1] - x[0])

        for target in (0.0, 0.3, 1.0):
            bound = float(sampled_delta(np.array([target]), mu, 2 / 3, True)[0])
            for others in ((1, 1), (1, -1), (-1, -1)):
                one, two = law((1, *others)), law((-1, *others))
                assert np.maximum(one - math.exp(target) * two, 0).sum() <= bound + 1e-4
                assert np.maximum(two - math.exp(target) * one, 0).sum() <= bound + 1e-4


def skellam_delta(variance: float, distances: tuple[int, ...], target: float) -> float:
    """δ between Skellam vectors that lie so far apart, over all outcomes."""
    reach = math.ceil(9 * math.sqrt(variance)) + max(distances)
    at = np.arange(-reach, reach + 1)
    one, other = np.ones(1), np.ones(1)
    for apart in distances:
        laws = (stats.skellam.pmf(at, variance / 2, variance / 2, loc=place) for place in (0, apart))
        one, other = (
            np.multiply.outer(joint, law).ravel() for joint, law in zip((one, other), laws, strict=True)
        )
    return float(np.maximum(one - math.exp(target) * other, 0).sum())


@pytest.mark.parametrize(
    ("variance", "distances"), [(4.0, (1,)), (30.0, (3,)), (200.0, (20,)), (9.0, (2, 1))]
)
def test_skellam_is_never_below_all_outcomes_counted_out(variance: float, distances: tuple[int, ...]):
    longest, added = math.hypot(*distances), float(sum(distances))
    for delta in (1e-2, 1e-5):
        found = skellam_epsilon(variance, longest, added, 1, delta)
        assert skellam_delta(variance, distances, found) <= delta


@pytest.mark.parametrize("mu", [0.02, 0.3, 1.0, 2.0])
@pytest.mark.parametrize("uses", [1, 15])
def test_fine_skellam_costs_hardly_more_than_a_gaussian(mu: float, uses: int):
    steps = 1e4
    found = skellam_epsilon((steps / mu) ** 2, steps, steps * 30, uses, DELTA)
    other = of_loss_distribution(mu, 1.0, uses)
    assert other * 0.999 <= found <= 1.2 * other


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
