"""Any interleaving of submit, cancel, kill, resume, delete, undo and sweep, over drafts with common runs,
ends with the bits of `simulate` and every round told once.
"""

import multiprocessing
import random
import shutil
import tempfile
import time
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, rule

from ldp_core.errors import NotNow, StorageFailed, UnknownJob
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import jobs, kinds, queue
from ldp_core.runs.jobs import lookup
from ldp_core.runs.record import computations, deletion
from tests.data import events
from tests.extent import in_gate
from tests.runs.in_process import bodies, compute

FORK: Any = multiprocessing.get_context("fork")
RUNS = [{"rounds": 12, "attack": None, "seed": seed} for seed in range(3)]
DRAFTS = [
    Draft(parse(RUNS[a]), (Variant("a"), Variant("b", {"seed": b}))) for a, b in ((0, 1), (1, 2), (2, 0))
]


@cache
def expected(seed: int) -> tuple[str, list[int]]:
    recorded = events(RUNS[seed])
    return str(recorded[-1]["weights_sha256"]), [one["round"] for one in recorded if one["event"] == "round"]


class Histories(RuleBasedStateMachine):
    """People who press anything, and processes that are killed at any instant."""

    known = Bundle("known")

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.patch = pytest.MonkeyPatch()
        self.patch.setenv("EPSILON_RUNS_DIR", str(self.folder))
        self.patch.setattr(lookup, "ensure_worker", lambda _: None)
        self.patch.setattr("ldp_core.runs.jobs.submission.refuse_a_full_disk", lambda _: None)

    def teardown(self) -> None:
        for _ in range(20):  # whatever was left undone
            for job in queue.find(most=1000):
                if job.status in ("cancelled", "interrupted", "failed"):
                    jobs.resume(job.id)
            if not self.train(kill=False):
                break
        for job in queue.find(most=1000):
            assert job.status == "completed", job
            for number, run in enumerate(DRAFTS[int(job.note)].runs()):
                recorded = bodies(job, number)
                weights, rounds = expected(run.experiment.seed)
                assert recorded[-1]["weights_sha256"] == weights
                assert [one["round"] for one in recorded if one["event"] == "round"] == rounds
                assert [one["event"] for one in recorded].count("start") == 1
        named = {key for job in [*queue.find(most=1000), *queue.deleted()] for key in job.keys}
        deletion.sweep()
        assert {file.stem for file in (self.folder / "computed").glob("*.sqlite")} <= named
        self.patch.undo()
        shutil.rmtree(self.folder, ignore_errors=True)

    def train(self, kill: bool) -> bool:
        """What a worker does with the next job; False if none can begin."""
        job = queue.claim(1, lambda one: not kinds.settle(one))
        if job is None:
            return False
        process = FORK.Process(target=compute, args=(job,))
        process.start()
        if kill:
            time.sleep(random.uniform(0, 0.15))
            process.kill()
        process.join()
        if computations.left(job.keys):
            queue.move(job.id, "interrupted")
        else:
            queue.move(job.id, "completed")
        return True

    @rule(target=known, draft=st.integers(0, 2))
    def submit(self, draft: int) -> str:
        identity = jobs.submit(DRAFTS[draft])
        queue.update(identity, note=str(draft))
        return identity

    @rule(kill=st.booleans())
    def work(self, kill: bool) -> None:
        self.train(kill)

    @rule(job=known)
    def cancel(self, job: str) -> None:
        self.does(jobs.cancel, job)

    @rule(job=known)
    def resume(self, job: str) -> None:
        self.does(jobs.resume, job)

    @rule(job=known)
    def delete(self, job: str) -> None:
        self.does(jobs.delete, job)

    @rule(job=known)
    def undo(self, job: str) -> None:
        self.does(jobs.bring_back, job)

    @rule(job=known)
    def remove(self, job: str) -> None:
        self.does(partial(jobs.delete, for_good=True), job)

    @rule()
    def sweep(self) -> None:
        deletion.sweep()

    def does(self, what: Any, job: str) -> None:
        try:
            what(job)
        except (UnknownJob, NotNow):  # it is gone, or waits or runs
            pass
        except StorageFailed as error:
            raise AssertionError(job) from error


TestHistories = Histories.TestCase
TestHistories.settings = settings(
    max_examples=in_gate(15, 1000), stateful_step_count=in_gate(12, 20), deadline=None
)
