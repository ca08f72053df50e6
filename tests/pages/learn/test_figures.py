"""The lessons' own pictures show what is computed or stored."""

import pytest

from ldp_core.runs.stored_ladder import stored_ladder
from pages.parts.learn.figures import MOST_DOTS, dots_figure, leak_figure


@pytest.mark.parametrize(("uses", "shown"), [(1, 1), (650, 650), (9750, 9750), (750_000, MOST_DOTS)])
def test_a_dot_a_number_until_the_sheet_is_full(uses: int, shown: int):
    found = dots_figure(uses)
    assert len(found["data"][0]["x"]) == shown
    note = found["layout"]["annotations"][0]["text"]
    assert bool(note) == (uses > shown)


def test_of_equal_variance_or_less_the_picture_comes_closer():
    stored = stored_ladder()
    assert stored is not None
    found, words = leak_figure(stored)
    for line in found["data"]:
        assert line["x"][0] > line["x"][-1], "more budget, less variance"
    best = {max(line["y"]): min(line["x"]) for line in found["data"]}
    assert best[max(best)] == min(best.values()), "the most exact mechanism leaks most: the lesson's sentence"
    assert words.count("dB at a variance of") == len(found["data"])
