"""A guess and its result, in words and as a small chart."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp_core.lessons import ENGLISH, said
from ldp_core.presets.questions import NumberQuestion, OptionQuestion, ScenarioQuestion, accuracy
from ldp_core.runs import GuessValue
from pages.parts.ui.text import THIN, number, percent, plain

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


def shown(question: ScenarioQuestion, value: float | str, language: str = ENGLISH) -> str:
    if isinstance(question, OptionQuestion) or isinstance(value, str):
        called = question.called(str(value)) if isinstance(question, OptionQuestion) else value
        return said("quoted", language, words=called)
    if question.unit == "%":
        return percent(value / 100)
    return said("of most", language, value=number(value, 2), most=question.most)


def level(question: ScenarioQuestion, guess: GuessValue | None) -> float | None:
    """A guess as an accuracy in [0, 1]; None without one, and for other questions."""
    fits = isinstance(question, NumberQuestion) and question.read is accuracy
    return float(guess) / 100 if fits and isinstance(guess, int | float) else None


def reply(
    question: ScenarioQuestion,
    guess: GuessValue | None,
    answers: Sequence[float | str],
    language: str = ENGLISH,
) -> Reply:
    """The answer, and how the guess, if any, compares; `answers`: of each seed, at least one."""
    if isinstance(question, NumberQuestion):
        return _figure(question, guess, np.array(answers, dtype=float), language)
    return _choice(question, guess, [str(one) for one in answers], language)


def _figure(question: NumberQuestion, guess: GuessValue | None, answers: np.ndarray, language: str) -> Reply:
    truth, low, high = float(answers.mean()), float(answers.min()), float(answers.max())
    least, most = shown(question, low, language), shown(question, high, language)
    bare = percent(low / 100).removesuffix(f"{THIN}%") if question.unit else number(low, 2)
    unlike = "came apart" if high - low > 2 * question.near else "came between"
    key = "came" if len(answers) == 1 else "came alike" if least == most else unlike
    given = {"truth": shown(question, truth, language), "low": bare, "high": most, "n": len(answers)}
    came = said(key, language, **given)
    if not isinstance(guess, int | float):
        return _unasked(came)
    off, near = abs(guess - truth), question.near
    kind = "right" if off <= near else "close" if off <= CLOSE * near else "other"
    return _compared(
        kind, said("you guessed", language, guess=shown(question, guess, language), came=came), language
    )


def _choice(
    question: OptionQuestion, guess: GuessValue | None, answers: Sequence[str], language: str
) -> Reply:
    counts, n = Counter(answers), len(answers)
    mine = "" if guess is None else shown(question, guess, language)
    named = {one: shown(question, one, language) for one in counts}
    if len(counts) > 1:
        each = [said("with seeds", language, answer=named[one], n=many) for one, many in counts.most_common()]
        came = said("seeds disagree", language, n=n, each=", ".join(each))
        if guess is None:
            return Reply("", f"{came}.")
        key = "right with" if guess in counts else "right with none"
        return Reply("split", said(key, language, came=came, n=counts[str(guess)], guess=mine))
    (answer,) = counts
    came = said("all came so" if n > 1 else "came so", language, answer=named[answer], n=n)
    if guess is None:
        return _unasked(came)
    if guess == answer:
        return _compared("right", f"{came}.", language)
    return _compared("other", said("you guessed", language, guess=mine, came=came), language)


def _unasked(came: str) -> Reply:
    return Reply("", f"{came[0].upper()}{came[1:]}.")


def _compared(kind: str, words: str, language: str) -> Reply:
    key = {"right": "well guessed", "close": "close guess", "other": "surprise"}[kind]
    return Reply(kind, said(key, language, said=words))


def scale(
    question: ScenarioQuestion, guess: GuessValue | None, answers: Sequence[float | str] = ()
) -> dict[str, Any]:
    """Data for assets/web/scale.js: the guess and the answer; empty for questions without numbers."""
    if not isinstance(question, NumberQuestion):
        return {}
    places = dict[str, float | None].fromkeys(("guess", "truth", "low", "high"))
    words = []
    if answers:
        values = np.array(answers, dtype=float)
        ends = {"truth": values.mean(), "low": values.min(), "high": values.max()}
        places |= {name: float(value) / question.most for name, value in ends.items()}
        words.append(f"the truth {shown(question, float(values.mean()))}")
    if isinstance(guess, int | float):
        places["guess"] = guess / question.most
        words.append(f"your guess {shown(question, guess)}")
    most = percent(question.most / 100) if question.unit else str(question.most)
    return {**places, "ends": ["0", most], "label": f"From 0 to {most}: {', '.join(words)}"}
