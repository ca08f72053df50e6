"""The state machine of a job under arbitrary orders of events (reliability, F9).

Against a model of what may happen: final states are left only by taking a job up again, a job has
at most one owner, and no more jobs run than were claimed. There is one worker, which dies and begins anew.

And of whole jobs: whatever is pressed, killed, put aside, deleted and swept, over drafts with common runs,
ends with the bits of `simulate` and every event recorded once.
"""

import multiprocessing
import os
import random
import shutil
import signal
import tempfile
import time
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from ldp_core.errors import NotNow, QueueFull, UnknownJob
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import jobs, kinds, queue
from ldp_core.runs.jobs import lookup
from ldp_core.runs.queue import job as states
from ldp_core.runs.queue.changes import WAITING_EACH
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record import computations, deletion
from ldp_core.system import preemption, process_group
from tests.data import events
from tests.extent import in_gate
from tests.runs.in_process import bodies, compute
from tests.runs.processes import stand_in

OUTCOMES: tuple[states.Status, ...] = ("completed", "failed", "diverged", "interrupted", "cancelled")
OWNERS = ("anna", "ben", None)
DRAFTS = ("one", None)
SLOTS = 2


KNOWN = Bundle("known")


class OnAFolder(RuleBasedStateMachine):
    """On a folder of runs of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.folder, self.patch = Path(tempfile.mkdtemp()), pytest.MonkeyPatch()
        self.patch.setenv("EPSILON_RUNS_DIR", str(self.folder))

    def teardown(self) -> None:
        self.patch.undo()
        shutil.rmtree(self.folder, ignore_errors=True)


class Jobs(OnAFolder):
    """Random people and random workers on one real queue."""

    def __init__(self) -> None:
        super().__init__()
        self.model: dict[str, states.Status] = {}
        self.owners: dict[str, str | None] = {}
        self.drafts: dict[str, str | None] = {}
        self.worker = stand_in(self.folder)

    def teardown(self) -> None:
        self.worker.close()
        super().teardown()

    def of(self, *statuses: str) -> list[str]:
        return [identity for identity, status in self.model.items() if status in statuses]

    def live_job_of(self, draft: str | None) -> str | None:
        live = [i for i in self.of(*states.LIVE) if self.drafts[i] == draft]
        return live[0] if live and draft else None

    @rule(target=KNOWN, owner=st.sampled_from(OWNERS), draft=st.sampled_from(DRAFTS))
    def submit(self, owner: str | None, draft: str | None) -> Any:
        if live := self.live_job_of(draft):
            assert queue.add("run", {}, draft, owner) == live
            return live
        waiting = [i for i in self.of("queued") if self.owners[i] == owner]
        if owner and len(waiting) >= WAITING_EACH:
            with pytest.raises(QueueFull):
                queue.add("run", {}, draft, owner)
            return waiting[0]
        identity = queue.add("run", {}, draft, owner)
        self.model[identity], self.owners[identity], self.drafts[identity] = "queued", owner, draft
        return identity

    @rule()
    def claim(self) -> None:
        waiting, full = self.of("queued"), len(self.of("running", "cancelling")) >= SLOTS
        job = queue.claim(SLOTS)
        assert (job is None) == (not waiting or full)
        if job is not None:
            assert job.id in waiting
            self.model[job.id] = "running"

    @rule(job=KNOWN)
    def cancel(self, job: str) -> None:
        queue.cancel(job)
        becomes: dict[str, states.Status] = {"queued": "cancelled", "running": "cancelling"}
        if self.model.get(job) in becomes:  # any other stays as it is, however often one asks
            self.model[job] = becomes[self.model[job]]

    @rule(job=KNOWN, outcome=st.sampled_from(OUTCOMES))
    def end(self, job: str, outcome: states.Status) -> None:
        legal = outcome in states.MAY_BECOME.get(self.model.get(job, ""), ())
        assert queue.move(job, outcome) is legal
        if legal:
            self.model[job] = outcome

    @rule(job=KNOWN)
    def resume(self, job: str) -> None:
        legal = self.model.get(job) in ("interrupted", "cancelled", "failed")
        try:
            assert queue.requeue(job) is legal
        except NotNow:
            assert self.live_job_of(self.drafts[job]) not in (None, job)
        except QueueFull:
            mine = [i for i in self.of("queued") if self.owners[i] == self.owners[job]]
            assert len(mine) >= WAITING_EACH
        else:
            if legal:
                self.model[job] = "queued"

    @rule(job=KNOWN)
    def wait_for_another(self, job: str) -> None:
        legal = self.model.get(job) == "running"  # and not if somebody wants it to stop
        assert queue.move(job, "queued", "waiting") is legal
        if legal:
            self.model[job] = "queued"

    @rule(job=KNOWN)
    def strip(self, job: str) -> None:
        removed = any(one.removed for one in queue.find("id = ?", (job,)))
        rests = job in self.model and self.model[job] not in states.LIVE
        assert queue.note_removed(job) is (rests and not removed)

    @rule(job=KNOWN)
    def drop(self, job: str) -> None:
        assert queue.delete(job) is (job in self.model and self.model[job] not in states.LIVE)
        if queue.find("id = ?", (job,)) == []:
            self.model.pop(job, None)

    @rule(kill=st.booleans())
    def reap(self, kill: bool) -> None:
        if kill:
            self.worker.close()
        lost = self.of("running", "cancelling") if kill else []
        assert sorted(queue.reap()) == sorted(lost)
        assert queue.reap() == [], "whoever looks second finds nothing left to do"
        for job in lost:
            self.model[job] = "interrupted"
        if kill:
            self.worker = stand_in(self.folder)

    @rule()
    def forget(self) -> None:
        """The worker looks after none of its jobs any more."""
        mine = self.of("running", "cancelling")
        assert queue.reap(mine) == []
        assert sorted(queue.reap([])) == sorted(mine)
        for job in mine:
            self.model[job] = "interrupted"

    @invariant()
    def the_queue_is_what_the_model_says(self) -> None:
        for identity, status in self.model.items():
            job = queue.get(identity)
            assert job.status == status
            assert job.live == (status in states.LIVE)
            assert (job.ended is None) == job.live
        assert {job.id for job in queue.in_turn()} == {*self.of("queued")}
        assert len(queue.find("status IN ('running', 'cancelling')")) <= SLOTS
        assert [self.drafts[i] for i in self.of(*states.LIVE)].count("one") <= 1


TestJobs = Jobs.TestCase
TestJobs.settings = settings(max_examples=in_gate(30, 1000), stateful_step_count=in_gate(30, 50))


FORK: Any = multiprocessing.get_context("fork")
ATTACKS = (None, None, {"attacker": "least_squares", "clients": [1]})
RUNS = [{"rounds": 12, "attack": attack, "seed": seed} for seed, attack in enumerate(ATTACKS)]
COMMON = [
    Draft(parse(RUNS[a]), (Variant("a"), Variant("b", {"seed": b, "attack": ATTACKS[b]})))
    for a, b in ((0, 1), (1, 2), (2, 0))
]
FOR_GOOD = partial(jobs.delete, for_good=True)
PRESSED = (jobs.cancel, jobs.resume, jobs.delete, jobs.undo_delete, FOR_GOOD)


def outcome_of(recorded: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All events, without the end's time."""
    return [one | {"seconds": 0} for one in recorded]


