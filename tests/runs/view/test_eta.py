"""What is left of a job takes as long as its pace says."""

from __future__ import annotations

import pytest

from ldp_core.runs.view.eta import Pace


def test_there_is_no_estimate_before_there_is_a_pace():
    pace = Pace()
    assert pace.seconds_left(10) is None
    pace.note(100.0, 1)
    assert pace.seconds_left(10) is None


def test_slow_steps_have_a_pace_too():
    pace = Pace()
    pace.note(100.0, 1)
    pace.note(160.0, 2)
    assert pace.seconds_left(10) == pytest.approx(8 * 60.0)


def test_a_pause_says_nothing_of_the_pace():
    pace = Pace()
    for at, done in [(0.0, 1), (1.0, 2), (5000.0, 3), (5002.0, 4), (5004.0, 5)]:
        pace.note(at, done)
    assert pace.seconds_left(10, since=4999.0) == pytest.approx(5 * 2.0)


def test_a_step_in_progress_counts():
    pace = Pace()
    pace.note(100.0, 0)
    assert pace.seconds_left(2, now=(100.1, 0.01)) is None
    assert pace.seconds_left(2, now=(110.0, 0.5)) == pytest.approx(30.0)
    pace.note(120.0, 1)
    assert pace.seconds_left(2, now=(110.0, 0.5)) == pytest.approx(20.0), (
        "what was told before the step ended"
    )


def test_a_clock_that_was_set_back_tells_no_pace():
    pace = Pace()
    for at, done in ((100.0, 1), (40.0, 2)):
        pace.note(at, done)
    assert pace.seconds_left(9) is None
