"""A job is reported as it is now, by every list, even one whose row is damaged."""

from typing import Any
from unittest.mock import Mock

import pytest

from ldp_core.errors import StorageFailed
from ldp_core.experiment import parse_draft
from ldp_core.runs import jobs, queue
from ldp_core.runs.jobs import listing, lookup
from ldp_core.runs.queue import claiming
from ldp_core.runs.record.events import record
from tests.runs.in_process import compute, queued

pytestmark = pytest.mark.usefixtures("runs_dir")


def test_a_look_at_a_list_starts_a_worker_for_queued_jobs(monkeypatch: pytest.MonkeyPatch):
    """The worker was killed, and nobody looks at the job itself."""
    monkeypatch.setattr(lookup, "ensure_worker", woken := Mock())
    identity = queue.add("run", {}, owner="anna")
    jobs.recent(owner="somebody else")
    assert woken.call_count == 1
    assert jobs.look(identity).message == "", "no other job is at what it asks for"
    woken.reset_mock()
    queue.cancel(identity)
    jobs.recent()
    assert woken.call_count == 0, "nothing waits any more"


def test_orphaned_job_is_reported_despite_a_locked_queue(monkeypatch: pytest.MonkeyPatch):
    identity = queue.add("run", {})
    assert queue.claim()
    monkeypatch.setattr(claiming, "changing", Mock(side_effect=StorageFailed("it cannot be written")))
    for seen in (jobs.look(identity), *jobs.recent()):
        assert seen.status == "interrupted"
        assert "nothing can be noted on the disk now" in seen.message


def test_a_record_without_events_is_not_called_damaged():
    """Its process was killed after the tables were made."""
    job = queued(parse_draft({"rounds": 2, "attack": None}))
    queue.cancel(job.id)
    record(job.keys[0]).opened().close()
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
