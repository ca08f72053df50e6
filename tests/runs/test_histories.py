"""Any interleaving of submit, cancel, kill, put aside, resume, delete, undo and sweep, over drafts with
common runs, of which some have attacks, ends with the bits of `simulate` and every event recorded once.
"""

import multiprocessing
import os
import random
import signal
import time
from contextlib import suppress
from functools import cache, partial
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import rule

from ldp_core.errors import NotNow, UnknownJob
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import jobs, kinds, queue
from ldp_core.runs.jobs import lookup
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record import computations, deletion
from ldp_core.system import preemption, process_group
from tests.data import events
from tests.extent import in_gate
from tests.runs.in_process import bodies, compute
from tests.runs.queue.test_states import KNOWN, OnAFolder

FORK: Any = multiprocessing.get_context("fork")
ATTACKS = (None, None, {"attacker": "least_squares", "clients": [1]})
RUNS = [{"rounds": 12, "attack": attack, "seed": seed} for seed, attack in enumerate(ATTACKS)]
DRAFTS = [
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
            for number, run in enumerate(DRAFTS[int(job.note)].runs()):
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
        identity = jobs.submit(DRAFTS[draft])
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
