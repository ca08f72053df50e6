"""Computations, such as runs: each is done once, has a content key, and is shared by all jobs that name it.

One with events has a database, `computed/KEY.sqlite`, and a lock, `computed/KEY.lock`, held (`hold`) by the
process that computes it. Its end is a row of the table `computations`; a cell of a sweep has such a row only.
"""

import hashlib
import json
import logging
import re
import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ldp_core.behaviour import version
from ldp_core.engines.choice import bits
from ldp_core.errors import StorageFailed
from ldp_core.experiment import Experiment, plan
from ldp_core.runs.queue.job import STUDIO
from ldp_core.runs.queue.table import changing
from ldp_core.runs.storage import locks_and_heartbeats as locks
from ldp_core.runs.storage.paths import runs_dir

KEY = re.compile(r"(?:[0-9a-f]{16}\.)?(?:imported-)?[0-9a-f]{16}")
"""Keys of records that earlier versions imported begin with a word, which no experiment's key has."""
MOST_CELLS = 50_000
"""Largest number of stored ends without events; the oldest are deleted first."""
BEGUN = "begun"
NAMED = "SELECT value FROM jobs, json_each(iif(json_valid(keys), keys, '[]'))"
"""Keys that jobs name, deleted jobs included."""


class Computation(NamedTuple):
    key: str
    kind: str
    what: str
    """The computed run's experiment, or the job's request, as JSON."""


class StoredEnd(NamedTuple):
    status: str
    figures: dict[str, Any]


def key_of(kind: str, what: str, by: str, salt: str = "", room: str = "") -> str:
    """Key of a computation, from all that decides its result: `what` is computed, `by` which version of the
    program, a `salt` for what must not be shared, and a private room, whose files lie in a folder of its own.
    """
    digest = hashlib.sha256("\n".join((kind, by, what, salt, room)).encode()).hexdigest()[:16]
    return f"{room}.{digest}" if room else digest


def of_run(experiment: Experiment, room: str = "", own: str = "") -> Computation:
    """Computation of a run with events by this engine, on `own` data that the experiment does not name."""
    key = key_of("run", f"{plan(experiment).key} {bits(experiment)}", version(experiment), own, room)
    return Computation(key, "run", json.dumps(experiment.as_json()))


def key_of_figures(experiment: Experiment, equal_to: str, room: str = "") -> str:
    """Key of a run's final figures alone; `equal_to` is their bit class."""
    return key_of("figures", f"{plan(experiment).key} {equal_to}", version(experiment), room=room)


def folder_of(key: str) -> Path:
    """Folder of a key's files, a private room's own; StorageFailed if the text is no key."""
    if not KEY.fullmatch(key):
        raise StorageFailed("the table of jobs is damaged: it names no computation")
    room = key.rpartition(".")[0]
    return runs_dir() / "computed" / room if room else runs_dir() / "computed"


def database(key: str) -> Path:
    return folder_of(key) / f"{key.rpartition('.')[2]}.sqlite"


def lock_of(key: str) -> Path:
    return database(key).with_suffix(".lock")


def hold(key: str, beats: bool = False) -> locks.Held | None:
    """Lock a run, or another computation, for this process; None if another process has locked it."""
    folder_of(key).mkdir(parents=True, exist_ok=True)
    return locks.hold(lock_of(key), beats=beats)


def is_being_computed(key: str) -> bool:
    return locks.is_held(lock_of(key))


def note_begun(computations: Iterable[Computation]) -> None:
    """Register computations as begun: only registered ones are deleted later."""
    rows = [(one.key, one.kind, BEGUN, "{}", time.time()) for one in computations]
    with changing() as db:
        db.executemany("INSERT OR IGNORE INTO computations VALUES (?, ?, ?, ?, ?)", rows)


def unnoted(computations: Iterable[Computation]) -> list[Computation]:
    """Those that were never begun here."""
    found = {one.key: one for one in computations}
    query = "SELECT key FROM computations WHERE key IN (SELECT value FROM json_each(?))"
    known = {row["key"] for row in STUDIO.rows(query, json.dumps([*found]))}
    return [one for key, one in found.items() if key not in known]


def note_ends(rows: Iterable[tuple[str, str, str, dict[str, Any]]]) -> None:
    """Store ends of computations: key, kind, status and figures of each."""
    found = [(key, kind, status, json.dumps(figures), time.time()) for key, kind, status, figures in rows]
    with changing() as db:
        db.executemany("INSERT OR REPLACE INTO computations VALUES (?, ?, ?, ?, ?)", found)


def ended(keys: Collection[str]) -> dict[str, StoredEnd]:
    """Ends of those computations that have ended, by key."""
    query = "SELECT * FROM computations WHERE status != ? AND key IN (SELECT value FROM json_each(?))"
    found = {}
    for row in STUDIO.rows(query, BEGUN, json.dumps([*keys])):
        with suppress(ValueError, TypeError):
            if row["kind"] == "figures" or database(row["key"]).exists():
                found[row["key"]] = StoredEnd(str(row["status"]), dict(json.loads(row["figures"])))
    return found


def left(keys: Sequence[str]) -> list[str]:
    """Keys whose computations have not ended, without duplicates."""
    known = ended(keys)
    return [key for key in dict.fromkeys(keys) if key not in known]


def forget(keys: Collection[str]) -> None:
    """Delete the ends of computations, so that the next request computes them again."""
    query = "DELETE FROM computations WHERE key IN (SELECT value FROM json_each(?))"
    STUDIO.change(query, json.dumps([*keys]))


def sweep() -> list[str]:
    """Delete computations that no job names, and the oldest of many figures; returns the deleted keys. Files
    without a row stay while there is room: the table may have been lost.
    """
    with changing() as db:
        query = f"SELECT key FROM computations WHERE kind != 'figures' AND key NOT IN ({NAMED})"  # noqa: S608
        removed = [row["key"] for row in db.execute(query).fetchall() if unlink(row["key"])]
        db.executemany("DELETE FROM computations WHERE key = ?", [(key,) for key in removed])
        rooms = "SELECT room FROM jobs WHERE room != ''"
        private = "kind = 'figures' AND instr(key, '.') AND substr(key, 1, instr(key, '.') - 1)"
        db.execute(f"DELETE FROM computations WHERE {private} NOT IN ({rooms})")  # noqa: S608
        newest = "SELECT at FROM computations WHERE kind = 'figures' ORDER BY at DESC LIMIT 1 OFFSET ?"
        db.execute(f"DELETE FROM computations WHERE kind = 'figures' AND at <= ({newest})", (MOST_CELLS,))  # noqa: S608
    return removed


def named_by_it_alone(job: str) -> list[str]:
    """Keys of a job's computations that no other job names."""
    query = f"{NAMED} WHERE jobs.id = ?1 EXCEPT {NAMED} WHERE jobs.id != ?1"
    return [row["value"] for row in STUDIO.rows(query, job)]


def unlink(key: str) -> bool:
    """Delete a computation's files; False if another process holds the lock, or if deletion fails."""
    if not folder_of(key).exists():
        return True
    if (held := hold(key)) is None:
        return False
    try:
        for ending in (".sqlite", ".sqlite-journal", ".damaged"):
            database(key).with_suffix(ending).unlink(missing_ok=True)
    except OSError as error:
        logging.warning("computation %s cannot be removed (%s)", key, error.strerror)
        held.close()
        return False
    held.close(remove=True)
    if "." in key:
        with suppress(OSError):  # others are left in its room
            folder_of(key).rmdir()
    return True
