"""Questions of scenarios: they store no answer, and compute one for each seed from the results of runs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

YES, NO = "yes", "no"
TIE = "a tie"
"""Answer of a seed without a unique best run; no guess can be a tie."""


@dataclass(frozen=True)
class CompletedRun:
    """Figures of one completed run that questions are answered from."""

    label: str
    seed: int
    accuracy: float
    """Final, on held-out samples."""
    per_class: Sequence[float] = ()
    permissive: float = 0.0
    """Total aggregation weight of the permissive clients in the last round."""
    noise: float = 0.0
    """Measured noise variance per weight, averaged over rounds."""
    verdict: str = ""
    """Best of the verdicts on one-image uploads, as in attacks.findings.verdict; "" without an attack."""
    psnr: float | None = None
    """Median of all attempts on one-image uploads, in dB."""
    alike: float | None = None
    """Correlation of the closest reconstruction from a one-image upload with its image."""
    picked: tuple[float, int, float] = (0.0, 0, 0.0)
    """Identifications from one-image uploads, attempts, and success rate of guessing."""
    added_up: float | None = None
    """Sum of the ε of all that the first client sends."""
    back: float | None = None
    """Images recovered from a real upload in its best round, averaged over clients."""


@dataclass(frozen=True)
class NumberQuestion:
    """A question with a number from 0 to `most` as its answer."""

    text: str
    of: tuple[str, ...]
    """Labels of the runs that the answer is computed from."""
    read: Callable[..., float | None]
    """Answer of one seed from the results of those runs; None if they do not decide."""
    why: str
    """Of the scenario's sentences."""
    most: int = 100
    unit: str = "%"
    """"" for a count out of `most`."""

    @property
    def near(self) -> float:
        """Largest error of a guess that counts as right."""
        return max(0.05 * self.most, 0.5)

    def answers(self, results: Iterable[CompletedRun]) -> tuple[float, ...]:
        """Answer for each seed; empty where the runs do not decide."""
        return tuple(map(float, _answers(self, results)))

    def takes(self, guess: object) -> bool:
        """Whether a value is a valid guess."""
        return isinstance(guess, int | float) and not isinstance(guess, bool) and 0 <= guess <= self.most


@dataclass(frozen=True)
class OptionQuestion:
    """A question with one of a few options as its answer; fields as in `NumberQuestion`."""

    text: str
    of: tuple[str, ...]
    options: tuple[str, ...]
    read: Callable[..., str | None]
    """Option, or TIE, of one seed; None if its runs do not decide."""
    why: str
    named: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Options in other words, by option."""

    def answers(self, results: Iterable[CompletedRun]) -> tuple[str, ...]:
        """Answer for each seed; empty where the runs do not decide."""
        return tuple(map(str, _answers(self, results)))

    def takes(self, guess: object) -> bool:
        return guess in self.options

    def called(self, option: str) -> str:
        return self.named.get(option, option)


ScenarioQuestion = NumberQuestion | OptionQuestion


def _answers(question: ScenarioQuestion, results: Iterable[CompletedRun]) -> list[float | str]:
    found = {(one.label, one.seed): one for one in results if one.label in question.of}
    seeds = sorted({seed for _, seed in found})
    if len(found) < len(seeds) * len(question.of):
        return []
    answers = [question.read(*(found[label, seed] for label in question.of)) for seed in seeds]
    known = [one for one in answers if one is not None]
    return known if len(known) == len(answers) else []


def accuracy(one: CompletedRun) -> float:
    """Accuracy in percent."""
    return 100 * one.accuracy


def named_right(classes: Sequence[int]) -> Callable[[CompletedRun], float]:
    """Mean accuracy on these classes, in percent."""
    return lambda one: 100 * fmean(one.per_class[c] for c in classes)


def images_back(one: CompletedRun) -> float | None:
    return one.back


def yes_or_no(text: str, of: tuple[str, ...], holds: Callable[..., bool | None], why: str) -> OptionQuestion:
    def read(*seed: CompletedRun) -> str | None:
        return None if (found := holds(*seed)) is None else YES if found else NO

    return OptionQuestion(text, of, (YES, NO), read, why)


def most_accurate(text: str, of: tuple[str, ...], why: str, least: bool = False) -> OptionQuestion:
    """Question: which run has the highest final accuracy (or the lowest)."""
    sign = -1 if least else 1
    return OptionQuestion(text, of, of, lambda *seed: _highest(seed, lambda one: sign * one.accuracy), why)


def closest(text: str, of: tuple[str, ...], why: str) -> OptionQuestion:
    """Question: which run has the highest median PSNR of attempts on one-image uploads."""
    return OptionQuestion(text, of, of, lambda *seed: _highest(seed, lambda one: one.psnr), why)


def first_that(
    text: str, of: dict[str, str], holds: Callable[[CompletedRun], bool | None], otherwise: str, why: str
) -> OptionQuestion:
    """Question: the first of the runs for which `holds`; `of` maps labels to options."""

    def read(*seed: CompletedRun) -> str | None:
        known = [(of[one.label], holds(one)) for one in seed]
        if any(found is None for _, found in known):
            return None
        return next((option for option, found in known if found), otherwise)

    return OptionQuestion(text, tuple(of), (*of.values(), otherwise), read, why)


def gives_back(one: CompletedRun) -> bool | None:
    """Whether an image was recovered from a one-image upload; None where none was attacked, or the attack
    fails without noise as well.
    """
    return None if one.verdict in ("", "inconclusive") else one.verdict == "recovered"


def _highest(seed: Sequence[CompletedRun], value: Callable[[CompletedRun], float | None]) -> str | None:
    known = [(found, one.label) for one in seed if (found := value(one)) is not None]
    if len(known) < len(seed):
        return None
    (first, label), (second, _) = sorted(known, key=lambda pair: pair[0], reverse=True)[:2]
    return TIE if first == second else label
