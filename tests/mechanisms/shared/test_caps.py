"""PrivUnit and LabelUnit: the law of a whole upload, against samples and exact ratios."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_core.errors import InvalidInput
from ldp_core.mechanisms.labelunit import LabelUnit
from ldp_core.mechanisms.privunit import PrivUnit
from ldp_core.mechanisms.shared import caps
from ldp_core.mechanisms.shared.caps import CapMechanism, caps_at

C, F = 4, 6
D = C * F
RANGE = (-1.0, 1.0)
BOTH = [PrivUnit(dimension=D), LabelUnit(dimension=D, labels=C)]
of_both = pytest.mark.parametrize("mechanism", BOTH, ids=lambda one: one.name)


def upload(*parts: tuple[int, float], seed: int = 1) -> np.ndarray:
    """A vector with a direction of its own, so long, in the block of each of some labels."""
    generator = np.random.default_rng(seed)
    found = np.zeros((C, F))
    for label, length in parts:
        z = generator.standard_normal(F)
        found[label] = length * z / np.linalg.norm(z)
    return found.ravel()


PEOPLE = [
    upload((0, 1.0)), -upload((0, 1.0)), upload((0, 1.0), seed=2), upload((2, 1.0)),
    upload((1, 0.5), (3, 0.3)), upload((3, 0.2)), upload(), 3 * upload((1, 1.0)),
]  # fmt: skip


@pytest.mark.parametrize("labels", [1, 3])
def test_cap_constants_are_independent_of_batching(labels: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(caps, "_known", {})
    together = np.stack(caps_at(budgets := np.geomspace(0.01, 200, 37), labels))
    assert np.array_equal(together, np.stack(caps_at(budgets, labels)))
    monkeypatch.setattr(caps, "_known", {})
    alone = [np.stack(caps_at(np.array(budget), labels)) for budget in budgets]
    assert np.array_equal(together, np.stack(alone, axis=-1))


@of_both
@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 2.0, 4.0, 8.0, 30.0])
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_cap_answers_have_the_stated_mean_and_variance(mechanism: CapMechanism, epsilon: float, kind: str):
    """20 000 answers to each; mean and variance within six standard errors, less than 1e-6 false alarms."""
    n = 20_000
    for x in PEOPLE:
        values: Any = np.tile(x, (n, 1)).astype(kind)
        sent = mechanism.perturb(values, epsilon, *RANGE, np.random.default_rng(4))
        assert sent.dtype == values.dtype
        truth = mechanism.mean(x, epsilon, *RANGE)
        np.testing.assert_allclose(truth, x / max(1.0, np.linalg.norm(x)), atol=1e-12)
        assert (np.abs(sent.mean(0) - truth) < 6 * sent.std(0) / np.sqrt(n)).all()
        if truth.any():
            slopes = sent @ truth / (truth @ truth)
            assert abs(slopes.mean() - 1) < 6 * slopes.std() / np.sqrt(n)
        errors = ((sent - truth) ** 2).mean(axis=1)
        stated = float(mechanism.variance(x, epsilon, *RANGE)[0])
        assert abs(errors.mean() - stated) < 6 * errors.std() / np.sqrt(n)
        assert stated <= mechanism.at(epsilon, *RANGE).max_variance * (1 + 1e-12)
    nothing = mechanism.variance(np.zeros(D), epsilon, *RANGE)[0]
    assert nothing == pytest.approx(mechanism.at(epsilon, *RANGE).max_variance, rel=1e-12)


@of_both
@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 1.0, 2.0, 4.0, 8.0, 30.0])
def test_no_answer_tells_two_uploads_apart_by_more_than_epsilon(mechanism: CapMechanism, epsilon: float):
    generator = np.random.default_rng(1)
    sent = [mechanism.perturb(np.tile(x, (500, 1)), epsilon, *RANGE, generator) for x in PEOPLE]
    answers = np.concatenate(sent)
    table = np.array([mechanism.log_prob(answers, x, epsilon, *RANGE) for x in PEOPLE])
    assert np.isfinite(table).all()  # no answer that only some people can cause
    for one, other in itertools.combinations(table, 2):
        assert np.abs(one - other).max() <= epsilon * (1 + 1e-9) + 1e-12
    opposite, label = np.abs(table[0] - table[1]).max(), np.abs(table[0] - table[3]).max()
    assert opposite == pytest.approx(epsilon, rel=1e-9)
    assert label == pytest.approx(epsilon, rel=1e-9) or mechanism.blocks == 1
    assert mechanism.privacy_loss(epsilon, *RANGE) == epsilon


@of_both
@pytest.mark.parametrize("epsilon", [0.7, 2.5, 6.0])
def test_the_law_has_total_one_by_the_base_law(mechanism: CapMechanism, epsilon: float):
    """Mean of density over base density, of draws from the base law: a bounded ratio, six standard errors."""
    n, c, generator = 200_000, mechanism.blocks, np.random.default_rng(9)
    law = caps_at(np.array(epsilon), c)
    m, a, f = int(law.labels), float(law.scale), D // c
    order = generator.random((n, c)).argsort(axis=1)[:, :m]
    v = np.zeros((n, c, f))
    v[np.arange(n)[:, None], order] = generator.standard_normal((n, m, f))
    base = -(v**2).sum(axis=(1, 2)) / 2 + m * f * (np.log(a) - np.log(2 * np.pi) / 2)
    base -= np.log(len([*itertools.combinations(range(c), m)]))
    for x in PEOPLE[:6]:
        ratio = np.exp(mechanism.log_prob(v.reshape(n, D) / a, x, epsilon, *RANGE) - base)
        assert abs(ratio.mean() - 1) < 6 * ratio.std() / np.sqrt(n)


@of_both
@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 4.0, 30.0])
def test_delta_is_the_excess_of_opposite_directions(mechanism: CapMechanism, epsilon: float):
    """100 000 answers; 5.3 standard errors, 1e-7 false alarms."""
    n = 100_000
    sent = mechanism.perturb(np.tile(PEOPLE[0], (n, 1)), epsilon, *RANGE, np.random.default_rng(3))
    one, other = (mechanism.log_prob(sent, x, epsilon, *RANGE) for x in PEOPLE[:2])
    for share in (0.0, 0.3, 0.5, 0.9, 1.0):
        excess = np.maximum(0.0, -np.expm1(np.minimum(share * epsilon + other - one, 0.0)))
        stated = float(mechanism.delta(share * epsilon, epsilon, *RANGE))
        assert abs(excess.mean() - stated) < 5.3 * excess.std() / np.sqrt(n) + 1e-9


@settings(max_examples=100)
@given(
    epsilon=st.floats(1e-6, 700),
    labels=st.integers(1, 12),
    width=st.integers(1, 400),
    norm=st.floats(1e-6, 1e6),
)
def test_figures_are_finite_for_any_budget_and_size(epsilon: float, labels: int, width: int, norm: float):
    size: dict[str, Any] = {"dimension": labels * width, "norm": norm}
    for mechanism in (PrivUnit(**size), LabelUnit(labels=labels, **size)):
        x = np.zeros(labels * width)
        x[0] = norm
        sent = mechanism.perturb(x[None], epsilon, *RANGE, np.random.default_rng(0))
        assert np.isfinite(sent).all()
        assert np.isfinite(mechanism.log_prob(sent, x, epsilon, *RANGE)).all()
        assert (mechanism.variance(x, epsilon, *RANGE) >= 0).all()
        assert 0 <= mechanism.delta(epsilon / 2, epsilon, *RANGE) <= 1


@of_both
def test_an_upload_of_another_size_is_refused(mechanism: CapMechanism):
    blocks = " in 4 equal blocks" if mechanism.blocks > 1 else ""
    with pytest.raises(InvalidInput, match=f"uploads of 24 weights{blocks}; got shape"):
        mechanism.perturb(np.zeros((2, 5)), 1.0, *RANGE, np.random.default_rng(0))
    with pytest.raises(InvalidInput, match="how many weights"):
        type(mechanism)().variance(0.0, 1.0, *RANGE)
