"""How far a job is: what its process writes down, what its readers see, and how good the time left is."""

import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_core.datasets import Step
from ldp_core.experiment import parse_draft
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.time_left import EVERY_SECONDS, FILE, Pace, Reporter, how_far
from tests.runs.in_process import queued

RECORDED = json.loads((Path(__file__).parent / "recorded_times.json").read_text())
"""When how much was done of real jobs, by the clock of their own process, and the relative errors of the
estimates before this one at 25, 50 and 75 % of the time.
"""


def left_at(job: dict[str, Any], at: float) -> float | None:
    """What a page shows at some time: the newest estimate that was written, less the time since then."""
    pace, written, recorded = Pace(), -1.0, None
    for when, done in job["steps"]:
        if when > at:
            break
        if when - written >= EVERY_SECONDS:
            recorded, written = pace.seconds_left(when, done, job["total"]), when
    return None if recorded is None else recorded - (at - written)


@pytest.mark.parametrize("name", RECORDED)
def test_time_left_of_recorded_jobs_is_within_half(name: str):
    """From when a tenth of it was done, or 2 seconds, until 2 seconds before its end."""
    job, factors = RECORDED[name], []
    for at in np.arange(max(2.0, job["took"] / 10), job["took"] - 2.0, 0.25):
        left = left_at(job, at)
        assert left is not None
        factors.append(left / (job["took"] - at))
    assert len(factors) > 10
    assert max(factors) <= 1.5 and min(factors) >= 1 / 1.5, factors


def test_pace_follows_the_last_minute_or_step():
    pace = Pace()
    assert pace.seconds_left(0.0, 0, 100) is None
    assert pace.seconds_left(10.0, 1, 100) == pytest.approx(990.0)
    for at in range(11, 200):
        left = pace.seconds_left(float(at), 1 + (at - 10) / 3, 100)
    assert left == pytest.approx(3 * (100 - 64), rel=0.02), "three seconds a step by now"
    assert pace.seconds_left(500.0, 65, 100) == pytest.approx(35 * 301.0), "a step of five minutes"
    assert pace.seconds_left(501.0, 65, 100)


def test_reported_progress_is_read_back(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    job = with_folder()
    assert how_far(job) is None
    report = Reporter(job.folder)
    report(Step("Downloading x", 1_000_000, 3_000_000))
    report(Step("Downloading x", 2_000_000, 3_000_000))  # too soon to be written
    assert read(job) == "Downloading x: 1.0 of 3.0 MB"
    for step, words in ((Step("Unpacking x"), "Unpacking x"), (Step("", 0, 15, "rounds"), "0 of 15 rounds")):
        report(step)
        assert read(job) == words
    now += 30.0
    report(Step("", 5, 15, "rounds"))
    found = how_far(job)
    assert found and found.step.share == pytest.approx(1 / 3)
    assert found.left == pytest.approx(60.0, abs=5.0)
    old = time.time() - 70
    os.utime(job.folder / FILE, (old, old))
    assert (late := how_far(job)) and late.left is None, "overdue"
    Reporter(job.folder)
    assert how_far(job) is None, "what an earlier attempt has left is gone"
    Reporter(job.folder / "nowhere")(Step("x"))  # is no error


def with_folder() -> Job:
    job = queued(parse_draft({"rounds": 3}))
    job.folder.mkdir(parents=True)
    return job


def read(job: Job) -> str:
    return str((found := how_far(job)) and found.step)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1, 2]", "7", '[{"doing": 7}, 1]', '[{"doing": "", "done": NaN}, 1]', '[{"doing": ""}, "x"]'],
)
def test_damaged_progress_file_is_ignored(runs_dir: Path, text: str):
    job = with_folder()
    (job.folder / FILE).write_text(text)
    assert how_far(job) is None
