"""PrivUnit: the law of a whole vector in a ball, against the reference, samples and numerical integrals."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ldp_core import accounting, mechanisms, theory
from ldp_core.contract.mechanism import ALARM
from ldp_core.errors import InvalidInput
from ldp_core.experiment import parse
from ldp_core.mechanisms import privunit
from ldp_core.mechanisms.privunit import PrivUnit, cut_at
from tests.data import events
from tests.extent import every, in_gate, turns

D = 12
BUDGETS = [1e-3, 0.5, 2.0, 8.0, 30.0]
RANGE = (-1.0, 1.0)


def vectors(d: int = D) -> list[np.ndarray]:
    """A direction, one inside the ball, one beyond it, and nothing."""
    x = np.random.default_rng(1).standard_normal(d)
    return [part * x / np.linalg.norm(x) for part in (1.0, 0.4, 7.0, 0.0)]


def test_a_budget_has_the_same_constants_whatever_is_solved_beside_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(privunit, "_cuts", {})
    together = np.stack(cut_at(budgets := np.geomspace(0.01, 200, 37)))
    assert np.array_equal(together, np.stack(cut_at(budgets)))
    monkeypatch.setattr(privunit, "_cuts", {})
    alone = [np.stack(cut_at(np.array(budget))) for budget in budgets]
    assert np.array_equal(together, np.stack(alone, axis=-1))


def test_the_reference_at_a_budget_of_eight():
    """Mathematics, section 8: p ≈ 0.901 and 1/m² ≈ d/7.52."""
    law = cut_at(np.array(8.0))
    assert np.exp(law.log_p) == pytest.approx(0.901, abs=5e-4)
    assert law.scale**2 == pytest.approx(7.52, abs=0.005)


@pytest.mark.parametrize("epsilon", every(2, [1e-3, 0.1, 1.0, 40.0, 8.0, 700.0, 300.0]))
def test_the_law_follows_from_its_formulas_and_no_other_p_is_better(epsilon: float):
    """m and E[α²] as section 8 has them, in sixty digits, at the p that was found and beside it."""
    law = cut_at(np.array(epsilon))
    with mpmath.workdps(400):
        e = mpmath.mpf(epsilon)
        t = mpmath.mpf(float(law.log_p - law.log_not_p))

        def scales(logit: Any) -> tuple[Any, Any]:
            p, q = 1 / (1 + mpmath.exp(-logit)), 1 / (1 + mpmath.exp(e - logit))
            g = mpmath.findroot(lambda g: mpmath.log(mpmath.ncdf(-g)) - mpmath.log(q), float(law.cut))
            phi = mpmath.npdf(g)
            square = p * (1 + g * phi / q) + (1 - p) * (1 - g * phi / (1 - q))
            return phi * (p / q - (1 - p) / (1 - q)), square

        scale, square = scales(t)
        assert float(law.scale) == pytest.approx(float(scale), rel=1e-8)
        assert float(law.square) == pytest.approx(float(square), rel=1e-6)
        for other in (t * 0.9, t + (e - t) * mpmath.mpf("0.1")):
            assert scales(other)[0] < scale


@pytest.mark.parametrize("epsilon", BUDGETS)
@pytest.mark.parametrize("kind", ["numpy64", "numpy32", "torch"])
def test_samples_have_the_stated_mean_and_error(epsilon: float, kind: str):
    """8 000 answers to each vector; six standard errors and less than 1e-6 false alarms."""
    mechanism, n = PrivUnit(dimension=D), 8000
    for x in vectors():
        values = np.tile(x, (n, 1))
        if kind == "torch":
            generator = torch.Generator().manual_seed(3)
            sent = mechanism.perturb(torch.from_numpy(values), epsilon, *RANGE, generator).numpy()
        else:
            dtype = np.float32 if kind == "numpy32" else np.float64
            sent = mechanism.perturb(values.astype(dtype), epsilon, *RANGE, np.random.default_rng(3))
            assert sent.dtype == dtype
        truth = mechanism.mean(x, epsilon, *RANGE)
        np.testing.assert_allclose(truth, x / max(1.0, np.linalg.norm(x)), atol=1e-12)
        errors = ((sent - truth) ** 2).mean(axis=1)
        stated = float(mechanism.variance(x, epsilon, *RANGE)[0])
        assert abs(errors.mean() - stated) < 6 * errors.std() / np.sqrt(n)
        assert stated <= mechanism.at(epsilon, *RANGE).max_variance * (1 + 1e-12)
        spread = sent.std(axis=0) / np.sqrt(n)
        assert (np.abs(sent.mean(axis=0) - truth) < 6 * spread).all()
        assert np.isfinite(mechanism.log_prob(sent, x, epsilon, *RANGE)).all()
    zero = mechanism.variance(vectors()[3], epsilon, *RANGE)[0]
    assert zero == pytest.approx(mechanism.at(epsilon, *RANGE).max_variance, rel=1e-12)


@pytest.mark.parametrize("epsilon", BUDGETS)
def test_densities_of_vectors_integrate_to_one_and_no_answer_tells_more_than_epsilon(epsilon: float):
    """In two dimensions on a grid of directions and lengths; then the ratio over all pairs of inputs."""
    mechanism = PrivUnit(dimension=2)
    radii = np.linspace(1e-3, 9.5, in_gate(450, 600)) * float(
        np.sqrt(1 / cut_at(np.array(epsilon)).scale ** 2)
    )
    angles = np.linspace(0, 2 * np.pi, 1440, endpoint=False)
    y = radii[:, None, None] * np.stack([np.cos(angles), np.sin(angles)], -1)
    inputs = [r * np.array([np.cos(a), np.sin(a)]) for r in (1.0, 0.3) for a in every(2, (0.3, 1.4, 3.3))]
    tables = [mechanism.log_prob(y, x, epsilon, *RANGE) for x in [*inputs, -inputs[0], np.zeros(2)]]
    area = (radii[1] - radii[0]) * (2 * np.pi / len(angles)) * radii[:, None]
    for table in tables:
        assert (np.exp(table) * area).sum() == pytest.approx(1, abs=0.01)
    ratios = np.max(tables, axis=0) - np.min(tables, axis=0)
    assert ratios.max() <= epsilon * (1 + 1e-9) + 1e-12
    assert ratios.max() == pytest.approx(epsilon, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("epsilon", "share"), turns(BUDGETS, [0.0, 0.3, 0.9, 1.0]))
def test_delta_is_the_excess_of_opposite_directions(epsilon: float, share: float):
    """100 000 answers; 5.3 standard errors, 1e-7 false alarms."""
    mechanism, x, n = PrivUnit(dimension=D), vectors()[0], 100_000
    target = share * epsilon
    sent = mechanism.perturb(np.tile(x, (n, 1)), epsilon, *RANGE, np.random.default_rng(8))
    ratio = mechanism.log_prob(sent, -x, epsilon, *RANGE) - mechanism.log_prob(sent, x, epsilon, *RANGE)
    excess = np.maximum(0.0, -np.expm1(np.minimum(target + ratio, 0.0)))
    stated = float(mechanism.delta(target, epsilon, *RANGE))
    assert abs(excess.mean() - stated) < 5.3 * excess.std() / np.sqrt(n) + 1e-9
    assert mechanism.privacy_loss(epsilon, *RANGE) == epsilon


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
@pytest.mark.parametrize("u", [-0.6, 0.0, 0.3, 1.0])
def test_one_weight_follows_its_marginal_law(epsilon: float, u: float):
    """20 000 answers for a weight of a vector as long as the ball allows; Kolmogorov–Smirnov, 1e-6."""
    mechanism = PrivUnit(dimension=D, norm=2.0)
    x = np.zeros(D)
    x[0], x[1] = 2 * u, 2 * np.sqrt(1 - u**2)
    sent = mechanism.perturb(np.tile(x, (20_000, 1)), epsilon, *RANGE, np.random.default_rng(4))[:, 0]
    reach = 12 * np.sqrt(float(mechanism.at(epsilon, *RANGE).max_variance)) + 12
    grid = np.linspace(-reach, reach, 400_001)
    density = np.exp(mechanism.at(epsilon, *RANGE).marginal_log_prob(grid, 2 * u))
    heights = np.cumsum(density) * (grid[1] - grid[0])
    assert heights[-1] == pytest.approx(1, abs=1e-3)
    distance = stats.kstest(sent, lambda y: np.interp(y, grid, heights)).statistic
    assert distance < stats.kstwo.isf(ALARM, len(sent)) + 1e-3


@settings(max_examples=100)
@given(epsilon=st.floats(1e-6, 700), d=st.integers(1, 5000), norm=st.floats(1e-6, 1e6))
def test_figures_are_finite_for_any_budget_and_length(epsilon: float, d: int, norm: float):
    mechanism = PrivUnit(dimension=d, norm=norm)
    x = np.full(d, norm / np.sqrt(d))
    sent = mechanism.perturb(x[None], epsilon, *RANGE, np.random.default_rng(0))
    assert np.isfinite(sent).all()
    assert np.isfinite(mechanism.log_prob(sent, x, epsilon, *RANGE)).all()
    assert (mechanism.variance(x, epsilon, *RANGE) >= 0).all()
    assert 0 <= mechanism.delta(epsilon / 2, epsilon, *RANGE) <= 1


def test_what_lies_inside_the_ball_is_left_alone_and_ranges_are_ignored():
    mechanism = PrivUnit(dimension=D, norm=0.5)
    inside = np.random.default_rng(0).standard_normal((3, D)).astype(np.float32)
    inside *= 0.4 / np.linalg.norm(inside, axis=1, keepdims=True)
    np.testing.assert_array_equal(mechanism.project(inside, 0.0, 1e-9), inside)
    shortened = mechanism.project(10 * inside, -1, 1)
    np.testing.assert_allclose(np.linalg.norm(shortened, axis=1), 0.5, rtol=1e-6)
    narrow = mechanism.perturb(inside, 2.0, -1e-3, 0.0, np.random.default_rng(0))
    wide = mechanism.perturb(inside, 2.0, -9.0, 1.0, np.random.default_rng(0))
    np.testing.assert_array_equal(narrow, wide)
    asked: dict[str, Any] = {"mechanism": "privunit", "rounds": 2, "attack": None}
    runs = [events({**asked, "clients": {"count": 5, "epsilon": 8, "range": r}})[-1] for r in (0.01, 5)]
    assert runs[0]["weights_sha256"] == runs[1]["weights_sha256"]
    with pytest.raises(InvalidInput, match="uploads of 12 weights; got 5"):
        mechanism.perturb(np.zeros((2, 5)), 1.0, *RANGE, np.random.default_rng(0))
    with pytest.raises(InvalidInput, match="how many weights"):
        PrivUnit().variance(0.0, 1.0, *RANGE)


def test_it_runs_and_its_whole_upload_costs_one_epsilon():
    """A run adds the noise that is predicted (400 clients, 650 weights: within 3 %), and the ledger counts
    ε once an upload."""
    asked = {
        "mechanism": "privunit", "target": "update", "rounds": 2,
        "clients": {"count": 400, "epsilon": 8.0}, "attack": {"clients": [1]},
    }  # fmt: skip
    emitted = events(asked)
    rounds = [event for event in emitted if event["event"] == "round"]
    for event in rounds:
        assert event["noise_variance"] == pytest.approx(event["noise_variance_theory"], rel=0.2)
        assert event["noise_variance_theory"] == pytest.approx(theory.server_variance(parse(asked)), rel=0.03)
    entry = accounting.ledger(parse(asked))[0]
    assert entry["upload"]["epsilon"] == entry["coordinate"]["epsilon"] == 8.0
    assert entry["run_worst"]["basic"] == 16.0
    assert entry["run_worst"]["guarantee"]
    assert mechanisms.get("privunit", form="as_printed") == PrivUnit()
    clean = [e for e in emitted if e["event"] == "attack" and e["control"] == "clean"]
    assert all(e["psnr"] > 60 for e in clean)
