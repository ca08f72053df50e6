"""A guess and its result, in words and as a small chart."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp_core.presets.questions import NumberQuestion, OptionQuestion, ScenarioQuestion, accuracy
from ldp_core.runs import GuessValue
from pages.parts.ui.text import THIN, listed, number, percent, plain

CLOSE = 3.0
"""Factor on `near` within which a guess counts as close."""


@dataclass(frozen=True)
class Reply:
    kind: str
    """"right", "close", "other", "split" if seeds disagree, or "" without a guess."""
    words: str


def literal(words: str) -> str:
    """Literal text in markdown, with no break before a percent sign."""
    return plain(words, 400).replace(" %", f"{THIN}%")


def shown(question: ScenarioQuestion, value: float | str) -> str:
    if isinstance(question, OptionQuestion) or isinstance(value, str):
        return f"“{value}”"
    if question.unit == "%":
        return percent(value / 100)
    return f"{number(value, 2)} of {question.most}"


def level(question: ScenarioQuestion, guess: GuessValue | None) -> float | None:
    """A guess as an accuracy in [0, 1]; None without one, and for other questions."""
    fits = isinstance(question, NumberQuestion) and question.read is accuracy
    return float(guess) / 100 if fits and isinstance(guess, int | float) else None


def reply(question: ScenarioQuestion, guess: GuessValue | None, answers: Sequence[float | str]) -> Reply:
    """The answer, and how the guess, if any, compares; `answers`: of each seed, at least one."""
    if isinstance(question, NumberQuestion):
        return _figure(question, guess, np.array(answers, dtype=float))
    return _choice(question, guess, [str(one) for one in answers])


def _figure(question: NumberQuestion, guess: GuessValue | None, answers: np.ndarray) -> Reply:
    truth, low, high = float(answers.mean()), float(answers.min()), float(answers.max())
    came = f"it came out at {shown(question, truth)}"
    if len(answers) > 1:
        least, most = shown(question, low), shown(question, high)
        bare = least.partition(" of ")[0].removesuffix(f"{THIN}%")  # without unit and total
        unlike = high - low > 2 * question.near
        seeds = f"; the {len(answers)} seeds disagree" if unlike else f" with {len(answers)} seeds"
        came += f" ({'the same' if least == most else f'{bare} to {most}'}{seeds})"
    if not isinstance(guess, int | float):
        return _unasked(came)
    mine, off = f"you guessed {shown(question, guess)}, and {came}.", abs(guess - truth)
    if off <= question.near:
        return Reply("right", f"Well guessed: {mine}")
    return Reply("close", f"Close: {mine}") if off <= CLOSE * question.near else _surprise(mine)


def _choice(question: OptionQuestion, guess: GuessValue | None, answers: Sequence[str]) -> Reply:
    counts, n = Counter(answers), len(answers)
    mine = "" if guess is None else shown(question, guess)
    if len(counts) > 1:
        each = listed(f"{shown(question, one)} with {many}" for one, many in counts.most_common())
        came = f"The {n} seeds disagree: {each}"
        if guess is None:
            return Reply("", f"{came}.")
        if guess in counts:
            return Reply("split", f"{came}; your guess was right with {counts[str(guess)]}.")
        return Reply("split", f"{came}; nowhere {mine}, as you guessed.")
    (answer,) = counts
    came = f"it came out {shown(question, answer)}" + (f" with each of {n} seeds" if n > 1 else "")
    if guess is None:
        return _unasked(came)
    if guess == answer:
        return Reply("right", f"Well guessed: {came}.")
    return _surprise(f"you guessed {mine}, and {came}.")


def _unasked(came: str) -> Reply:
    return Reply("", f"{came[0].upper()}{came[1:]}.")


def _surprise(words: str) -> Reply:
    return Reply("other", f"A surprise: {words}")


def scale(
    question: ScenarioQuestion, guess: GuessValue | None, answers: Sequence[float | str] = ()
) -> dict[str, Any]:
    """Data for assets/web/scale.js: the guess and the answer; empty for questions without numbers."""
    if not isinstance(question, NumberQuestion):
        return {}
    places = dict[str, float | None].fromkeys(("guess", "truth", "low", "high"))
    said = []
    if answers:
        values = np.array(answers, dtype=float)
        ends = {"truth": values.mean(), "low": values.min(), "high": values.max()}
        places |= {name: float(value) / question.most for name, value in ends.items()}
        said.append(f"the truth {shown(question, float(values.mean()))}")
    if isinstance(guess, int | float):
        places["guess"] = guess / question.most
        said.append(f"your guess {shown(question, guess)}")
    most = percent(question.most / 100) if question.unit else str(question.most)
    return {**places, "ends": ["0", most], "label": f"From 0 to {most}: {', '.join(said)}"}
