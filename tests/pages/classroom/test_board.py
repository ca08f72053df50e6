"""What a class sees: guesses over the truth, tries by their price, and a sentence on how the room did."""

import pytest

from ldp_core import presets
from ldp_core.presets.questions import Choice
from ldp_core.runs.view.final_figures import Final
from pages.parts.classroom.board import guesses_in_words
from pages.parts.classroom.figures import Dot, guesses_figure, tries_figure

NUMBER = presets.get("two_volunteers").ask
CHOICE = presets.get("half_and_half").ask


def test_each_guess_is_a_dot_and_equal_ones_stand_on_each_other():
    found = guesses_figure(NUMBER, [60, 60, 20], (12.0, 27.0, 18.0))
    (dots,) = found["data"]
    assert list(zip(dots["x"].tolist(), dots["y"].tolist(), strict=True)) == [(20, 1), (60, 1), (60, 2)]
    band, truth = found["layout"]["shapes"]
    assert (band["x0"], truth["x0"], band["x1"]) == (12, 19, 27)
    texts = [one["text"] for one in found["layout"]["annotations"]]
    assert texts == ["<b>it came out at 19 %</b>", "its 3 seeds: 12 to 27 %"]
    assert not guesses_figure(NUMBER, [60])["layout"]["shapes"], "no truth before it is known"


def test_choices_are_counted_and_the_right_one_is_marked():
    assert isinstance(CHOICE, Choice)
    yes, no = CHOICE.options
    (bars,) = guesses_figure(CHOICE, [yes, yes, no], (no,))["data"]
    assert dict(zip(bars["y"], bars["text"], strict=True)) == {yes: "2", no: "1  it came out so"}


@pytest.mark.parametrize(
    ("guesses", "answers", "words"),
    [
        ([], (19.0,), "nobody guessed."),
        ([60, 20], (), "2 guesses."),
        ([60, 20, 23], (12.0, 27.0, 18.0), "2 of 3 within 5 points."),
    ],
)
def test_how_the_room_did(guesses: list[float], answers: tuple[float, ...], words: str):
    assert guesses_in_words(NUMBER, guesses, answers) == words


def test_a_try_is_a_dot_by_its_price_and_without_a_guarantee_at_the_edge():
    def dot(name: str, value: str, accuracy: float, epsilon: float | None) -> Dot:
        return Dot(name, value, "0" * 12, Final("", 1, accuracy, epsilon, 0.0, 0.0, 0, 0.0))

    found = tries_figure(
        [dot("Anna", "ε 1", 0.4, 50.0), dot("Ben", "ε 1", 0.5, 50.0), dot("no. 3", "none", 0.9, None)]
    )
    first, second = found["data"]
    assert (len(first["x"]), len(second["x"])) == (2, 1)
    assert second["x"][0] > first["x"].max()
    texts = [one["text"] for one in found["layout"]["annotations"]]
    assert texts == ["<b>ε 1</b> · 2 runs", "<b>none</b> · no. 3"]
