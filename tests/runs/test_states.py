"""The state machine of a job under arbitrary orders of events (reliability, F9).

Against a model of what may happen: final states are left only by taking a job up again, a job has at
most one owner, and no more jobs run than were claimed.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from ldp_core.errors import QueueFull
from ldp_core.runs import queue

OUTCOMES: tuple[queue.Status, ...] = ("completed", "failed", "diverged", "interrupted", "cancelled")
OWNERS = ("anna", "ben", None)
SLOTS = 2


class Jobs(RuleBasedStateMachine):
    """Random people and random workers on one real queue."""

    known = Bundle("known")

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.patch = pytest.MonkeyPatch()
        self.patch.setenv("EPSILON_RUNS_DIR", str(self.folder))
        self.model: dict[str, queue.Status] = {}
        self.owners: dict[str, str | None] = {}

    def teardown(self) -> None:
        self.patch.undo()
        shutil.rmtree(self.folder, ignore_errors=True)

    @rule(target=known, owner=st.sampled_from(OWNERS))
    def submit(self, owner: str | None) -> Any:
        waiting = [i for i, s in self.model.items() if s == "queued" and self.owners[i] == owner]
        if owner and len(waiting) >= queue.WAITING_EACH:
            with pytest.raises(QueueFull):
                queue.add("run", {}, owner=owner)
            return waiting[0]
        identity = queue.add("run", {}, owner=owner)
        self.model[identity], self.owners[identity] = "queued", owner
        return identity

    def count(self, *statuses: queue.Status) -> int:
        return sum(status in statuses for status in self.model.values())

    @rule()
    def claim(self) -> None:
        waiting, running = self.count("queued"), self.count("running", "cancelling")
        job = queue.claim(SLOTS)
        assert (job is None) == (not waiting or running >= SLOTS)
        if job is not None:
            assert self.model[job.id] == "queued"
            self.model[job.id] = "running"

    @rule(job=known)
    def cancel(self, job: str) -> None:
        queue.cancel(job)
        becomes: dict[str, queue.Status] = {"queued": "cancelled", "running": "cancelling"}
        if self.model.get(job) in becomes:  # any other stays as it is, however often one asks
            self.model[job] = becomes[self.model[job]]

    @rule(job=known, outcome=st.sampled_from(OUTCOMES))
    def end(self, job: str, outcome: queue.Status) -> None:
        legal = outcome in queue.MAY_BECOME.get(self.model.get(job, ""), ())
        assert queue.move(job, outcome) is legal
        if legal:
            self.model[job] = outcome

    @rule(job=known)
    def resume(self, job: str) -> None:
        legal = self.model.get(job) in ("interrupted", "cancelled", "failed")
        assert queue.requeue(job) is legal
        if legal:
            self.model[job] = "queued"

    @rule(job=known)
    def drop(self, job: str) -> None:
        assert queue.drop(job, lambda: None) is (job in self.model and self.model[job] not in queue.LIVE)
        if queue.find("id = ?", (job,)) == []:
            self.model.pop(job, None)

    @rule()
    def reap(self) -> None:
        assert queue.reap() == [], "the owner of all these jobs is this very process, which lives"

    @invariant()
    def the_queue_is_what_the_model_says(self) -> None:
        for identity, status in getattr(self, "model", {}).items():
            job = queue.get(identity)
            assert job.status == status
            assert job.live == (status in queue.LIVE)
            assert (job.ended is None) == job.live
        waiting = {i for i, s in getattr(self, "model", {}).items() if s == "queued"}
        assert {job.id for job in queue.in_turn()} == waiting
        assert len(queue.find("status IN ('running', 'cancelling')")) <= SLOTS


TestJobs = Jobs.TestCase
TestJobs.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
