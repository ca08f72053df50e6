"""What is said of a guess: right, close, a surprise, or that seeds disagree."""

import pytest

from ldp_core.presets import questions
from ldp_core.presets.questions import NO, YES, NumberQuestion, OptionQuestion
from pages.parts.train.guess_words import reply, scale

SHARE = NumberQuestion("How accurate?", ("a",), questions.accuracy, "Because.")
IMAGES = NumberQuestion("How many?", ("a",), questions.images_back, "Because.", most=20, unit="")
EITHER = OptionQuestion("Will it?", ("a",), (YES, NO), lambda a: YES, "Because.")


@pytest.mark.parametrize(
    ("asked", "guess", "answers", "kind"),
    [
        (SHARE, 22, (19.0, 21.0), "right"),
        (SHARE, 30, (19.0, 21.0), "close"),
        (SHARE, 60, (12.0, 27.0), "other"),
        (SHARE, None, (20.0, 20.0), ""),
        (EITHER, YES, (YES,) * 3, "right"),
        (EITHER, YES, (NO,), "other"),
        (EITHER, YES, (NO, YES, NO), "split"),
    ],
)
def test_reply_is_of_its_kind(
    asked: NumberQuestion | OptionQuestion, guess: object, answers: tuple[str | float, ...], kind: str
):
    found = reply(asked, guess, answers)  # type: ignore[arg-type]
    assert found.kind == kind and ("disagree" in found.words) == (len({*answers}) > 1 and answers[0] != 19)


def test_the_truth_stands_over_the_guess_on_one_line():
    drawn = scale(SHARE, 60, (10.0, 30.0))
    assert (drawn["guess"], drawn["truth"], drawn["low"], drawn["high"]) == (0.6, 0.2, 0.1, 0.3)
    assert scale(SHARE, 60)["truth"] is None
    shown = scale(IMAGES, None, (12.0,))
    assert (shown["ends"], shown["guess"], shown["truth"]) == (["0", "20"], None, 0.6)
    assert scale(EITHER, YES, (NO,)) == {}
