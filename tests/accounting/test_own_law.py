"""Composition by the mechanism's own law: against dp_accounting, brute force and known figures."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from dp_accounting.pld import pld_pmf, privacy_loss_distribution
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_core import mechanisms
from ldp_core.accounting import DELTA, entries, ledger
from ldp_core.composition import own_law
from ldp_core.composition.backwards import TOLERANCE
from ldp_core.composition.compose import compose_counts
from ldp_core.composition.own_law import Losses, losses_of, own_epsilon
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import changed, parse, plan
from ldp_core.mechanisms import Mechanism
from tests.cases import case
from tests.extent import turns

RANGE = (-1.0, 1.0)
LOPSIDED = (-1.0, 3.0)


def with_a_pure_loss() -> list[Mechanism]:
    found = []
    for name in mechanisms.names():
        for form in ("corrected", "as_printed"):
            mechanism = mechanisms.get(name, form=form)
            if math.isfinite(mechanism.privacy_loss(1.0, *RANGE)):
                found.append(mechanism)
    return found


PURE = with_a_pure_loss()


def named(mechanism: Mechanism) -> str:
    return f"{mechanism.name} {mechanism.form}"


def dominating(mechanism: Mechanism, epsilon: float, low: float, high: float, step: float) -> Any:
    """dp_accounting's tightest pessimistic distribution above the same curve."""
    loss = float(mechanism.privacy_loss(epsilon, low, high))
    reach = math.ceil(loss / step)
    targets = np.arange(-reach, reach + 1) * step
    curve = np.asarray(mechanism.delta(np.abs(targets), epsilon, low, high))
    curve = np.where(targets < 0, -np.expm1(targets) + np.exp(targets) * curve, curve)
    curve[-1] = 0.0
    pmf = pld_pmf.create_pmf_pessimistic_connect_dots(step, np.arange(-reach, reach + 1), curve)
    return privacy_loss_distribution.PrivacyLossDistribution(pmf)


@pytest.mark.parametrize("mechanism", PURE, ids=named)
def test_own_law_agrees_with_dp_accounting(mechanism: Mechanism):
    """Both are bounds from above that coarser lattices raise: ours has 32 cells, its own some hundred.

    Where a mechanism has two answers that lose unequally, ours may be smaller.
    """
    often = [(0.05, 300), (0.5, 40), (2.0, 30), (5.0, 6)]
    for (epsilon, uses), (low, high) in turns(often, [RANGE, LOPSIDED]):
        with case(epsilon, uses, low, high):
            step = float(mechanism.privacy_loss(epsilon, low, high)) / 100
            composed = dominating(mechanism, epsilon, low, high, step).self_compose(uses)
            known = composed.get_epsilon_for_delta(DELTA)
            found = own_epsilon(mechanism, epsilon, low, high, uses, DELTA)
            assert found <= known * (1 + 2e-3) + 1e-6
            if own_law.answers(mechanism, epsilon, low, high) is None:
                assert found >= known * (1 - 1e-4) - 1e-6


def outcomes(mechanism: Mechanism, epsilon: float) -> tuple[list[float], list[float]]:
    """The probabilities of each outcome for inputs at the two ends, where there are finitely many kinds."""
    if mechanism.name == "piecewise":
        q = math.exp(-epsilon / 2)
        window, other = 1 / (1 + q), math.exp(-epsilon) / (1 + q)
        return [window, other, 1 - window - other], [other, window, 1 - window - other]
    atoms = mechanism.at(epsilon, *RANGE).atoms(0.0)
    tops, bottoms = (
        [math.exp(mechanism.log_prob(y, end, epsilon, *RANGE)) for y in atoms] for end in (1.0, -1.0)
    )
    return tops, bottoms


@pytest.mark.parametrize("name", ["duchi", "grr", "piecewise", "ldpsign"])
@pytest.mark.parametrize(("epsilon", "uses", "delta"), [(0.3, 5, 1e-3), (1.0, 6, 1e-5), (4.0, 3, 0.01)])
def test_own_law_is_exact_over_all_outcomes(name: str, epsilon: float, uses: int, delta: float):
    """The definition: every sequence of outcomes, with its probability under two inputs that lie apart."""
    mechanism = mechanisms.get(name)
    top, bottom = outcomes(mechanism, epsilon)
    found = own_epsilon(mechanism, epsilon, *RANGE, uses, delta)
    excess = sum(
        max(0.0, math.prod(top[i] for i in way) - math.exp(found) * math.prod(bottom[i] for i in way))
        for way in itertools.product(range(len(top)), repeat=uses)
    )
    assert excess == pytest.approx(delta, rel=1e-6)


