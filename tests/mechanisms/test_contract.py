"""What every mechanism promises, held over the whole registry and all forms."""

from typing import Any

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_core import mechanisms
from ldp_core.contract import mechanism as checks
from ldp_core.contract.mechanism import whole_vectors
from ldp_core.contract.stated import VECTOR, check_moments
from ldp_core.errors import InvalidInput
from ldp_core.mechanisms import Mechanism, Use
from ldp_core.mechanisms.harmony import HarmonyAsPrinted
from ldp_core.mechanisms.piecewise import PiecewiseAsPrinted
from tests.cases import case
from tests.extent import in_gate, turns

USE = Use(dimension=VECTOR, rounds=10, round=3, samples=70)
MORE: list[dict[str, Any]] = [
    {"name": "gaussian", "calibration": "classical", "delta": 1e-3},
    {"name": "gaussian", "calibration": "paper001", "rounds": 5},
    {"name": "gaussian", "calibration": "paper001", "rounds": 5, "form": "as_printed"},
    {"name": "gaussian", "per": "upload"},
    {"name": "gaussian", "sensitivity": 0.5},
    {"name": "ldpsign", "delta": 0.01},
    {"name": "grr", "levels": 2},
    {"name": "grr", "levels": 9},
]
"""Parameters besides the defaults."""
EVERY: list[Mechanism] = [kind().fitted(USE) for kind in checks.kinds()] + [
    mechanisms.get(**dict(one)).fitted(USE) for one in MORE
]
ALL = [m for m in EVERY if m.region == "box"]
"""Those whose inputs lie in ranges; of a ball there are tests of their own (test_privunit.py)."""
NOISY = [m for m in ALL if m.role != "identity"]
PURE = [m for m in NOISY if np.isfinite(m.privacy_loss(1.0, -1, 1))]


def named(mechanism: Mechanism) -> str:
    own = {k: v for k, v in mechanism.parameters().items() if v != type(mechanism)().parameters().get(k)}
    return "-".join(map(str, [mechanism.name, mechanism.form, *own.values()]))


@pytest.mark.parametrize("mechanism", ALL, ids=named)
def test_every_law_keeps_its_contract(mechanism: Mechanism):
    """Samples too: less than 1e-6 false alarms for each of their checks."""
    for words, check in checks.of_law(mechanism, turns):
        with case(words):
            check()


WINDOWS = ("piecewise", "hybrid")
"""Whose windows no integral meets at large budgets (test_faults.py has their variances)."""


@pytest.mark.parametrize("mechanism", [one for one in ALL if one.name not in WINDOWS], ids=named)
def test_stated_moments_hold_at_extreme_budgets(mechanism: Mechanism):
    for epsilon in (25.0, 88.0, 700.0):
        check_moments(mechanism, (epsilon, -0.7, 0.4))


@pytest.mark.parametrize("mechanism", EVERY, ids=named)
def test_law_answers_are_repeatable_to_the_bit(mechanism: Mechanism):
    given = np.array([[0.1], [1.0], [20.0]]), np.full((3, 1), -0.5), np.array([[0.5], [1.0], [2.0]])
    law, draw = mechanism.at(*given), np.random.default_rng(1)
    for number, kind in enumerate((np.float32, np.float32, np.float64, np.float32)):
        values = draw.normal(0, 1, (3, VECTOR)).astype(kind)
        mine, own = (np.random.default_rng(number) for _ in range(2))
        np.testing.assert_array_equal(law.perturb(values, mine), mechanism.perturb(values, *given, own))


@pytest.mark.parametrize("mechanism", NOISY, ids=named)
@pytest.mark.parametrize("span", [(5.0, 5.001), (-1000.2, -1000.0)])
def test_float32_answers_are_possible_in_narrow_ranges(mechanism: Mechanism, span: tuple[float, float]):
    """Rounding moves them off their atoms and past their ends: an attacker that took them for impossible
    under every candidate picked no better than chance, and showed no leak where there was one.
    """
    generator = np.random.default_rng(3)
    for epsilon in (0.1, 1.0, 8.0, 20.0):
        values = generator.uniform(*span, (20, VECTOR)).astype(np.float32)
        sent = mechanism.perturb(values, epsilon, *span, generator)
        assert np.isfinite(mechanism.log_prob(sent, values, epsilon, *span)).all()


@pytest.mark.parametrize("mechanism", PURE, ids=named)
def test_from_the_pure_loss_on_there_is_no_delta(mechanism: Mechanism):
    for epsilon in checks.EPSILONS:
        loss = mechanism.privacy_loss(epsilon, -1, 1)
        assert mechanism.delta(loss, epsilon, -1, 1) == pytest.approx(0, abs=1e-13)
        assert mechanism.delta(2 * loss, epsilon, -1, 1) == 0


