"""What is left of a job takes as long as its pace says."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ldp_core.runs.view.eta import Moment, Pace


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
    assert pace.seconds_left(2, now=Moment(100.1, 0.01)) is None
    assert pace.seconds_left(2, now=Moment(110.0, 0.5)) == pytest.approx(30.0)
    pace.note(120.0, 1)
    assert pace.seconds_left(2, now=Moment(115.0, 0.5)) == pytest.approx(20.0), (
        "what was told before the step ended"
    )


def test_what_has_passed_since_the_last_step_is_not_left_any_more():
    pace = Pace()
    for at, done in ((0.0, 0), (10.0, 1), (20.0, 2)):
        pace.note(at, done)
    assert pace.seconds_left(4, now=Moment(24.0, 2)) == pytest.approx(16.0)
    assert pace.seconds_left(6, now=Moment(90.0, 2)) == pytest.approx(20.0), "it stands still"


def test_steps_that_come_many_at_once_are_counted_from_the_beginning():
    """Sixteen every 8 seconds: half a second a step, and not what lies between the first and the last."""
    pace = Pace()
    for n in range(32):
        pace.note(8.0 * (1 + n // 16), n + 1)
    assert pace.seconds_left(64, now=Moment(16.0, 32), from_nothing=True) == pytest.approx(16.0)
    assert pace.seconds_left(64, since=12.0, now=Moment(16.0, 32), from_nothing=True) == pytest.approx(8.0), (
        "taken up at 12: what was done before is no step of now"
    )


def test_a_clock_that_was_set_back_tells_no_pace():
    pace = Pace()
    for at, done in ((100.0, 1), (40.0, 2)):
        pace.note(at, done)
    assert pace.seconds_left(9) is None


RECORDED = json.loads((Path(__file__).parent / "recorded_times.json").read_text())
"""When how much was done of real jobs (tests/benchmarks/time_left.py), by the clock of their own process."""


@pytest.mark.parametrize("name", RECORDED)
def test_what_is_told_of_real_jobs_is_right_within_half_as_much(name: str):
    """From when a tenth of it was done, or 2 seconds, until 2 seconds before its end."""
    job, pace, told = RECORDED[name], Pace(), [*RECORDED[name]["steps"]]
    took, factors = job["took"], []
    for at in np.arange(0.25, took - 2.0, 0.25):
        while told and told[0][0] <= at:
            pace.note(*told.pop(0))
        if at < max(2.0, took / 10):
            continue
        now = Moment(float(at), 0.0)
        left = pace.seconds_left(job["in_all"], now=now, from_nothing=job["from_nothing"])
        assert left is not None
        factors.append(left / (took - at))
    assert len(factors) > 10
    assert max(factors) <= 1.5 and min(factors) >= 1 / 1.5, factors