@pytest.mark.parametrize("name", ["pdpm", "hybrid", "laplace"])
def test_own_law_bounds_every_outcome_sequence(name: str):
    """Many laws have no pair of inputs that is the worst at once in every use: a bound, not more."""
    epsilon, uses, delta = 1.0, 4, 1e-3
    mechanism = mechanisms.get(name)
    found = own_epsilon(mechanism, epsilon, *RANGE, uses, delta)
    grid = np.linspace(-30, 30, 24_001) if name != "pdpm" else mechanism.at(epsilon, *RANGE).atoms(0.0)
    laws = [np.exp(mechanism.log_prob(grid, end, epsilon, *RANGE)) for end in RANGE]
    kinds: dict[float, list[float]] = {}
    for p, q in zip(*(law / law.sum() for law in laws), strict=True):
        if p > 0 and q > 0:
            held = kinds.setdefault(round(math.log(p / q), 1 if name == "laplace" else 6), [0.0, 0.0])
            held[0], held[1] = held[0] + p, held[1] + q
    ways = itertools.product(kinds.values(), repeat=uses)
    factor = math.exp(found)
    excess = sum(max(0.0, math.prod(p for p, _ in w) - factor * math.prod(q for _, q in w)) for w in ways)
    assert excess <= delta * (1 + 1e-3)


@settings(max_examples=60)
@given(
    mechanism=st.sampled_from(PURE),
    log_epsilon=st.floats(math.log(1e-6), math.log(700)),
    log_uses=st.floats(0, math.log(1e6)),
    delta=st.sampled_from([1e-9, 1e-5, 0.01]),
)
def test_for_any_budget_and_any_number_of_uses(
    mechanism: Mechanism, log_epsilon: float, log_uses: float, delta: float
):
    epsilon, uses = math.exp(log_epsilon), round(math.exp(log_uses))
    loss = float(mechanism.privacy_loss(epsilon, *RANGE))
    found = own_epsilon(mechanism, epsilon, *RANGE, uses, delta)
    generic = compose_counts((loss,), (uses,), delta).epsilon
    assert 0 <= found <= loss * uses
    # where both tell the same, the lattice and what is taken off δ cost a little
    assert found <= generic * 1.001 + 0.05 * loss * math.sqrt(uses)
    # whole blocks may hold a few uses more than there are, and of one more use none more
    slack = 1e-3 if own_law.answers(mechanism, epsilon, *RANGE) is None else 0.1
    assert own_epsilon(mechanism, epsilon, *RANGE, uses + 1, delta) >= found * (1 - slack) - 1e-9


@pytest.mark.parametrize("mechanism", PURE, ids=named)
def test_the_lattice_lies_above_the_curve(mechanism: Mechanism):
    for epsilon, cells in turns([1e-6, 0.01, 1.0, 30.0, 700.0], [1, 7, 32]):
        with case(epsilon, cells):
            law = losses_of(mechanism, epsilon, *RANGE, cells)
            assert law.masses.sum() == pytest.approx(1.0, abs=1e-7)  # ldpsign has few digits for tiny ε
            places = np.arange(-law.cells, law.cells + 1) * law.step
            for target in np.linspace(0, law.cells * law.step, 40):
                beyond = places > target
                ours = (law.masses[beyond] * -np.expm1(target - places[beyond])).sum()
                assert ours >= float(mechanism.delta(target, epsilon, *RANGE)) - 1e-13


def test_a_thousand_million_uses_of_a_law_with_known_moments():
    """So many uses are normal: the ε of the normal law with this mean and variance, to four digits."""
    law = losses_of(mechanisms.get("piecewise"), 0.5, *RANGE, 1)
    assert isinstance(law, Losses)
    uses = 10**9
    mean, deviation = law.mean * law.step * uses, math.sqrt(law.variance * uses) * law.step
    found = own_epsilon(mechanisms.get("piecewise"), 0.5, *RANGE, uses, DELTA)
    assert found == pytest.approx(mean + 4.2649 * deviation, rel=1e-4)


