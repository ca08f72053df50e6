"""The worker: a detached process that takes jobs from the queue, as many at a time as there are slots.

The worker outlives the page, the browser and the server that started it, keeps torch imported so that jobs
begin at once, and runs each job in a process of its own, so that a crash affects one job only. It holds
`worker.lock` while it lives; a second worker exits. `start` starts and replaces workers.
"""

import argparse
import gc
import logging
import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from math import inf

from ldp_core import datasets
from ldp_core.behaviour import version
from ldp_core.errors import FolderGone, StorageFailed, StudioError
from ldp_core.experiment import parse
from ldp_core.runs import kinds, queue
from ldp_core.runs.lockstep import load, one_thread
from ldp_core.runs.machine.calibration import calibrate, is_measured
from ldp_core.runs.machine.slots import Slot, count, slots
from ldp_core.runs.process.child import CONTEXT, Watched
from ldp_core.runs.process.piloting import Piloting
from ldp_core.runs.process.start import ensure_worker, program
from ldp_core.runs.process.turns import left, make_room
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record import computations, deletion, own_data, quota
from ldp_core.runs.storage import disk_space, inventory
from ldp_core.runs.storage.locks_and_heartbeats import WORKER, Held, taken
from ldp_core.runs.storage.paths import bind, runs_dir
from ldp_core.system import kernel_lock, memory, process_group
from ldp_core.system.data_folder import keep_private
from ldp_core.system.quiet_log import be_quiet

POLL_SECONDS = 0.05
LOOK_SECONDS = 2.0
"""Interval between two cycles of an idle worker whose queue has not changed."""
IDLE_SECONDS = 600.0
"""How long a worker stays that has no job."""
SWEEP_SECONDS = 5.0
"""Interval between two deletions of visitors' data whose time is over."""
UNREADABLE_SECONDS = 120.0
"""Time for which another process may keep the queue locked before the worker gives up."""
QUIET_SECONDS = 1.0
"""Idle time after which an unmeasured machine's speed is measured."""
PATIENCE_SECONDS = 60.0
"""Time for which a new worker waits for the end of the one that it replaces."""
STOPPED = kinds.JobEnd("interrupted", "the worker was asked to stop; what was trained is kept")

_leaving: list[bool] = []
"""Not empty once this worker is to end."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Work until the queue has been empty for a while; exit at once if another worker runs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--wanted", type=float, default=0.0)  # when the process began that has started it
    parser.add_argument("--lock", type=int)  # a file that it holds already
    parser.add_argument("--wait", action="store_true")  # for the end of the worker whose place it takes
    asked = parser.parse_args(arguments)
    keep_private()
    program(), version()  # of the code that is loaded now
    logging.basicConfig(format="%(asctime)s %(process)d %(levelname)s %(message)s", level=logging.INFO)
    be_quiet(repeated=1)
    path, until = runs_dir() / WORKER, time.monotonic() + PATIENCE_SECONDS * asked.wait
    if (file := asked.lock) is not None:
        kernel_lock.keep(file)
    while file is None and (file := taken(path)) is None:
        if time.monotonic() > until:
            return
        time.sleep(POLL_SECONDS)
    held = Held(path, file, beats=True, program=program(), wanted=asked.wanted, slots=count())
    bind()
    try:
        _stay(held)
    except FolderGone as error:
        logging.warning("the worker ends: %s", error)


def _stay(held: Held) -> None:
    """Prepare, and run jobs until this worker is no longer needed."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, partial(_leave, os.getpid()))
    process_group.give_way()
    memory.be_given_up(memory.SECOND)
    deletion.sweep()
    disk_space.keep_back()
    with suppress(StorageFailed):  # or at its first turn
        queue.reap([])
    _warm_up()
    with held:
        replaced = _work(held)
    if not _leaving and not replaced and _is_asked():
        ensure_worker()  # for a job that was submitted right before the lock was released


def _leave(worker: int, number: int, _: object) -> None:
    if os.getpid() != worker:  # a fork that has no handler of its own yet
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    else:
        _leaving.append(True)


