"""How a record goes: under another name first, while the queue notes it; then for good.

Whoever is killed between the two leaves a record that nobody owns: the next sweep brings it back, or ends it.
One that somebody has deleted lies there for a while, and can be brought back whole.
"""

from __future__ import annotations

import logging
import secrets
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from ldp_core.errors import DiskFull, StorageFailed, UnknownJob
from ldp_core.runs import queue
from ldp_core.runs.record import run_cache, shelf
from ldp_core.runs.record.weights import Kept, files_of
from ldp_core.runs.storage import disk_space
from ldp_core.runs.storage.holding import is_written
from ldp_core.runs.storage.paths import runs_dir

PIN = "pinned"
"""The file that marks a record which stays whatever happens."""
GONE = ".removed"
"""What the names of records end in that were removed and are still there."""
DELETED = ".deleted"
"""… and of those that somebody has deleted, and may have back."""
UNDO_SECONDS = 600.0
"""So long."""


class Stuck(StorageFailed):
    """A record's folder that cannot be renamed."""


def remove_with(note: Callable[[Callable[[], bool]], bool], folder: Path) -> bool:
    """Put a record away while it is noted that it is gone; False, and nothing is done, if it may not be.

    On a full disk there may be no room to note it in, and nothing kept back any more. Only then what takes
    the room is removed before it is noted: whoever is killed at this moment leaves a job without its record.

    Args:
        note: does what it is given, and writes down that it is done.
        folder: the record.

    Raises:
        Stuck: the folder cannot be renamed.
        StorageFailed: it cannot be noted. The record is back in its place, unless it had to go first and
            even the room that it took was not enough.
    """
    try:
        with suppress(DiskFull):
            return note(partial(put_away_unpinned, folder))
        sweep()  # which brings the record back
        disk_space.give_up()
        with suppress(DiskFull):
            return note(partial(put_away_unpinned, folder))
        sweep()
        return note(partial(_clear_unpinned, folder))
    finally:
        sweep()
        disk_space.keep_back()


def _clear_unpinned(folder: Path) -> bool:
    """Put a record away and remove it at once; False for one that was pinned since it was looked at."""
    if not put_away_unpinned(folder):
        return False
    for away in folder.parent.glob(f"{folder.name}.*{GONE}"):
        shutil.rmtree(away, ignore_errors=True)
    return True


def put_away_unpinned(folder: Path, name: str = "") -> bool:
    """Put a record away; False for one that was pinned since it was looked at, which stays."""
    if (folder / PIN).exists():
        return False
    put_away(folder, name)
    return True


def put_away(folder: Path, name: str = "") -> None:
    """Give a record another name, under which it is nobody's and waits to be removed.

    Raises:
        Stuck: it cannot be renamed, or somebody still writes to it.
    """
    if is_written(folder):
        raise Stuck(f"the record of job {folder.name} is still being written; try again in a moment")
    try:
        folder.rename(folder.with_name(name or _other_name(folder, GONE)))
    except FileNotFoundError:
        pass
    except OSError as error:
        why = f"the record of job {folder.name} cannot be removed ({error.strerror})"
        raise Stuck(f"{why}; see who may write to the folder of runs") from error


def _other_name(folder: Path, ending: str) -> str:
    return f"{folder.name}.{secrets.token_hex(3)}{ending}"


def delete(identity: str, folder: Path) -> bool:
    """Put a job and its record aside for UNDO_SECONDS, from where `bring_back` has them; False, and nothing
    is done, if it may not be. Where the disk is short of room it goes for good.

    Raises:
        DiskFull: there is not even room to note it.
        StorageFailed: the folder cannot be renamed, or it cannot be noted.
    """
    away = _other_name(folder, DELETED)
    try:
        return queue.put_aside(identity, away, partial(put_away_unpinned, folder, away))
    finally:
        sweep()


def bring_back(identity: str) -> None:
    """Have a job and its record as they were before they were deleted.

    Raises:
        UnknownJob: it does not lie aside, or not any more.
        NotNow: another job has its id now.
        StorageFailed: its folder cannot be renamed, or it cannot be noted.
    """
    moved = list[tuple[Path, Path]]()

    def first(away: str) -> None:
        lies = runs_dir() / "jobs" / away
        try:
            if lies.exists():  # its record may have been removed long before
                moved.append((lies.rename(lies.with_name(identity)), lies))
        except OSError as error:
            raise Stuck(f"the record of job {identity} cannot be brought back ({error.strerror})") from error

    try:
        queue.bring_back(identity, first)
    except BaseException:
        for here, lay in moved:
            here.rename(lay)
        raise


def deleted() -> list[Kept]:
    """What lies aside, the oldest first, with the bytes that it takes."""
    found = list[Kept]()
    for one in queue.aside():
        files, beside = files_of(runs_dir() / "jobs" / one.away)
        found.append(Kept(one.job, sum(files.values()), False, files, beside, deleted=True))
    return found


def sweep() -> list[str]:
    """Remove what was put away, and what was deleted and is due; what else belongs to no job is left alone:
    the queue may have been lost.

    What the queue knows nothing of, because it could not be written or somebody was killed before it was,
    is brought back.
    """
    root, removed = runs_dir() / "jobs", list[str]()
    try:
        stays = _not_due()
    except StorageFailed:  # nobody can tell now
        logging.exception("nothing is removed")
        return removed
    for folder in [one for end in (GONE, DELETED) for one in root.glob(f"*{end}") if one.is_dir()]:
        if folder.name in stays:
            continue
        try:
            if _brought_back(folder):
                continue
        except (StorageFailed, OSError):  # nobody can tell now
            logging.exception("%s stays", folder.name)
            continue
        run_cache.forget(folder.name.partition(".")[0])
        shutil.rmtree(folder, ignore_errors=True)
        removed.append(folder.name)
    return removed


def _not_due() -> set[str]:
    """The names of the records that may still be brought back; the queue forgets the jobs of the others."""
    stays, now = set[str](), time.time()
    for one in queue.aside():
        if 0 <= now - one.at <= UNDO_SECONDS and not disk_space.is_tight():
            stays.add(one.away)
        else:
            let_go(one.job.id)
    return stays


def let_go(identity: str) -> bool:
    """Have a job that was deleted come back no more; the next sweep removes its record. False if it does not
    lie aside.
    """
    done = queue.forget_aside(identity)
    if done and queue.status(identity) is None:  # or another one has its id now
        shelf.forget(identity)
    return done


def _brought_back(folder: Path) -> bool:
    """Give a record its name again if its job is there and nothing says that it was removed."""
    identity = folder.name.partition(".")[0]
    try:
        if queue.get(identity).removed:
            return False
        with queue.held(identity) as job:  # nobody is about to write it down
            if job.removed or job.folder.exists():
                return False
            folder.rename(job.folder)
            return True
    except UnknownJob:
        return False