def test_mechanism_none_has_infinite_loss():
    none = mechanisms.get("none")
    assert none.privacy_loss(1.0, -1, 1) == np.inf
    assert none.delta(100.0, 1.0, -1, 1) == 1


@pytest.mark.parametrize("mechanism", ALL, ids=named)
def test_clients_and_coordinates_broadcast_and_keep_their_type(mechanism: Mechanism):
    values = np.linspace(-1, 1, 3 * VECTOR, dtype=np.float32).reshape(3, VECTOR)
    epsilon = np.array([0.5, 1.0, 8.0])[:, None]
    low, high = np.array([-1.0, -0.5, 0.0])[:, None], np.array([1.0, 0.5, 0.1])[:, None]
    out = mechanism.perturb(values, epsilon, low, high, np.random.default_rng(1))
    assert out.shape == values.shape and out.dtype == np.float32
    assert mechanism.variance(values, epsilon, low, high).shape == values.shape
    likely = mechanism.log_prob(out, values, epsilon, low, high)
    assert likely.shape == (values.shape if mechanism.scope == "coordinate" else (3,))
    whole = mechanism.perturb(np.zeros(VECTOR, dtype=int), 1.0, -1, 1, np.random.default_rng(1))
    assert whole.dtype == np.float64
    for shape in ((0, VECTOR), (5, 0), (0,)):
        empty = mechanism.perturb(np.empty(shape), 1.0, -1, 1, np.random.default_rng(1))
        assert empty.shape == shape
    if mechanism.scope == "coordinate":
        assert mechanism.perturb(np.array(0.2), 1.0, -1, 1, np.random.default_rng(1)).shape == ()
    with pytest.raises(InvalidInput, match="must fit together"):
        mechanism.perturb(values, np.ones((2, 1)), -1, 1, np.random.default_rng(1))


@pytest.mark.parametrize("name", ["piecewise", "harmony", "privunit", "none"])
@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.bfloat16, torch.int64])
def test_a_tensor_is_answered_as_its_array(name: str, kind: torch.dtype):
    mechanism = mechanisms.get(name).fitted(Use(VECTOR))
    tensor = torch.linspace(-1, 1, 3 * VECTOR).reshape(3, VECTOR).to(kind)
    values = tensor.to(torch.float32 if kind == torch.float32 else torch.float64).numpy()
    if kind.is_floating_point:
        tensor.requires_grad_()
    sent = mechanism.perturb(tensor, 1.0, -1, 1, np.random.default_rng(1))
    assert torch.is_tensor(sent) and not sent.requires_grad
    np.testing.assert_array_equal(sent, mechanism.perturb(values, 1.0, -1, 1, np.random.default_rng(1)))
    one, again, other = (
        mechanism.perturb(tensor, 1.0, -1, 1, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)
    )
    assert torch.equal(one, again) and (name == "none") == torch.equal(one, other)
    assert mechanism.perturb(torch.empty((0, VECTOR)), 1.0, -1, 1, torch.Generator()).shape == (0, VECTOR)


@pytest.mark.parametrize("mechanism", ALL, ids=named)
def test_ranges_of_their_own_for_every_weight(mechanism: Mechanism):
    """As Adaptive-Duchi has them for every layer: each weight is answered in its own range."""
    low = np.linspace(-3, 1, VECTOR)
    high = low + np.linspace(0.5, 2, VECTOR)
    epsilon = np.array([[2.0], [3.0]])
    values = (low + 0.7 * (high - low)) * np.ones((2, 1))
    out = mechanism.perturb(values, epsilon, low, high, np.random.default_rng(2))
    assert out.shape == values.shape
    if mechanism.scope == "coordinate" and not whole_vectors(mechanism):
        each = [mechanism.variance(values[1, j], 3.0, low[j], high[j]) for j in range(VECTOR)]
        np.testing.assert_allclose(mechanism.variance(values, epsilon, low, high)[1], each, rtol=1e-12)


@pytest.mark.parametrize("mechanism", EVERY, ids=named)
def test_draws_do_not_depend_on_how_clients_are_grouped(mechanism: Mechanism):
    columns = VECTOR if mechanism.scope == "layer" else 2_000 if mechanism.region == "ball" else 20_000
    values = np.random.default_rng(0).uniform(-1, 1, (6, columns)).astype(np.float32)
    values[:, 0] = 1
    one = mechanism.fitted(Use(columns, 10, 3, 70))
    whole = one.perturb(values, 1.0, -1, 1, np.random.default_rng(9))
    generator = np.random.default_rng(9)
    parts = [one.perturb(rows, 1.0, -1, 1, generator) for rows in np.split(values, [1, 4])]
    np.testing.assert_array_equal(whole, np.concatenate(parts))