@cache
def expected(seed: int) -> list[dict[str, Any]]:
    return outcome_of(events(RUNS[seed]))


def listening(job: Job) -> None:
    preemption.listen()
    compute(job)


class Histories(OnAFolder):
    """People who press anything, and processes that are killed at any instant."""

    def __init__(self) -> None:
        super().__init__()
        self.patch.setattr(lookup, "ensure_worker", lambda _: None)
        self.patch.setattr("ldp_core.runs.jobs.submission.refuse_a_full_disk", lambda _: None)

    def teardown(self) -> None:
        for _ in range(20):  # whatever was left undone
            for job in queue.find(most=1000):
                if job.status in ("cancelled", "interrupted", "failed"):
                    jobs.resume(job.id)
            if not self.train("ends"):
                break
        for job in queue.find(most=1000):
            assert job.status == "completed", job
            for number, run in enumerate(COMMON[int(job.note)].runs()):
                assert outcome_of(bodies(job, number)) == expected(run.experiment.seed)
        named = {key for job in [*queue.find(most=1000), *queue.deleted()] for key in job.keys}
        deletion.sweep()
        assert {file.stem for file in (self.folder / "computed").glob("*.sqlite")} <= named
        super().teardown()

    def train(self, how: str) -> bool:
        """What a worker does with the next job; False if none can begin."""
        job = queue.claim(1, lambda one: not kinds.settle(one))
        if job is None:
            return False
        process = FORK.Process(target=listening, args=(job,))
        with process_group.stops_held():
            process.start()
        if how != "ends":
            time.sleep(random.uniform(0, 0.15))
            os.kill(process.pid, signal.SIGKILL if how == "is killed" else signal.SIGUSR1)
        process.join()
        left = computations.left(job.keys)
        queue.move(job.id, "completed" if not left else "queued" if process.exitcode == 0 else "interrupted")
        return True

    @rule(target=KNOWN, draft=st.integers(0, 2))
    def submit(self, draft: int) -> str:
        identity = jobs.submit(COMMON[draft])
        queue.update(identity, note=str(draft))
        return identity

    @rule(how=st.sampled_from(("ends", "is killed", "is put aside")))
    def work(self, how: str) -> None:
        self.train(how)

    @rule(job=KNOWN, act=st.sampled_from(PRESSED))
    def press(self, job: str, act: Any) -> None:
        with suppress(UnknownJob, NotNow):  # it is gone, or waits or runs
            act(job)

    @rule()
    def sweep(self) -> None:
        deletion.sweep()


TestHistories = Histories.TestCase
TestHistories.settings = settings(
    max_examples=in_gate(15, 1000), stateful_step_count=in_gate(12, 20), deadline=None
)
