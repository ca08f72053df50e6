"""What is said of a guess: right, close, a surprise, or that seeds disagree."""

import pytest

from ldp_core.presets import questions
from ldp_core.presets.questions import NO, YES, NumberQuestion, OptionQuestion
from pages.parts.train.guess_words import reply, scale

WHY = "Because."
SHARE = NumberQuestion("How accurate?", ("a",), questions.accuracy, WHY)
IMAGES = NumberQuestion("How many?", ("a",), questions.images_back, WHY, most=20, unit="")
EITHER = OptionQuestion("Will it?", ("a",), (YES, NO), lambda a: YES, WHY)


@pytest.mark.parametrize(
    ("guess", "answers", "kind", "words"),
    [
        (
            22,
            (19.0, 21.0),
            "right",
            "Well guessed: you guessed 22 %, and it came out at 20 % (19 to 21 % with",
        ),
        (30, (19.0, 21.0), "close", "Close: you guessed 30 %"),
        (60, (19.0, 21.0), "other", "A surprise: you guessed 60 %"),
        (60, (12.0, 27.0), "other", "(12 to 27 %; the 2 seeds disagree)."),
        (None, (20.0, 20.0), "", "It came out at 20 % (the same with 2 seeds)."),
    ],
)
def test_a_figure(guess: int | None, answers: tuple[float, ...], kind: str, words: str):
    found = reply(SHARE, guess, answers)
    assert found.kind == kind
    assert words.replace(" %", "\u202f%") in found.words


@pytest.mark.parametrize(
    ("guess", "answers", "kind", "words"),
    [
        (YES, (YES,) * 3, "right", "Well guessed: it came out “yes” with each of 3 seeds."),
        (YES, (NO,), "other", "A surprise: you guessed “yes”, and it came out “no”."),
        (
            YES,
            (NO, YES, NO),
            "split",
            "The 3 seeds disagree: “no” with 2 and “yes” with 1; your guess was right with 1.",
        ),
    ],
)
def test_a_choice(guess: str | None, answers: tuple[str, ...], kind: str, words: str):
    found = reply(EITHER, guess, answers)
    assert found.kind == kind
    assert words in found.words


def test_the_truth_stands_over_the_guess_on_one_line():
    drawn = scale(SHARE, 60, (10.0, 30.0))
    assert (drawn["guess"], drawn["truth"], drawn["low"], drawn["high"]) == (0.6, 0.2, 0.1, 0.3)
    assert scale(SHARE, 60)["truth"] is None
    assert scale(IMAGES, None, (12.0,)) == {
        "ends": ["0", "20"],
        "guess": None,
        "truth": 0.6,
        "low": 0.6,
        "high": 0.6,
        "label": "From 0 to 20: the truth 12 of 20",
    }
    assert scale(EITHER, YES, (NO,)) == {}