@pytest.mark.parametrize("mechanism", [m for m in EVERY if m.role != "identity"], ids=named)
def test_a_budget_that_is_no_budget_is_refused(mechanism: Mechanism):
    wrong: list[Any] = [0, -1, np.nan, np.inf, -np.inf, "1", None, True]
    for epsilon in wrong:
        for call in (
            lambda e=epsilon: mechanism.perturb(np.zeros(VECTOR), e, -1, 1, np.random.default_rng(0)),
            lambda e=epsilon: mechanism.variance(0.0, e, -1, 1),
            lambda e=epsilon: mechanism.privacy_loss(e, -1, 1),
        ):
            with case(epsilon), pytest.raises(InvalidInput, match="epsilon must be"):
                call()


@pytest.mark.parametrize("mechanism", ALL, ids=named)
def test_a_range_that_is_no_range_is_refused(mechanism: Mechanism):
    for low, high in [(1, 1), (2, 1), (np.nan, 1), (-np.inf, 1), (0, np.inf)]:
        with case(low, high), pytest.raises(InvalidInput, match="low must be"):
            mechanism.at(1.0, low, high)


@pytest.mark.parametrize("mechanism", EVERY, ids=named)
def test_mechanisms_refuse_nan_and_return_finite_values(mechanism: Mechanism):
    with pytest.raises(InvalidInput, match=r"not a number|must be a number"):
        mechanism.perturb(np.array([*[0.0] * 7, np.nan]), 1.0, -1, 1, np.random.default_rng(0))
    with pytest.raises(InvalidInput, match="numpy Generator"):
        mechanism.perturb(np.zeros(VECTOR), 1.0, -1, 1, torch.Generator())
    for call in (mechanism.mean, mechanism.variance, mechanism.delta):
        with pytest.raises(InvalidInput, match="must be a number"):
            call(np.nan, 1.0, -1, 1)


@settings(max_examples=in_gate(150, 600))
@given(
    place=st.integers(0, len(ALL) - 1),
    epsilon=st.floats(1e-6, 700),
    low=st.floats(-1e3, 1e3),
    width=st.floats(1e-3, 1e3),
    share=st.floats(-0.5, 1.5),
)
def test_exact_moments_are_finite_and_consistent_for_any_input(
    place: int, epsilon: float, low: float, width: float, share: float
):
    mechanism, high = ALL[place], low + width
    value = low + share * width
    mean = mechanism.mean(value, epsilon, low, high)
    variance = mechanism.variance(value, epsilon, low, high)
    assert np.isfinite(mean)
    assert 0 <= variance <= mechanism.at(epsilon, low, high).max_variance * (1 + 1e-9) + 1e-300
    biased = mechanism.role == "vote" or isinstance(mechanism, PiecewiseAsPrinted | HarmonyAsPrinted)
    if not biased:
        assert mean == pytest.approx(np.clip(value, low, high), rel=1e-9, abs=1e-9 * width)
    target = share * epsilon
    if target > 0:
        assert 0 <= mechanism.delta(target, epsilon, low, high) <= 1


def test_noise_for_a_whole_upload_needs_its_length():
    upload = mechanisms.get("gaussian", per="upload")
    with pytest.raises(InvalidInput, match="how many weights an upload has"):
        upload.variance(0.0, 1.0, -1, 1)
    sized = mechanisms.get("gaussian", dimension=100)
    assert sized.scope == "upload"
    a, b = (m.perturb(np.zeros(100), 1.0, -1, 1, np.random.default_rng(0)) for m in (upload, sized))
    np.testing.assert_array_equal(a, b)
    with pytest.raises(InvalidInput, match="uploads of 100 weights; got 20"):
        sized.perturb(np.zeros((2, 20)), 1.0, -1, 1, np.random.default_rng(0))


@pytest.mark.parametrize(("low", "high"), [(-5.0, 0.1), (-1.0, 0.5), (-2.0, -1.0), (-1.0, 1.0), (0.5, 2.0)])
def test_the_printed_scale_never_exceeds_its_stated_variance(low: float, high: float):
    printed = mechanisms.get("piecewise", form="as_printed")
    worst = printed.at(1.0, low, high).max_variance
    uploads = np.random.default_rng(0).uniform(low, high, (200, 5))
    uploads[0], uploads[1] = low, high
    assert printed.variance(uploads, 1.0, low, high).max() <= worst * (1 + 1e-12)
    ends = np.full((5, 1), low), np.full((5, 1), high)
    assert printed.perturb(np.zeros(6), 1.0, *ends, np.random.default_rng(0)).shape == (5, 6)


def test_ldpsign_mean_near_zero_is_accurate():
    sign = mechanisms.get("ldpsign")
    with mpmath.workdps(40):
        sigma = 2 * mpmath.sqrt(2 * mpmath.log(mpmath.mpf(1.25) / mpmath.mpf(1e-5))) / mpmath.mpf(1e-3)
        known = float(2 * mpmath.ncdf(mpmath.mpf(1e-6) / sigma) - 1)
    assert sign.mean(1e-6, 1e-3, -1, 1) == pytest.approx(known, rel=1e-9)
