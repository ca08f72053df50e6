"""Lists of runs hold whatever stands in the queue and on the disk, even what makes no sense."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import jobs, queue
from ldp_core.runs.jobs import listing
from ldp_core.runs.process.training import train_job
from ldp_core.runs.record.store import SCHEMA as RECORD
from ldp_core.runs.record.store import Recorder, database
from ldp_core.runs.storage.database import opened

pytestmark = pytest.mark.usefixtures("runs_dir")


DRAFT = Draft(parse({"rounds": 2, "attack": None, "mechanism": "none"}), (Variant("run"),))


def test_a_record_without_runs_is_not_called_damaged():
    """Its process was killed after the tables were made, and before it was told what to train."""
    identity = queue.add("run", {"draft": DRAFT.as_json()})
    queue.cancel(identity)
    opened(database(queue.get(identity).folder), RECORD).close()
    (one,) = listing.listed()
    assert not one.damaged
    assert train_job(one.job.folder, one.job.request, 10**9).status == "completed"


TWO_RUNS = Draft(
    parse({"rounds": 3, "attack": None}), (Variant("a"), Variant("b", {"aggregator.name": "mean"}))
)


NONSENSE: list[dict[str, Any]] = [
    {"draft": {"base": {"rounds": float("inf"), "name": "x"}}},
    {"ladder": 5},
    {"ladder": {"epsilons": [1.0]}},
]


@pytest.mark.parametrize("request_", NONSENSE, ids=str)
def test_a_request_that_is_nonsense_is_told_without_a_traceback(request_: dict[str, Any]):
    identity = queue.add("attack" if "ladder" in request_ else "run", request_)
    queue.cancel(identity)
    folder = queue.get(identity).folder
    Recorder(folder, TWO_RUNS.runs(False)[:1]).close()
    with sqlite3.connect(folder / "events.sqlite") as db:
        db.execute("INSERT INTO events (run, at, body) VALUES (0, 1.0, ?)", ('{"event": "round"}',))
    assert jobs.status(identity)["status"] == "cancelled"
    assert [one.job.id for one in listing.listed()] == [identity]
