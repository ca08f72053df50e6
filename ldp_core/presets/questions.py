"""What a scenario asks before it is run, and how the record of its runs answers.

A question holds no answer. It names the runs that tell, and reads one answer from each seed of them: so it
is right for settings that have not been tried, and says where seeds disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations

import numpy as np

from ldp_core.presets.claims import Sentence
from ldp_core.presets.evidence import Evidence, Missing, Outcome

YES, NO = "yes", "no"
TIE = "a tie"
"""What a seed answers that prefers none; it cannot be guessed."""
BEFORE = " < "
"""Between designs that are ordered."""


@dataclass(frozen=True)
class Figure:
    """A question whose answer is a number from 0 to `most`."""

    text: str
    of: tuple[str, ...]
    """Labels of the runs that tell."""
    read: Callable[..., float]
    """The answer of one seed, from its outcome of each of those runs."""
    why: Sentence
    """Of the scenario's lesson, the sentence that explains the answer."""
    most: int = 100
    unit: str = "%"
    """What the number is of; "" where it is so many of `most`."""

    @property
    def near(self) -> float:
        """A guess that is no further off is right."""
        return max(0.05 * self.most, 0.5)

    def answers(self, evidence: Evidence) -> tuple[float, ...]:
        """One for each seed.

        Raises:
            Missing: the runs do not tell.
        """
        return tuple(float(self.read(*seed)) for seed in _seeds(evidence, self.of))

    def takes(self, guess: object) -> bool:
        """Whether a value is a valid guess."""
        return isinstance(guess, int | float) and not isinstance(guess, bool) and 0 <= guess <= self.most


@dataclass(frozen=True)
class Choice:
    """A question whose answer is one of a few; fields as those of Figure."""

    text: str
    of: tuple[str, ...]
    options: tuple[str, ...]
    read: Callable[..., str]
    """One of the options, or TIE."""
    why: Sentence

    def answers(self, evidence: Evidence) -> tuple[str, ...]:
        """One for each seed.

        Raises:
            Missing: the runs do not tell.
        """
        return tuple(self.read(*seed) for seed in _seeds(evidence, self.of))

    def takes(self, guess: object) -> bool:
        """Whether a value is a valid guess."""
        return guess in self.options


Question = Figure | Choice


def accuracy(one: Outcome) -> float:
    """Accuracy in percent."""
    return 100 * one.accuracy


def named_right(classes: Sequence[int]) -> Callable[[Outcome], float]:
    """The share of these classes that the model names right, in percent."""
    return lambda one: 100 * float(np.mean([one.per_class[c] for c in classes]))


def images_back(one: Outcome) -> float:
    """Images of a real upload that came back in its best round, averaged over clients."""
    tries = [tries.recovered for (kind, _), tries in one.attempts.items() if kind == "real"]
    if not tries:
        raise Missing(f"no real upload of {one.label} was attacked")
    return float(np.mean(tries))


def above(share: float) -> Callable[..., float]:
    """Number of runs that end above an accuracy."""
    return lambda *runs: float(sum(one.accuracy > share for one in runs))


def yes_or_no(text: str, of: tuple[str, ...], holds: Callable[..., bool], why: Sentence) -> Choice:
    return Choice(text, of, (YES, NO), lambda *seed: YES if holds(*seed) else NO, why)


def most_accurate(text: str, of: tuple[str, ...], why: Sentence, least: bool = False) -> Choice:
    """Question: which run ends at the highest accuracy (or the lowest)."""
    sign = -1 if least else 1
    return Choice(text, of, of, lambda *seed: _highest(seed, lambda one: sign * one.accuracy), why)


def closest(text: str, of: tuple[str, ...], why: Sentence) -> Choice:
    """Under which of the runs the usual attempt on an upload of one image comes closest, in dB."""
    return Choice(text, of, of, lambda *seed: _highest(seed, _usual), why)


def ordered(text: str, of: tuple[str, ...], why: Sentence) -> Choice:
    """Question: in which order the runs end, from the least accurate."""

    def read(*seed: Outcome) -> str:
        ranked = sorted(seed, key=lambda one: one.accuracy)
        if any(one.accuracy == other.accuracy for one, other in pairwise(ranked)):
            return TIE
        return BEFORE.join(one.label for one in ranked)

    return Choice(text, of, tuple(BEFORE.join(each) for each in permutations(of)), read, why)


def first_that(
    text: str, of: dict[str, str], holds: Callable[[Outcome], bool], otherwise: str, why: Sentence
) -> Choice:
    """The first of the runs (label → what it is called as an answer) of which something holds."""

    def read(*seed: Outcome) -> str:
        return next((of[one.label] for one in seed if holds(one)), otherwise)

    return Choice(text, tuple(of), (*of.values(), otherwise), read, why)


def gives_back(one: Outcome) -> bool:
    """Whether an image came back from an upload of that image alone.

    Raises:
        Missing: none was attacked, or the attack fails without noise as well.
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


def _seeds(evidence: Evidence, of: Sequence[str]) -> list[tuple[Outcome, ...]]:
    """Seed by seed, its outcome of each of these runs."""
    return list(zip(*evidence.of(*of), strict=True))