def _work(held: Held) -> bool:
    """Keep the slots filled until the queue has been empty for a while or a signal arrives; True if another
    worker takes over.
    """
    free, watched, measured, piloting = slots(), list[Watched](), False, Piloting()
    busy_at = read_at = time.monotonic()
    swept_at = -inf
    seen: tuple[int, ...] | None = None
    trying = False
    try:
        while not _leaving and not held.is_to_go():
            try:
                now = queue.stamp()  # before the turn, whose own changes deserve another one
                if watched or now != seen or time.monotonic() - read_at > LOOK_SECONDS:
                    disk_space.with_reserve(partial(_turn, watched, free))
                    seen, read_at = now, time.monotonic()
                trying = piloting.step(free)
            except StorageFailed as error:
                if isinstance(error, FolderGone) or time.monotonic() - read_at > UNREADABLE_SECONDS:
                    raise
                logging.exception("the queue cannot be read; again in a moment")
            if time.monotonic() - swept_at > SWEEP_SECONDS:
                with suppress(StudioError, OSError):
                    inventory.sweep()
                    own_data.sweep()
                swept_at = time.monotonic()
            if watched or trying:
                busy_at = time.monotonic()
            elif not measured and time.monotonic() - busy_at > QUIET_SECONDS:
                measured = is_measured() or _measure()  # once, even if it cannot be kept
            elif time.monotonic() - busy_at >= IDLE_SECONDS and not _is_asked():
                break
            time.sleep(POLL_SECONDS)
        replaced = not _leaving and held.is_to_go()
        for one in watched:
            one.leave(kinds.JobEnd("queued") if replaced else STOPPED)
        while watched:
            _look_after(watched, free)
            time.sleep(POLL_SECONDS)
    finally:
        piloting.stop()
        for one in watched:  # they would be orphaned
            one.kill()
    return replaced


def _turn(watched: list[Watched], free: list[Slot]) -> None:
    """One cycle of the worker: fill slots, check running jobs, clean up."""
    queue.reap([one.job.id for one in watched], queue.LOST)
    most, ready = len(watched) + len(free), partial(_can_begin, watched)
    while free and not disk_space.shortage() and (job := queue.claim(most, ready, left)) is not None:
        try:
            watched.append(Watched(job, free[0]))
            del free[0]
        except OSError as error:  # no memory, or no number, for one more process
            logging.exception("job %s: no process", job.id)
            why = f"this machine could not start a process for it ({error.strerror}); go on where it stopped"
            queue.move(job.id, "interrupted", why)
    if not free:
        make_room(watched, ready)
    if _look_after(watched, free):
        for removed in quota.prune():
            logging.info("job %s: its record was removed to make room", removed.job.id)
    datasets.registry.look_anew()  # of what its visitor has deleted nothing stays here


def _can_begin(watched: Sequence[Watched], job: Job) -> bool:
    """Whether a queued job has something to compute now. A job with all results known is completed here; one
    that waits for other jobs' computations stays queued.
    """
    try:
        # looked at first: what ends meanwhile is known by then
        busy = {key for one in watched for key in one.job.keys}  # though it may not hold them yet
        busy |= {key for key in job.keys if computations.is_being_computed(key)}
        if (left := computations.left(job.keys)) and busy.issuperset(left):
            return False
        return not kinds.settle(job)
    except kinds.UNREADABLE as error:
        logging.warning("job %s has its turn like any other: %s", job.id, error)
        return True


def _look_after(watched: list[Watched], free: list[Slot]) -> bool:
    """Free the slots of ended jobs; True if there were any."""
    ended = 0
    for one in [*watched]:
        if one.step():
            watched.remove(one)
            free.append(one.slot)
            ended += 1
    free.sort(key=lambda slot: slot.number)
    return ended > 0


def _measure() -> bool:
    """Measure this machine's speed in a child process, since the worker must never hold a GPU; False if a job
    arrived and interrupted it.
    """
    process = CONTEXT.Process(target=_calibrate, args=(os.getpid(),))
    process.start()
    try:
        while not (done := process_group.has_ended(process)) and not _leaving and not _is_asked():
            time.sleep(POLL_SECONDS)
    finally:
        process_group.end(process)
    return done


def _is_asked() -> bool:
    return bool(queue.find("status = 'queued'", most=1))


def _calibrate(parent: int) -> None:
    process_group.begin(parent)
    one_thread()
    calibrate()


def _warm_up() -> None:
    """Import, load and compile what every job needs, and what may have been replaced on the disk by then."""
    gc.disable()
    import torch

    import ldp_core.leakage.grid
    import ldp_core.leakage.scores
    import ldp_core.many
    import ldp_core.models._operators
    import ldp_core.pilot
    import ldp_core.runs.view.cells  # noqa: F401
    from ldp_core.runs import kinds
    from ldp_core.simulate import simulate

    kinds.names()  # all are imported
    # a fork can use no GPU of its parent
    for _ in simulate(parse({"rounds": 1}), load("digits"), torch.device("cpu")):
        pass
    gc.enable()
    gc.collect()
    gc.freeze()  # every job's process, a fork, would look through all that again and again


if __name__ == "__main__":
    main()
