"""Who cannot see a chart hears its course, not its end alone."""

from pages.parts.charts.course import course
from pages.parts.charts.series import Series
from pages.parts.ui.text import number, percent
from tests.pages.charts.test_base import run


def test_the_course_is_stated_from_the_start_to_the_end():
    one = Series(0, "mean", (run(0, "mean", 0, {"rounds": 9, "attack": None}),))
    accuracy, noise = (one.curve(name)[0] for name in ("accuracy", "noise_variance"))
    words = course("Accuracy by round", [one], Series.mean, percent)
    assert words.startswith(f"Accuracy by round. mean: {percent(accuracy[0])} at the start, ")
    assert f"{percent(accuracy[3])} after round 3, {percent(accuracy[6])} after round 6, " in words
    assert f"{percent(accuracy[9])} after round 9 (lowest {percent(accuracy.min())}, " in words
    result = course("Noise", [one], Series.noise, number)
    assert f"mean: {number(noise[1])} after round 1, " in result, "before the first upload there is none"
    assert course("Noise", [], Series.noise, number) == "Noise. No values yet."
