"""A guess and its result, in words and as a small chart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp_core.presets.questions import Choice, Figure, Question
from ldp_core.runs import Guess
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


def shown(question: Question, value: float | str) -> str:
    """A guess or an answer as text."""
    if isinstance(question, Choice) or isinstance(value, str):
        return f"“{value}”"
    if question.unit == "%":
        return percent(value / 100)
    return f"{number(value, 2)} of {question.most}"


def reply(question: Question, guess: Guess | None, answers: Sequence[float | str]) -> Reply:
    """The answer, and how the guess compares.

    Args:
        guess: a number or an option; None without a guess.
        answers: answer of each seed, at least one.
    """
    if isinstance(question, Figure):
        return _figure(question, guess, np.array(answers, dtype=float))
    return _choice(question, guess, [str(one) for one in answers])


def _figure(question: Figure, guess: Guess | None, answers: np.ndarray) -> Reply:
    truth, low, high = float(answers.mean()), float(answers.min()), float(answers.max())
    came = f"it came out at {shown(question, truth)}"
    if len(answers) > 1:
        same = shown(question, low) == shown(question, high)
        span = "the same" if same else f"{_bare(question, low)} to {shown(question, high)}"
        unlike = high - low > 2 * question.near
        seeds = f"; the {len(answers)} seeds disagree" if unlike else f" with {len(answers)} seeds"
        came += f" ({span}{seeds})"
    if not isinstance(guess, int | float):
        return Reply("", f"{came[0].upper()}{came[1:]}.")
    off = abs(guess - truth)
    mine = f"you guessed {shown(question, guess)}, and {came}."
    if off <= question.near:
        return Reply("right", f"Well guessed: {mine}")
    return Reply("close", f"Close: {mine}") if off <= CLOSE * question.near else Reply("other", _kindly(mine))


def _bare(question: Figure, value: float) -> str:
    """The value without unit and total."""
    return shown(question, value).partition(" of ")[0].removesuffix(f"{THIN}%")


def _choice(question: Choice, guess: Guess | None, answers: Sequence[str]) -> Reply:
    counts, n = Counter(answers), len(answers)
    if len(counts) > 1:
        each = listed(f"{shown(question, one)} with {many}" for one, many in counts.most_common())
        if guess is None:
            return Reply("", f"The {n} seeds disagree: {each}.")
        mine = shown(question, guess)
        stands = f"nowhere {mine}, as you guessed"
        if guess in counts:
            stands = f"your guess was right with {counts[str(guess)]}"
        return Reply("split", f"The {n} seeds disagree: {each}; {stands}.")
    (answer,) = counts
    came = f"it came out {shown(question, answer)}" + (f" with each of {n} seeds" if n > 1 else "")
    if guess is None:
        return Reply("", f"{came[0].upper()}{came[1:]}.")
    if guess == answer:
        return Reply("right", f"Well guessed: {came}.")
    return Reply("other", _kindly(f"you guessed {shown(question, guess)}, and {came}."))


def _kindly(words: str) -> str:
    return f"A surprise: {words}"


def scale(question: Question, guess: Guess | None, answers: Sequence[float | str] = ()) -> dict[str, Any]:
    """Data for assets/web/scale.js: the guess and the answer; empty for questions without numbers."""
    if not isinstance(question, Figure):
        return {}
    values = np.array(answers, dtype=float)
    places = dict.fromkeys(("guess", "truth", "low", "high"))
    said = []
    if len(values):
        found = (float(values.mean()), float(values.min()), float(values.max()))
        places |= {
            name: one / question.most for name, one in zip(("truth", "low", "high"), found, strict=True)
        }
        said.append(f"the truth {shown(question, found[0])}")
    if isinstance(guess, int | float):
        places |= {"guess": guess / question.most}
        said.append(f"your guess {shown(question, guess)}")
    most = percent(question.most / 100) if question.unit else str(question.most)
    return {**places, "ends": ["0", most], "label": f"From 0 to {most}: {', '.join(said)}"}