def test_pdpms_low_answer_tells_less_than_its_epsilon():
    """650 uses at .5: 101.8 by its curve alone; all inputs at opposite ends reach 88.3 (oracles), and
    inputs that adapt to what was seen no more than 88.37."""
    pdpm = mechanisms.get("pdpm")
    found = own_epsilon(pdpm, 0.5, *RANGE, 650, DELTA)
    assert 88.30 <= found <= 90.0
    assert ledger({"mechanism": "pdpm", "clients": {"epsilon": 0.5}})[0]["upload"]["epsilon"] == found


@pytest.mark.parametrize("epsilon", [20.0, 30.0, 37.5, 38.0, 60.0, 100.0, 300.0, 600.0, 660.0, 700.0])
@pytest.mark.parametrize("ends", [(-1.0, 1.0), (-0.1, 1.0)])
def test_an_enormous_budget_of_two_answers_has_a_ledger(epsilon: float, ends: tuple[float, float]):
    """From ε 37.5 on the likelier answer's probability is 1 in float64, and the rest of it was lost."""
    for changes in ({"mechanism": "pdpm"}, {"mechanism": {"name": "ldpsign", "delta": 0.5}}):
        clients = {"count": 2, "epsilon": epsilon, "low": ends[0], "high": ends[1]}
        (entry, _) = ledger({"clients": clients, "rounds": 3, **changes})
        for scope in ("upload", "run_worst"):
            assert 0 < entry[scope]["epsilon"] <= entry[scope]["basic"] * (1 + 1e-12)
        assert entry["run_worst"]["epsilon"] >= entry["upload"]["epsilon"] * (1 - 1e-9)


ASKED = [0.3, 2.0, 8.0, 300.0]
CLIENTS: dict[str, Any] = {"count": 4, "epsilon": ASKED, "epsilon_scope": "run"}
RUN: dict[str, Any] = {"clients": CLIENTS, "rounds": 4}
BOUNDED = [name for name in mechanisms.offered() if mechanisms.get(name).role != "identity"]


@pytest.mark.parametrize("name", BOUNDED)
def test_run_budget_is_met_from_below(name):
    asked = np.array(ASKED)
    costs = np.array([entry.run_worst.bound for entry in entries(plan(parse(RUN | {"mechanism": name})))])
    assert (costs <= asked).all()
    # of ε 300 a single use may take no more than an ε of 700
    assert (costs >= asked * (1 - TOLERANCE)).all()


def test_chance_of_taking_part_counts_at_its_worst():
    drawn = parse(RUN | {"selection": {"kind": "fraction", "fraction": 0.5}})
    assert plan(drawn).population.epsilon == pytest.approx(plan(parse(RUN)).population.epsilon)
    once = parse(RUN | {"selection": "once"})
    assert (plan(once).population.epsilon > plan(drawn).population.epsilon).all()


def test_ranges_of_their_own_get_budgets_of_their_own():
    clients = CLIENTS | {"low": [-1, -1, -0.1, -1], "high": [1, 1, 0.1, 1]}
    wide = plan(parse(RUN | {"mechanism": "gaussian"})).population.epsilon
    mixed = plan(parse({**RUN, "mechanism": "gaussian", "clients": clients})).population.epsilon
    assert mixed == pytest.approx(wide, rel=1e-3)  # σ follows the range


def test_unbounded_noise_is_refused_at_the_scope_field():
    with pytest.raises(InvalidExperiment) as refused:
        parse(RUN | {"mechanism": "piecewise", "form": "as_printed"})
    problem = refused.value.problems[0]
    assert problem.path == "clients.epsilon_scope"
    assert "no ε of the run" in problem.message


def test_the_control_without_noise_may_run_beside_them():
    plain = changed(parse(RUN), {"mechanism.name": "none"})
    assert plan(plain).population.epsilon.tolist() == ASKED


def test_many_different_budgets_are_kept_to_by_steps():
    asked = np.geomspace(0.1, 50, 2000)
    clients = {"count": 1000, "epsilon": asked[:1000].tolist(), "epsilon_scope": "run"}
    some = entries(plan(parse({"clients": clients})), range(0, 1000, 50))
    costs = np.array([one.run_worst.bound for one in some])
    assert (costs <= asked[:1000:50]).all()
    assert (costs >= 0.97 * asked[:1000:50]).all()
