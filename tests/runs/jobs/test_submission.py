"""Launching and taking up: refusals, second clicks; a job is reported as it is now by every list."""

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from ldp_core.errors import InvalidExperiment, InvalidInput, QueueFull, StorageFailed
from ldp_core.experiment import parse_draft
from ldp_core.runs import jobs, queue
from ldp_core.runs.jobs import listing, lookup, submission
from ldp_core.runs.kinds.run import Training
from ldp_core.runs.queue import changes, claiming
from ldp_core.runs.queue.job import Status
from ldp_core.runs.queue.permissions import Person
from ldp_core.runs.record.events import record
from ldp_core.settings import MOST_HOURS
from tests.calibrated import calibrated
from tests.runs.in_process import compute, queued

pytestmark = pytest.mark.usefixtures("runs_dir")


@pytest.mark.parametrize(("end", "new"), [("completed", False), ("failed", False), ("cancelled", True)])
def test_second_click_counts_after_a_cancel_only(end: Status, new: bool, monkeypatch: pytest.MonkeyPatch):
    """Train, Stop, Train again within a second: the page showed what had been stopped, and nothing began."""
    monkeypatch.setattr(submission, "wake", lambda **_: None)
    draft = parse_draft({"rounds": 3})
    first = jobs.submit(draft, "0123456789ab")
    assert queue.claim()
    if end == "cancelled":
        queue.cancel(first)
    assert queue.move(first, end)
    assert (jobs.submit(draft, "0123456789ab") != first) == new


def stopped(base: dict[str, Any], owner: str | None = None) -> str:
    identity = queue.add("run", {"draft": {"base": base}}, owner=owner)
    queue.cancel(identity)
    return identity


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ({"dataset": "mnist", "model": "resnet18", "rounds": 10_000, "attack": None}, "would take about"),
        ({"dataset": "mnist", "model": "resnet18", "local": {"batch_size": 60_000}}, "is too large"),
    ],
)
def test_unlaunchable_job_is_not_resumed(base: dict[str, Any], words: str):
    identity = stopped(base)
    with pytest.raises(InvalidExperiment, match=words):
        jobs.resume(identity)
    assert queue.get(identity).status == "cancelled"


def test_resumed_job_counts_for_the_askers_address(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(changes, "WAITING_ADDRESS", 1)
    first, second = (stopped({"rounds": 1}, owner) for owner in ("a" * 16, "b" * 16))
    jobs.resume(first, Person("a" * 16), "there")
    assert queue.get(first).address == "there"
    with pytest.raises(QueueFull, match="1 jobs from your network are waiting"):
        jobs.resume(second, Person("b" * 16), "there")


def test_unreadable_request_is_not_resumed():
    identity = queue.add("run", {})
    queue.cancel(identity)
    with pytest.raises(StorageFailed, match="launch it again"):
        jobs.resume(identity)


LONG: dict[str, Any] = {"dataset": "mnist", "model": "cnn", "clients": {"count": 1000}, "attack": None}
LONG |= {"local": {"epochs": 100}, "rounds": 10_000}


def training(changes: dict[str, Any]) -> Training:
    return Training(parse_draft(changes))


def test_a_job_of_months_is_refused_with_the_estimate(runs_dir: Path):
    calibrated(runs_dir)
    words = r"rounds would take about [\d,.]+ days on this server, and one"
    with pytest.raises(InvalidExperiment, match=words):
        jobs.submit(training(LONG).draft)
    assert queue.find() == []
    jobs.refuse_too_much("run", training({}))


def test_the_operator_says_how_long(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    calibrated(runs_dir)
    monkeypatch.setenv("EPSILON_MOST_HOURS", "0.00001")
    with pytest.raises(InvalidExperiment, match=r"one job may take 0\.036 seconds; try fewer rounds"):
        jobs.refuse_too_much("run", training({}))
    monkeypatch.setenv("EPSILON_MOST_HOURS", "1e6")
    jobs.refuse_too_much("run", training(LONG | {"rounds": 100}))
    monkeypatch.setenv("EPSILON_MOST_HOURS", "for ever")
    with pytest.raises(InvalidInput, match=r"^EPSILON_MOST_HOURS must be a number from 1e-06 to 1e"):
        MOST_HOURS.value()


def test_years_are_refused_without_calibration(runs_dir: Path):
    with pytest.raises(InvalidExperiment, match="would take about"):
        jobs.refuse_too_much("run", training(LONG))
    jobs.refuse_too_much("run", training({"rounds": 200}))


def test_a_look_at_a_list_starts_a_worker_for_queued_jobs(monkeypatch: pytest.MonkeyPatch):
    """The worker was killed, and no page of the job is open."""
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
