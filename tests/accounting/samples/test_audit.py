"""Audits by samples: wrong mechanisms are refuted, right ones hardly ever; too few say nothing."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from ldp_core import mechanisms
from ldp_core.accounting import CannotTell, audit_function, audit_samples
from ldp_core.accounting.samples import beside
from ldp_core.accounting.samples.likelihoods import epsilon_bound, runs_needed
from ldp_core.errors import InvalidInput
from ldp_core.mechanisms import Use
from tests.accounting.samples.wrong import WRONG

EPSILON = 1.0


def our_audit(name: str, generator: np.random.Generator, trials: int) -> Any:
    """Of a shipped mechanism, at the two inputs that are furthest apart."""
    dimension = 1 if mechanisms.get(name).scope == "coordinate" else 4
    mechanism = mechanisms.get(name).fitted(Use(dimension))
    x = np.repeat([-1.0, 1.0], trials)[:, None] * np.ones(dimension)
    delta = 1e-5 if mechanism.at(EPSILON, -1, 1).mu is not None and name != "ldpsign" else 0.0
    claimed = EPSILON if name != "ldpsign" else float(mechanism.privacy_loss(EPSILON, -1, 1))
    return audit_samples(x, mechanism.perturb(x, EPSILON, -1.0, 1.0, generator), claimed, delta)


OURS = [name for name in mechanisms.names() if name != "none"]


@pytest.mark.parametrize("make", WRONG, ids=lambda make: make.__name__)
def test_a_wrong_mechanism_is_refuted(make: Callable[..., Any]):
    """Each true loss is so far above 1 that 2 000 trials miss it with a probability below 1e-6."""
    inputs, outputs = make(EPSILON, 2000, np.random.default_rng(3))
    found = audit_samples(inputs, outputs, EPSILON)
    assert found.refuted
    assert re.fullmatch(r"claimed 1, at least [\d.]+ \(95 %\): refuted", found.verdict)
    assert found.event


def test_ours_are_refuted_no_more_often_than_said():
    """96 audits at 95 %: more refuted ones than the limit come in at most one of 10^5 gates."""
    generator = np.random.default_rng(8)
    audits = [our_audit(name, generator, 1000) for name in OURS for _ in range(8)]
    assert len(audits) == 96
    assert sum(one.refuted for one in audits) <= binom.isf(1e-5, len(audits), 0.05)
    assert max(one.measured for one in audits) > 0.7, "and they are not blind"


def test_audit_of_many_inputs_leaves_out_rare_ones():
    generator = np.random.default_rng(1)
    x = np.concatenate([np.repeat(np.linspace(-1, 1, 11), 500), [7.0]])
    found = audit_samples(x, x + generator.normal(0, 0.3, len(x)), EPSILON)
    assert found.refuted
    assert [one.input for one in found.answers][:: len(found.answers) - 1] == [-1.0, 1.0]
    assert all(abs(one.bias) < 0.1 and 0.05 < one.variance < 0.14 for one in found.answers)
    duchi = dict(beside(found))["Duchi"]
    assert duchi[0] == pytest.approx((0, mechanisms.get("duchi").variance(-1.0, EPSILON, -1, 1)))


def test_a_function_is_audited_on_its_own_edges():
    def late(values: Any, epsilon: float, low: float, high: float, generator: np.random.Generator) -> Any:
        return np.clip(values + generator.laplace(0, (high - low) / epsilon, values.shape), low, high)

    def early(values: Any, epsilon: float, low: float, high: float, generator: np.random.Generator) -> Any:
        return mechanisms.get("duchi").perturb(values, epsilon / len(values), low, high, generator)

    wrong = audit_function(late, EPSILON, -1, 1, np.random.default_rng(2), trials=2000)
    right = audit_function(early, EPSILON, -1, 1, np.random.default_rng(2), dimension=3, trials=1000)
    assert wrong.refuted and not right.refuted, "the second may be, in one of 20 seeds"
    with pytest.raises(InvalidInput, match="as many values as it is given"):
        audit_function(lambda *_: 1.0, EPSILON, -1, 1, np.random.default_rng(2), trials=1)


def test_delta_is_granted_to_a_claim():
    """An answer that comes once in 20 uses gives all away: δ 0.05 allows it, δ 0 does not."""
    generator = np.random.default_rng(5)
    x = np.repeat([0.0, 1.0], 4000)
    y = np.where(generator.random(len(x)) < 0.05, x + 5, 0.0)
    assert audit_samples(x, y, EPSILON).refuted
    assert not audit_samples(x, y, EPSILON, delta=0.06).refuted


def test_as_many_trials_as_are_asked_for_can_refute():
    for claimed, delta in ((0.5, 0.0), (3.0, 0.0), (1.0, 0.1)):
        runs = runs_needed(claimed, 0.05, delta)
        assert epsilon_bound(runs, runs, 0, runs, 0.05, delta) > claimed
        assert epsilon_bound(runs - 1, runs - 1, 0, runs - 1, 0.05, delta) <= claimed
        x = np.repeat([0.0, 1.0], 2 * runs)
        assert audit_samples(x, x, claimed, delta).refuted
        with pytest.raises(CannotTell, match=f"{2 * runs - 1} rows a world; {2 * runs} would do"):
            audit_samples(x[1:], x[1:], claimed, delta)


@pytest.mark.parametrize(
    ("inputs", "outputs", "claimed", "words"),
    [
        ([1.0] * 9, [0.0] * 9, 1.0, "the input is 1 in every trial"),
        ([0.0, 1.0], [0.0], 1.0, "must have one shape"),
        ([0.0, 1.0], [0.0, np.nan], 1.0, "outputs must be finite; got NaN or infinity in trial 2"),
        ([[0.0], [1.0, 2.0]], [0.0], 1.0, "inputs must be numbers, as many in each trial"),
        ([0.0, 1.0], [0.0, 1.0], 0.0, "the claimed ε must lie above 0"),
    ],
)
def test_bad_samples_get_one_sentence(inputs: Any, outputs: Any, claimed: float, words: str):
    with pytest.raises(InvalidInput, match=words):
        audit_samples(inputs, outputs, claimed)
