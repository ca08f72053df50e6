"""The worker: a detached process that takes jobs from the queue, as many at a time as there are slots.

It outlives the page, the browser and the server that started it, keeps torch imported so that the
next job begins at once, and gives every job a process of its own, so that a crash or a cancelled
run takes nothing else along. Who starts one, and a worker that is about to leave, agree under a
lock, so that there is one worker for a runs folder and no job is ever left without. A server of
another version than the worker's starts one of its own; the old one ends what it has begun, and goes.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from filelock import FileLock

from ldp_core.errors import DiskFull, StorageFailed
from ldp_core.runs import lineage, queue, room
from ldp_core.runs.alive import identity, is_alive
from ldp_core.runs.calibration import calibrate, rates
from ldp_core.runs.drive import load, one_thread
from ldp_core.runs.finished import program
from ldp_core.runs.housekeeping import REMOVED, prune, sweep
from ldp_core.runs.paths import data_dir, runs_dir
from ldp_core.runs.priority import give_way
from ldp_core.runs.slots import WORKER, Slot, count, slots
from ldp_core.runs.watch import CONTEXT, Watched

POLL_SECONDS = 0.05
UNREADABLE_SECONDS = 120.0
"""So long somebody else may keep the queue locked before the worker gives up."""
QUIET_SECONDS = 1.0
"""After so long without a job, a machine that has not been measured is measured."""
IDLE_SECONDS = 600.0
"""A worker without work stays warm this long."""

STARTED = time.time()
_leaving: list[bool] = []
"""Not empty once this worker has been told to end."""
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
"""A thread that OpenBLAS cannot start, for want of memory, is one that it waits for for ever."""
_started: list[subprocess.Popen[bytes]] = []
"""Workers that this process has started, kept so that the system can be told of their end."""


def ensure_worker(newest: bool = False) -> None:
    """Start a worker unless one is running; returns at once.

    Args:
        newest: let one of another version go, if it was wanted by somebody who began before this process.
            Whoever only looks does not ask for that, or two versions would never let each other begin.
    """
    with _lock():
        if _registered_alive() and not (newest and _outdated()):
            return
        _register_path().with_suffix(".partial").write_text(" " * 200)  # no room: no process either
        _started[:] = [process for process in _started if process.poll() is None]
        with (runs_dir() / "worker.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "ldp_core.runs.worker"],
                cwd=Path(__file__).parents[2],
                env=os.environ
                | ONE_THREAD
                | {"EPSILON_RUNS_DIR": str(runs_dir()), "EPSILON_DATA_DIR": str(data_dir())},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        _started.append(process)
        _register(process.pid, STARTED)


def main() -> None:
    """Work until the queue has been empty for a while; leave at once if another worker is there."""
    program()  # of the code that is loaded now
    logging.basicConfig(format="%(asctime)s %(process)d %(levelname)s %(message)s", level=logging.INFO)
    with _lock():
        if _registered_alive() and _registered() != identity():
            return
        _register(os.getpid(), _wanted())
    signal.signal(signal.SIGTERM, _leave)
    give_way()
    sweep()
    room.keep_back()
    _warm_up()
    while True:
        _work()
        with _lock():
            # whoever submits now waits for the lock, and then finds no worker registered
            if _leaving or _replaced() or not _is_asked():
                if _registered() == identity():  # the folder may have been lost, and be another worker's now
                    _register_path().unlink(missing_ok=True)
                return


def _work() -> None:
    """Keep the slots filled until nothing has been left to do for a while, or a signal says stop."""
    patience = _patience()
    free, watched, measured = slots(), list[Watched](), False
    busy_at = read_at = time.monotonic()
    try:
        while not _leaving:
            try:
                _turn(watched, free)
                read_at = time.monotonic()
            except StorageFailed as error:
                if isinstance(error, DiskFull):
                    room.give_up()  # or how the jobs have ended could not be told
                if time.monotonic() - read_at > UNREADABLE_SECONDS:
                    raise
                logging.exception("the queue cannot be read; again in a moment")
            if watched:
                busy_at = time.monotonic()
            elif _replaced():
                break
            elif not measured and rates() is None and time.monotonic() - busy_at > QUIET_SECONDS:
                measured = _measure()  # once, even if it cannot be kept
            elif time.monotonic() - busy_at >= patience:
                break
            time.sleep(POLL_SECONDS)
        for one in watched:
            one.leave()
        while watched:
            _look_after(watched, free)
            time.sleep(POLL_SECONDS)
    finally:
        for one in watched:  # nobody would look after them
            one.abandon()


def _patience() -> float:
    """Seconds to stay without work; what is no number counts for nothing."""
    try:
        asked = float(os.environ["EPSILON_WORKER_IDLE_SECONDS"])
    except (KeyError, ValueError):
        return IDLE_SECONDS
    return asked if asked >= 0 else IDLE_SECONDS


def _turn(watched: list[Watched], free: list[Slot]) -> None:
    """Fill the slots, look after what runs in them, and keep the house."""
    queue.reap([one.job.id for one in watched])
    while free and not _waits() and (job := queue.claim(len(watched) + len(free))) is not None:
        try:
            watched.append(Watched(job, free[0]))
        except OSError as error:  # no memory, or no number, for one more process
            logging.exception("job %s: no process", job.id)
            why = f"this machine could not start a process for it ({error.strerror}); go on where it stopped"
            queue.move(job.id, "interrupted", why)
        else:
            free.pop(0)
    if _look_after(watched, free):
        for removed in prune():
            logging.info("job %s: %s", removed.job.id, REMOVED)


def _waits() -> bool:
    """True while nothing may begin here: another worker has its turn, or what begins would have no room."""
    return _replaced() or bool(room.shortage())


def _look_after(watched: list[Watched], free: list[Slot]) -> bool:
    """Give the slots of jobs that have ended free; True if there were any."""
    before = len(watched)
    for one in [*watched]:
        if one.step():
            watched.remove(one)
            free.append(one.slot)
    free.sort(key=lambda slot: slot.number)
    return len(watched) < before


def _measure() -> bool:
    """Find this machine's rates, in a process of its own: this one must never hold a GPU.

    False if somebody has asked for something meanwhile, which comes first.
    """
    process = CONTEXT.Process(target=_calibrate, args=(os.getpid(),))
    process.start()
    try:
        while not (done := lineage.has_ended(process)) and not _leaving and not _is_asked():
            time.sleep(POLL_SECONDS)
    finally:
        lineage.end(process)
    return done


def _is_asked() -> bool:
    return bool(queue.find("status = 'queued'", most=1))


def _calibrate(parent: int) -> None:
    lineage.begin(parent)
    one_thread()
    calibrate()


def _leave(*_: object) -> None:
    _leaving.append(True)


def _warm_up() -> None:
    """Import now what every job needs, before there is one."""
    import sklearn.datasets  # noqa: F401
    import torch  # noqa: F401

    # and what a job would otherwise read from files that may have been replaced by then
    import ldp_core.federated.summary
    import ldp_core.ladder
    import ldp_core.models._alone
    import ldp_core.models._together
    import ldp_core.simulate  # noqa: F401

    load("digits")


def _lock() -> FileLock:
    return FileLock(runs_dir() / "worker.lock", timeout=30)


def _register_path() -> Path:
    return runs_dir() / WORKER


def _register(pid: int, wanted: float) -> None:
    """Note a worker; `wanted` is when the process began that asked for it."""
    number, since = identity(pid)
    noted = {"pid": number, "since": since, "program": program(), "wanted": wanted, "slots": count()}
    partial = _register_path().with_suffix(".partial")
    partial.write_text(json.dumps(noted))
    partial.replace(_register_path())


def _registered() -> tuple[int, float] | None:
    """The worker that is noted, whether it lives or not."""
    try:
        noted = json.loads(_register_path().read_text())
        return int(noted["pid"]), float(noted["since"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def _replaced() -> bool:
    """True once another worker is noted in this one's place, and lives."""
    noted = _registered()
    return noted is not None and noted != identity() and is_alive(*noted)


def _outdated() -> bool:
    """True if the worker is of another version, and whoever wanted it began before this process did: so of
    two servers of different versions the one that was started last has its way.
    """
    try:
        noted = json.loads(_register_path().read_text())
        return noted.get("program") != program() and _wanted() < STARTED
    except (OSError, ValueError, AttributeError, RecursionError):
        return False


def _wanted() -> float:
    """When the process began that asked for the worker that is noted."""
    try:
        return float(json.loads(_register_path().read_text())["wanted"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return 0.0


def _registered_alive() -> bool:
    noted = _registered()
    return noted is not None and is_alive(*noted)


if __name__ == "__main__":
    main()
