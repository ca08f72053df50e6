"""Lists of runs hold whatever stands in the queue and on the disk, even what makes no sense."""

from __future__ import annotations

from typing import Any

import pytest

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import jobs, queue
from ldp_core.runs.jobs import listing
from ldp_core.runs.record.recorder import SCHEMA
from ldp_core.runs.storage.database import opened
from tests.runs.in_process import compute, queued, record_of

pytestmark = pytest.mark.usefixtures("runs_dir")


DRAFT = Draft(parse({"rounds": 2, "attack": None, "mechanism": "none"}), (Variant("run"),))


def test_a_record_without_events_is_not_called_damaged():
    """Its process was killed after the tables were made."""
    job = queued(DRAFT)
    queue.cancel(job.id)
    opened(record_of(job), SCHEMA).close()
    (one,) = listing.listed()
    assert not one.damaged
    assert compute(job).status == "completed"


NONSENSE: list[dict[str, Any]] = [
    {"draft": {"base": {"rounds": float("inf"), "name": "x"}}},
    {"ladder": 5},
    {"ladder": {"epsilons": [1.0]}},
]


@pytest.mark.parametrize("request_", NONSENSE, ids=str)
def test_a_request_that_is_nonsense_is_told_without_a_traceback(request_: dict[str, Any]):
    identity = queue.add("attack" if "ladder" in request_ else "run", request_)
    queue.cancel(identity)
    queue.update(identity, keys=["0" * 16])
    assert jobs.status(identity)["status"] == "cancelled"
    assert [one.job.id for one in listing.listed()] == [identity]
