"""What happens on a disk that fills up or is read-only; test_full_disk.py mounts one and runs this on it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ldp_core.errors import DiskFull, ReadOnly, StorageFailed, UnknownJob
from ldp_core.experiment import parse_draft
from ldp_core.runs import jobs, queue
from ldp_core.runs.lockstep import one_thread
from ldp_core.runs.process import start
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record import drafts, quota
from ldp_core.runs.record.events import refuse_damaged
from ldp_core.runs.storage import disk_space
from ldp_core.runs.view.run_curves import progress_of
from tests.calibrated import calibrated
from tests.data import events
from tests.gate import holding
from tests.runs import processes
from tests.runs.in_process import record_of
from tests.runs.processes import end_workers, ended, launch, trained_a_round, until
from tests.warm import Interpreter, Processes

ROOT = Path(os.environ["EPSILON_RUNS_DIR"])
LONG: dict[str, Any] = {"rounds": 100, "attack": None}
DRAFT = parse_draft(LONG)
SENTENCE = "the disk is full: this needs up to "


class Filler:
    """A file of somebody else's that takes all the room there is."""

    def __init__(self) -> None:
        self.path = ROOT.parent / "somebody else's"

    def fill(self) -> None:
        with self.path.open("ab") as file:
            step = 2**28
            while step >= 4096:
                try:
                    os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), step)
                except OSError:
                    step //= 2

    def go(self) -> None:
        self.path.unlink()


def house() -> None:
    """Worker, queue, drafts and records: each says what is wrong, and a full disk can be helped from here."""
    calibrated(ROOT)
    filler, old = Filler(), [launch({"rounds": rounds}) for rounds in (3, 4)]
    for one in old:
        ended(one)
    with holding(ROOT, 10):
        identity = launch(LONG)
        until(identity, trained_a_round)
        waiting = launch({"rounds": 5})
        at_work = processes.workers(ROOT)
        for process in at_work:  # or the filler, still at it, would take what the worker gives up
            process.suspend()
    filler.fill()
    for process in at_work:
        process.resume()
    job = ended(identity)
    assert (job.status, job.message[: len(SENTENCE)]) == ("failed", SENTENCE)
    refuse_damaged(job.keys[0])
    assert 0 < progress_of(job).update().rounds_done() < LONG["rounds"]

    filler.fill()
    assert shutil.disk_usage(ROOT).free == 0
    with pytest.raises(DiskFull, match="the disk is full; delete some runs"):
        drafts.new(DRAFT)
    for begin in (lambda: launch({"rounds": 1}), lambda: jobs.resume(identity)):
        with pytest.raises(StorageFailed, match="the disk is nearly full: 0 MB are free, and 1000 MB must"):
            begin()
    disk_space.give_up()  # somebody else has it at once
    filler.fill()
    jobs.delete(old[0], for_good=True)
    with pytest.raises(UnknownJob):
        queue.get(old[0])
    filler.fill()
    assert shutil.disk_usage(ROOT).free == 0
    file = record_of(queue.get(old[1]))
    assert [one.job.id for one in quota.prune(quota.taken() - 1)] == [old[1]]
    assert not file.exists()
    recorded = jobs.look(waiting)
    words = "the disk is full; it begins as soon as there is room"
    assert (recorded.status, recorded.message) == ("queued", words)

    filler.go()
    assert ended(waiting).status == "completed"
    with holding(ROOT, 1):
        jobs.resume(identity)
        until(identity, lambda job: job.status == "running")
        end_workers(ROOT)
    disk_space.keep_back()
    filler.fill()
    assert shutil.disk_usage(ROOT).free == 0
    assert {job.id: queue.get(job.id).status for job in jobs.recent()}[identity] == "interrupted"

    filler.go()
    assert jobs.resume(identity).live
    assert ended(identity).status == "completed"
    same_as_undisturbed(job)


def read_only() -> None:
    """Everything is there to look at, and everything else says what to do."""
    identity = queue.add("run", {"draft": DRAFT.as_json()})
    queue.cancel(identity)
    kept = drafts.new(DRAFT)
    mount("ro")
    assert [job.id for job in jobs.recent()] == [identity]
    assert drafts.load(kept) == DRAFT
    refused(queue.add, "run", {})
    refused(jobs.cancel, identity)
    refused(jobs.relabel, identity, "a", "b")
    refused(drafts.new, DRAFT)
    mount("rw")
    queue.queue_path().unlink()
    mount("ro")
    refused(queue.add, "run", {})
    mount("rw")
    assert queue.add("run", {})


def mount(how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", str(ROOT.parent)], check=True)


def refused(act: Callable[..., Any], *given: Any) -> None:
    with pytest.raises(ReadOnly) as error:
        act(*given)
    assert "move" not in str(error.value)


def same_as_undisturbed(job: Job) -> None:
    end = progress_of(job).update().runs[0].end
    assert end and end["weights_sha256"] == events(LONG)[-1]["weights_sha256"]


if __name__ == "__main__":
    one_thread()  # of two on a busy machine one waits for the other with all its might
    place, *parts = sys.argv[1:]
    began = Processes(Interpreter(Path(place), os.getpid()), within=os.getpid())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(start, "subprocess", began)  # who is begun there sees this disk, too
        for name in parts:
            try:
                {"house": house, "read_only": read_only}[name]()
            finally:
                end_workers(ROOT)
            shutil.rmtree(ROOT)
