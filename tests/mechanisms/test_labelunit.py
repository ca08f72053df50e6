"""LabelUnit against its reference, and what each single answer of a label and a vector may say."""

import numpy as np
import pytest

from ldp_core.mechanisms.labelunit import LabelledLaw, LabelUnit
from ldp_core.mechanisms.shared.caps import caps_at
from tests.mechanisms.shared.test_caps import PEOPLE, RANGE, C, D, F

MECHANISM = LabelUnit(dimension=D, labels=C)


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


def test_answer_that_rounds_to_zero_has_a_probability():
    """With one number a label and ε 1, 10 labels are named; one of them came out as 0."""
    mechanism, inputs = LabelUnit(dimension=20, labels=20), np.eye(20)[:4]
    answer = mechanism.perturb(inputs[0], 1.0, -1, 1, np.random.default_rng(3)).astype(np.float64)
    whole = mechanism.log_prob(answer, inputs, 1.0, -1, 1)
    answer[np.flatnonzero(answer)[0]] = 0.0
    rounded = mechanism.log_prob(answer, inputs, 1.0, -1, 1)
    assert np.isfinite(whole).all() and np.isfinite(rounded).all()
    assert np.ptp(rounded) <= mechanism.privacy_loss(1.0, -1, 1) + 1e-9
