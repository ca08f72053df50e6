"""Safe ranges and learning rate for data of one's own: the range is widened, with several rates each, until
training without noise gets no better.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ldp_core.experiment import Experiment, changed, plan
from ldp_core.limits import number, percent
from ldp_core.tuning.question import RANGES, Question, plain

FACTORS = (1.0, 4.0, 16.0)
"""Learning rates that are tried, relative to the base's."""
LEAST, MOST, FLAT = 4, 9, 0.01
"""Least and largest number of ranges that are tried, each twice the last; the gain of two that is none."""
KEPT = 4
"""Number of ranges that are kept, up to the first that costs nothing."""


class NoiselessRun(NamedTuple):
    """Final accuracy of a run without noise; 0 if it diverged."""

    half: float
    rate: float
    accuracy: float


def fits_of(events: Iterable[Mapping[str, Any]]) -> list[NoiselessRun]:
    return [
        NoiselessRun(one["half"], one["rate"], one["accuracy"]) for one in events if one["event"] == "fit"
    ]


def next_fits(question: Question, known: Iterable[NoiselessRun]) -> list[tuple[float, float, Experiment]]:
    """Ranges and rates to train without noise next; empty once the curve over ranges is flat."""
    found = {(one.half, one.rate): one.accuracy for one in known}
    best = list[float]()
    for half in _halves(question):
        missing = [(half, rate) for rate in _rates(question) if (half, rate) not in found]
        if missing:
            return [(half, rate, plain(_at(question, half, rate))) for half, rate in missing]
        best.append(max(found[half, rate] for rate in _rates(question)))
        if len(best) >= LEAST and max(best[-2:]) < max(best[:-2]) + FLAT:
            break
    return []


def fitted(question: Question, known: Iterable[NoiselessRun]) -> Question:
    """The question with the found learning rate, and the ranges up to the first that costs nothing; the
    question itself while nothing is known.
    """
    every = [*known]
    if not question.fits or not every:
        return question
    top = max(one.accuracy for one in every)
    first = min(one.half for one in every if one.accuracy > top - FLAT)
    best = max((one for one in every if one.half == first), key=lambda one: one.accuracy)
    halves = sorted({one.half for one in every if one.half <= first})[-KEPT:]
    base = changed(question.base, _rate(question, best.rate))
    return replace(question, base=base, ranges=tuple(halves))


def fit_in_words(question: Question, known: Iterable[NoiselessRun]) -> str:
    """Where training without noise gets no better; "" if that was not asked."""
    if not (every := [*known]):
        return ""
    own, top = fitted(question, every), max(one.accuracy for one in every)
    widest = own.called(own.ranges[-1], " from ")
    rate = "" if own.base.local.optimizer.has_own_rate else f" at the learning rate {number(_usual(own))}"
    return f"without noise it gets no better than {percent(top, 1)}{widest}{rate}"


def _halves(question: Question) -> list[float]:
    if plan(question.base).randomiser.region != "box":
        return [question.ranges[0]]
    least = RANGES[question.base.target][0]
    return [least * 2**step for step in range(MOST)]


def _usual(question: Question) -> float:
    return float(question.base.local.learning_rate)


def _rates(question: Question) -> list[float]:
    if question.base.local.optimizer.has_own_rate:
        return [_usual(question)]
    return [_usual(question) * factor for factor in FACTORS]


def _rate(question: Question, rate: float) -> dict[str, Any]:
    return {} if rate == _usual(question) else {"local.learning_rate": rate}


def _at(question: Question, half: float, rate: float) -> Experiment:
    return changed(question.experiment(half, 1.0), _rate(question, rate))
