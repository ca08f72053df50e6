"""LabelUnit: the law of a label and a vector together, against the reference, samples and exact ratios."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_core.errors import InvalidInput
from ldp_core.mechanisms.labelunit import LabelledLaw, LabelUnit, caps_at
from ldp_core.mechanisms.privunit import PrivUnit

C, F = 4, 6
D = C * F
RANGE = (-1.0, 1.0)
MECHANISM = LabelUnit(dimension=D, labels=C)


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


@pytest.mark.parametrize(
    ("epsilon", "variance", "labels"),
    [
        (8, 0.0233, (1,)),
        (6, 0.0497, (1,)),
        (5, 0.0872, (1,)),
        (4, 0.1882, (1,)),
        (3, 0.518, (2,)),
        (2, 1.55, (5, 6)),
        (1, 6.33, (10,)),
    ],
)
def test_the_reference_has_the_same_noise(epsilon: float, variance: float, labels: tuple[int, ...]):
    """honest-frontier, section 2: noise per coordinate of a sum over 10 labels, per person."""
    caps = caps_at(np.array(float(epsilon)), 10)
    assert int(caps.labels) in labels
    assert caps.labels / 10 / caps.scale**2 == pytest.approx(variance, rel=5e-3)
    if epsilon == 8:
        assert np.exp(caps.log_p) == pytest.approx(0.851, abs=1e-3)
        assert np.exp(caps.log_beyond) == pytest.approx(0.019, abs=1e-3)
        assert caps.square - caps.named == pytest.approx(4.30, abs=0.01)


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 4.0, 8.0])
@pytest.mark.parametrize("kind", ["numpy32", "torch"])
def test_it_is_right_on_average_and_errs_as_much_as_it_says(epsilon: float, kind: str):
    """20 000 answers to each; slope 1 within 3 standard errors, variance within its sampling error."""
    n = 20_000
    for x in PEOPLE:
        values = np.tile(x, (n, 1)).astype(np.float32)
        if kind == "torch":
            tensor, generator = torch.from_numpy(values), torch.Generator().manual_seed(4)
            sent = MECHANISM.perturb(tensor, epsilon, *RANGE, generator).numpy()
        else:
            sent = MECHANISM.perturb(values, epsilon, *RANGE, np.random.default_rng(4))
        truth = MECHANISM.mean(x, epsilon, *RANGE)
        assert (np.abs(sent.mean(0) - truth) < 5.5 * sent.std(0) / np.sqrt(n)).all()
        if truth.any():
            slopes = sent @ truth / (truth @ truth)
            assert abs(slopes.mean() - 1) < 3.5 * slopes.std() / np.sqrt(n)
        errors = ((sent - truth) ** 2).mean(axis=1)
        stated = float(MECHANISM.variance(x, epsilon, *RANGE)[0])
        assert abs(errors.mean() - stated) < 5.5 * errors.std() / np.sqrt(n)
        assert stated <= MECHANISM.at(epsilon, *RANGE).max_variance * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0, 8.0])
def test_no_answer_tells_two_people_apart_by_more_than_epsilon_whatever_they_differ_in(epsilon: float):
    answers = np.concatenate(
        [
            MECHANISM.perturb(np.tile(x, (500, 1)), epsilon, *RANGE, np.random.default_rng(i))
            for i, x in enumerate(PEOPLE)
        ]
    )
    table = np.array([MECHANISM.log_prob(answers, x, epsilon, *RANGE) for x in PEOPLE])
    assert np.isfinite(table).all()  # no answer that only some people can cause
    for one, other in itertools.combinations(table, 2):
        assert np.abs(one - other).max() <= epsilon * (1 + 1e-9)
    label, opposite = np.abs(table[0] - table[3]).max(), np.abs(table[0] - table[1]).max()
    assert (label, opposite) == (pytest.approx(epsilon, rel=1e-9), pytest.approx(epsilon, rel=1e-9))
    assert MECHANISM.privacy_loss(epsilon, *RANGE) == epsilon


@pytest.mark.parametrize("epsilon", [0.7, 2.5, 6.0])
def test_the_law_has_total_one_by_the_base_law(epsilon: float):
    """Mean of density over base density, of draws from the base law: a bounded ratio, six standard errors."""
    n, generator = 200_000, np.random.default_rng(9)
    caps = caps_at(np.array(epsilon), C)
    m, a = int(caps.labels), float(caps.scale)
    order = generator.random((n, C)).argsort(axis=1)[:, :m]
    v = np.zeros((n, C, F))
    v[np.arange(n)[:, None], order] = generator.standard_normal((n, m, F))
    base = -(v**2).sum(axis=(1, 2)) / 2 + m * F * (np.log(a) - np.log(2 * np.pi) / 2)
    base -= np.log(len([*itertools.combinations(range(C), m)]))
    for x in PEOPLE[:6]:
        ratio = np.exp(MECHANISM.log_prob(v.reshape(n, D) / a, x, epsilon, *RANGE) - base)
        assert abs(ratio.mean() - 1) < 6 * ratio.std() / np.sqrt(n)


def test_delta_is_the_excess_between_two_labels():
    """100 000 answers; 5.3 standard errors."""
    epsilon, n = 4.0, 100_000
    sent = MECHANISM.perturb(np.tile(PEOPLE[0], (n, 1)), epsilon, *RANGE, np.random.default_rng(3))
    for share in (0.0, 0.5, 0.9):
        ratio = MECHANISM.log_prob(sent, PEOPLE[1], epsilon, *RANGE)
        ratio = ratio - MECHANISM.log_prob(sent, PEOPLE[0], epsilon, *RANGE)
        excess = np.maximum(0.0, -np.expm1(np.minimum(share * epsilon + ratio, 0.0)))
        stated = float(MECHANISM.delta(share * epsilon, epsilon, *RANGE))
        assert abs(excess.mean() - stated) < 5.3 * excess.std() / np.sqrt(n) + 1e-9


def test_no_answer_names_a_zero_or_a_label_for_certain():
    """200 answers for a vector full of zeros: each lies on a grid that no input moves, coordinate by
    coordinate, so every other can cause it, to the bit; and other labels are named as well."""
    values = np.zeros((200, D), np.float32)
    values[:, 1] = 1.0
    sent = MECHANISM.perturb(values, 4.0, *RANGE, np.random.default_rng(5)).astype(np.float64)
    spread = 1 / float(caps_at(np.array(4.0), C).scale)
    steps = sent / 2.0 ** (np.floor(np.log2(spread)) - 18)
    assert (steps == np.round(steps)).all()
    named = (sent.reshape(200, C, F) != 0).any(axis=2)
    assert (named.sum(axis=1) == int(caps_at(np.array(4.0), C).labels)).all()
    assert (named.mean(axis=0) > 0).all() and named[:, 0].mean() < 1


def test_second_moments_are_those_of_its_answers():
    n, epsilon = 60_000, 6.0
    law = LabelledLaw(MECHANISM, *MECHANISM.checked(epsilon, *RANGE))
    plain, along, spread = (float(one) for one in law.second_moments)
    sent = law.perturb(np.tile(PEOPLE[0], (n, 1)), np.random.default_rng(6)).reshape(-1, F)
    z = PEOPLE[0][:F]
    found = sent.T @ sent / n - plain * np.eye(F) - along * np.outer(z, z)
    assert np.abs(found).max() < 6 * 3 * max(spread, along) / np.sqrt(n)


@pytest.mark.parametrize("epsilon", [0.3, 2.0, 8.0])
def test_with_one_label_it_is_privunit(epsilon: float):
    x = np.random.default_rng(0).standard_normal(D) / 10
    ours, theirs = LabelUnit(dimension=D, norm=2.0), PrivUnit(dimension=D, norm=2.0)
    for what in ("mean", "variance"):
        one, other = (getattr(m, what)(x, epsilon, *RANGE) for m in (ours, theirs))
        np.testing.assert_allclose(one, other, rtol=1e-6)
    y = ours.perturb(np.tile(x, (50, 1)), epsilon, *RANGE, np.random.default_rng(1))
    one, other = (m.log_prob(y, x, epsilon, *RANGE) for m in (ours, theirs))
    np.testing.assert_allclose(one, other, rtol=1e-6)


@settings(max_examples=60)
@given(epsilon=st.floats(1e-6, 700), labels=st.integers(1, 12), width=st.integers(1, 40))
def test_figures_are_finite_for_any_budget_and_size(epsilon: float, labels: int, width: int):
    mechanism = LabelUnit(dimension=labels * width, labels=labels)
    x = np.zeros(labels * width)
    x[0] = 1.0
    sent = mechanism.perturb(x[None], epsilon, *RANGE, np.random.default_rng(0))
    assert np.isfinite(sent).all()
    assert np.isfinite(mechanism.log_prob(sent, x, epsilon, *RANGE)).all()
    assert (mechanism.variance(x, epsilon, *RANGE) >= 0).all()
    assert 0 <= mechanism.delta(epsilon / 2, epsilon, *RANGE) <= 1


def test_an_upload_that_has_not_so_many_blocks_is_refused():
    with pytest.raises(InvalidInput, match="24 weights in 4 equal blocks"):
        MECHANISM.perturb(np.zeros((2, 5)), 1.0, *RANGE, np.random.default_rng(0))
    with pytest.raises(InvalidInput, match="how many weights"):
        LabelUnit().variance(0.0, 1.0, *RANGE)
