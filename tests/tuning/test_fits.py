"""Ranges and learning rate found without noise: widened until the curve is flat, and no further."""

from collections.abc import Callable

import pytest

from ldp_core.experiment import plan
from ldp_core.tuning import parse_question
from ldp_core.tuning.fits import FACTORS, NoiselessRun, fit_in_words, fitted, next_fits


def tried(height: Callable[[float, float], float], **base: object) -> tuple[list[NoiselessRun], list[float]]:
    question = parse_question({"accuracy": 0.6, "fits": True, "base": base})
    known, halves = list[NoiselessRun](), list[float]()
    while wanted := next_fits(question, known):
        assert len(wanted) == len(FACTORS) and all(
            plan(one).randomiser.role == "identity" for *_, one in wanted
        )
        halves.append(wanted[0][0])
        known += [NoiselessRun(half, rate, height(half, rate)) for half, rate, _ in wanted]
    return known, halves


def test_range_is_widened_until_training_without_noise_is_flat():
    rate = 0.5 * FACTORS[1]
    known, halves = tried(
        lambda half, at: min(0.71, 0.37 + 0.085 * max(0.0, half - 0.5)) - 0.05 * (at != rate)
    )
    assert halves == [0.25, 0.5, 1, 2, 4, 8, 16, 32][: len(halves)] and halves[-1] >= 16
    question = parse_question({"accuracy": 0.6, "fits": True})
    found = fitted(question, known)
    assert found.ranges == (1, 2, 4, 8)[-len(found.ranges) :] and found.ranges[-1] == 8
    assert found.base.local.learning_rate == rate
    assert "71" in fit_in_words(question, known) and "±8" in fit_in_words(question, known)


def test_flat_curve_needs_few_runs_and_the_narrowest_range():
    known, halves = tried(lambda half, rate: 0.8)
    assert len(halves) == 4
    assert fitted(parse_question({"accuracy": 0.6, "fits": True}), known).ranges == (0.25,)


def test_question_without_fits_stays():
    question = parse_question({"accuracy": 0.6})
    assert fitted(question, [NoiselessRun(1.0, 0.5, 0.9)]) == question
    with pytest.raises(Exception, match="fits"):
        parse_question({"accuracy": 0.6, "fits": 1})
