"""How far a job is with all its cells: what is written down, and what follows for the time left."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import numpy as np
import pytest

from ldp_core.runs.view import work_share
from ldp_core.runs.view.work_share import Share, estimate, seconds_left

RECORDED = json.loads((Path(__file__).parent / "recorded_shares.json").read_text())
"""What shares uneven sweeps had done when, by the clock of their own process, twice a second: the sum over
their cells of rounds trained, each as the machine's rates have it."""


def test_time_left_follows_from_the_pace_since_the_first_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    now = 50.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    told = Share(tmp_path)
    now = 100.0  # what was loaded before is no work
    told(0.0)
    assert seconds_left(tmp_path) is None
    now = 110.0
    told(0.25)
    at = (tmp_path / work_share.FILE).stat().st_mtime
    assert seconds_left(tmp_path, at=at) == pytest.approx(30.0)
    assert seconds_left(tmp_path, at=at + 10) == pytest.approx(20.0, abs=0.01)
    assert seconds_left(tmp_path, at=at + 100) == 0
    now = 110.1
    told(0.9)
    assert seconds_left(tmp_path, at=at) == pytest.approx(30.0), "twice a second at most"
    assert seconds_left(tmp_path, since=at + 1, at=at) is None, "it was told by an attempt before"
    told(1.0)
    assert seconds_left(tmp_path) is None, "nothing is left"
    now = 120.0
    told(0.5)
    Share(tmp_path)
    assert seconds_left(tmp_path) is None, "what an earlier attempt has left is gone"


@pytest.mark.parametrize(
    "text", ["", "{", "[1, 2]", "[1, 2, 3, 4]", '["a", 1, 1]', "[1, NaN, 1]", "[1, 0, 1]", "7"]
)
def test_a_damaged_file_says_nothing(tmp_path: Path, text: str):
    (tmp_path / work_share.FILE).write_text(text)
    os.utime(tmp_path / work_share.FILE)
    assert seconds_left(tmp_path) is None


@pytest.mark.parametrize("name", RECORDED)
def test_what_is_told_of_uneven_sweeps_is_right_within_half_as_much(name: str):
    """From when a tenth of it was done, or 2 seconds, until 2 seconds before its end."""
    took, steps = RECORDED[name]["took"], RECORDED[name]["steps"]
    factors, (began, before) = [], steps[0]
    for at in np.arange(max(2.0, took / 10), took - 2.0, 0.25):
        told, share = [step for step in steps if step[0] <= at][-1]
        left = estimate(told - began, share - before, 1 - share, at - told)
        assert left
        factors.append(left / (took - at))
    assert len(factors) > 10
    assert max(factors) <= 1.5 and min(factors) >= 1 / 1.5, factors
