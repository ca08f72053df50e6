"""Checks of folders: runs, data, compiled kernels, disk space, queue, worker."""

import shutil
import tempfile
import time
from pathlib import Path

from ldp_core import datasets
from ldp_core.doctor.finding import Finding, note, ok, wrong
from ldp_core.runs.queue.table import looking
from ldp_core.runs.record import draft_quota, quota
from ldp_core.runs.storage.disk_space import SPARE
from ldp_core.runs.storage.locks_and_heartbeats import STALLED_SECONDS, WORKER, holder
from ldp_core.runs.storage.paths import data_dir, runs_dir
from ldp_core.system import kernel_lock


def runs() -> Finding:
    folder = runs_dir()
    if why := _unwritable(folder):
        return wrong(f"{folder} cannot be written to ({why})", "make it writable, or set EPSILON_RUNS_DIR")
    return ok(str(folder))


def data() -> Finding:
    folder = data_dir()
    above = next(one for one in (folder, *folder.parents) if one.is_dir())
    if why := _unwritable(above):
        return note(
            f"{folder} cannot be written to ({why})", "what is there is used; for more set EPSILON_DATA_DIR"
        )
    return ok(str(folder))


def _unwritable(folder: Path) -> str:
    """Why a folder is not writable; "" if it is."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
    except OSError as error:
        return error.strerror or type(error).__name__
    return ""


def locks() -> Finding:
    """Whether the file system of the runs has reliable locks, between containers too."""
    if why := kernel_lock.missing(runs_dir()):
        return wrong(
            f"the folder of runs has none ({why}), so nothing is launched there",
            "set EPSILON_RUNS_DIR to a folder on a disk of this machine",
        )
    return ok("the kernel's, one writer a record")


def disk() -> Finding:
    """Free disk space, and the quota."""
    free, taken, most = shutil.disk_usage(runs_dir()).free, quota.taken(), quota.most_bytes()
    drafts = draft_quota.most_bytes()
    found = f"{free / 1e9:.1f} GB free; runs take {taken / 1e9:.2f} of {most / 1e9:g} GB"
    if free < SPARE:
        return wrong(found, f"nothing is launched below {SPARE / 1e9:g} GB; delete runs, or make room")
    if free + taken < most + drafts + SPARE:
        return note(found, "the disk is full before the quota is; lower EPSILON_QUOTA_GB")
    return ok(found)


def queue() -> Finding:
    with looking() as db:
        if db is None:
            return ok("empty: nothing was launched yet")
        (state,) = db.execute("PRAGMA quick_check(1)").fetchone()
        if state != "ok":
            return wrong(f"damaged ({state})", "move studio.sqlite away; records stay, and are not listed")
        rows = db.execute("SELECT status, COUNT(*) FROM jobs GROUP BY status ORDER BY status")
        return ok(", ".join(f"{count} {status}" for status, count in rows) or "empty")


def worker() -> Finding:
    noted = holder(runs_dir() / WORKER)
    if noted is None:
        return ok("none; whoever launches something, or the server, starts one")
    silent = time.time() - (runs_dir() / WORKER).stat().st_mtime
    if silent > STALLED_SECONDS:
        return note(
            f"{noted.in_words()}, not heard of for {silent:.0f} s",
            "it may stand still: continue it (kill -CONT) or end it (kill -KILL), and another one begins",
        )
    return ok(noted.in_words())


def sets() -> Finding:
    root = data_dir()
    names = datasets.registry.labels()
    here = [name for name in names if datasets.get(name).there(root)]
    missing = [name for name in names if name not in here]
    if unusable := datasets.registry.unusable():
        return note("; ".join(unusable))
    found = f"{', '.join(here)}; to be fetched: {', '.join(missing)}" if missing else ", ".join(here)
    return ok(found, "python -m ldp_core data NAME" if missing else "")
