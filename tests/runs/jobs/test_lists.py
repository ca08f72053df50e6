"""A list of jobs costs the same whatever stands in their records: it brings none of their events here."""

from __future__ import annotations

import json
from pathlib import Path

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import queue
from ldp_core.runs.lockstep import Turn
from tests.measured import megabytes
from tests.runs.in_process import queued, recorder_of, take

DRAFT = Draft(parse({"rounds": 1, "attack": None}), (Variant("run"),))
LISTS = """
from ldp_core.runs.jobs.finding import Wanted, lines, whole
from ldp_core.runs.jobs.listing import describe, listed
def act():
    assert not any(one.damaged for one in listed(6))
    assert [describe(line.job).state for line in whole(lines(Wanted()))] == ["completed", "completed"]
"""


def ended(body: dict[str, object], seed: int) -> None:
    job = queued(DRAFT.with_base({"seed": seed}))
    assert take(job.id)
    recorder = recorder_of(job)
    recorder.write(Turn(0, [body], None, 0.0))
    recorder.close()
    assert queue.move(job.id, "completed")


def test_a_list_brings_no_event_here(runs_dir: Path):
    """16 MB of braces are 400 MB as objects of Python's, and were so at each draw of Start and of Runs."""
    ended({"event": "trained", "round": 1}, 0)
    ended({"event": "trained", "round": 1, "a": [{}] * 4_000_000}, 1)
    assert len(json.dumps([{}])) == 4
    assert megabytes(LISTS) < 20
