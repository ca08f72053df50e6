"""Questions of scenarios: they store no answer, and compute one for each seed from the results of runs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations

import numpy as np

from ldp_core.presets.claims import Sentence
from ldp_core.presets.evidence import Evidence, Missing, Outcome

YES, NO = "yes", "no"
TIE = "a tie"
"""Answer of a seed without a unique best run; no guess can be a tie."""
BEFORE = " < "
"""Separator between ordered runs."""


@dataclass(frozen=True)
class Figure:
    """A question with a number from 0 to `most` as its answer."""

    text: str
    of: tuple[str, ...]
    """Labels of the runs that the answer is computed from."""
    read: Callable[..., float]
    """Answer of one seed from the results of those runs."""
    why: Sentence
    """Of the scenario's lesson."""
    most: int = 100
    unit: str = "%"
    """"" for a count out of `most`."""

    @property
    def near(self) -> float:
        """Largest error of a guess that counts as right."""
        return max(0.05 * self.most, 0.5)

    def answers(self, evidence: Evidence) -> tuple[float, ...]:
        """Answer for each seed; raises Missing where the runs do not decide."""
        return tuple(float(self.read(*seed)) for seed in zip(*evidence.of(*self.of), strict=True))

    def takes(self, guess: object) -> bool:
        """Whether a value is a valid guess."""
        return isinstance(guess, int | float) and not isinstance(guess, bool) and 0 <= guess <= self.most


@dataclass(frozen=True)
class Choice:
    """A question with one of a few options as its answer; fields as in `Figure`."""

    text: str
    of: tuple[str, ...]
    options: tuple[str, ...]
    read: Callable[..., str]
    """Option, or TIE, of one seed."""
    why: Sentence

    def answers(self, evidence: Evidence) -> tuple[str, ...]:
        """Answer for each seed; raises Missing where the runs do not decide."""
        return tuple(self.read(*seed) for seed in zip(*evidence.of(*self.of), strict=True))

    def takes(self, guess: object) -> bool:
        return guess in self.options


Question = Figure | Choice


def accuracy(one: Outcome) -> float:
    """Accuracy in percent."""
    return 100 * one.accuracy


def named_right(classes: Sequence[int]) -> Callable[[Outcome], float]:
    """Mean accuracy on these classes, in percent."""
    return lambda one: 100 * float(np.mean([one.per_class[c] for c in classes]))


def images_back(one: Outcome) -> float:
    """Number of images recovered from a real upload in its best round, averaged over clients."""
    tries = [tries.recovered for (kind, _), tries in one.attempts.items() if kind == "real"]
    if not tries:
        raise Missing(f"no real upload of {one.label} was attacked")
    return float(np.mean(tries))


def above(share: float) -> Callable[..., float]:
    """Number of runs with a final accuracy above `share`."""
    return lambda *runs: float(sum(one.accuracy > share for one in runs))


def yes_or_no(text: str, of: tuple[str, ...], holds: Callable[..., bool], why: Sentence) -> Choice:
    return Choice(text, of, (YES, NO), lambda *seed: YES if holds(*seed) else NO, why)


def most_accurate(text: str, of: tuple[str, ...], why: Sentence, least: bool = False) -> Choice:
    """Question: which run has the highest final accuracy (or the lowest)."""
    sign = -1 if least else 1
    return Choice(text, of, of, lambda *seed: _highest(seed, lambda one: sign * one.accuracy), why)


def closest(text: str, of: tuple[str, ...], why: Sentence) -> Choice:
    """Question: which run has the highest median PSNR of attempts on one-image uploads."""
    return Choice(text, of, of, lambda *seed: _highest(seed, _usual), why)


def ordered(text: str, of: tuple[str, ...], why: Sentence) -> Choice:
    """Question: the order of the runs by final accuracy, lowest first."""

    def read(*seed: Outcome) -> str:
        ranked = sorted(seed, key=lambda one: one.accuracy)
        if any(one.accuracy == other.accuracy for one, other in pairwise(ranked)):
            return TIE
        return BEFORE.join(one.label for one in ranked)

    return Choice(text, of, tuple(BEFORE.join(each) for each in permutations(of)), read, why)


def first_that(
    text: str, of: dict[str, str], holds: Callable[[Outcome], bool], otherwise: str, why: Sentence
) -> Choice:
    """Question: the first of the runs for which `holds`; `of` maps labels to options."""

    def read(*seed: Outcome) -> str:
        return next((of[one.label] for one in seed if holds(one)), otherwise)

    return Choice(text, tuple(of), (*of.values(), otherwise), read, why)


def gives_back(one: Outcome) -> bool:
    """Whether an image was recovered from a one-image upload; raises Missing where none was attacked, or the
    attack fails without noise as well.
    """
    kinds = {tries.verdict for (kind, _), tries in one.attempts.items() if kind == "audit"}
    if not kinds or ("recovered" not in kinds and "inconclusive" in kinds):
        raise Missing(f"the attack on {one.label} shows nothing")
    return "recovered" in kinds


def _usual(one: Outcome) -> float:
    tried = [tries.psnr for (kind, _), tries in one.attempts.items() if kind == "audit"]
    if not tried:
        raise Missing(f"{one.label} was not attacked")
    return float(np.median(np.concatenate(tried)))


def _highest(seed: Sequence[Outcome], value: Callable[[Outcome], float]) -> str:
    ranked = sorted(seed, key=value, reverse=True)
    return TIE if value(ranked[0]) == value(ranked[1]) else ranked[0].label
