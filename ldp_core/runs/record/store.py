"""The record of one job: its runs' events and last states. All of it stays where a job is cancelled."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ldp_core.errors import StorageFailed
from ldp_core.experiment import Run
from ldp_core.federated.state import State
from ldp_core.runs.lockstep import Start, Turn
from ldp_core.runs.record import reference
from ldp_core.runs.record.reference import Source
from ldp_core.runs.record.told_within import ToldWithin
from ldp_core.runs.storage.database import opened, persist, reading, writing

SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    run INTEGER PRIMARY KEY,
    variant INTEGER NOT NULL,
    label TEXT NOT NULL,
    seed INTEGER NOT NULL,
    key TEXT NOT NULL,         -- the experiment's identity
    experiment TEXT NOT NULL   -- as JSON
);
CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    at REAL NOT NULL,          -- seconds since 1970
    body TEXT NOT NULL         -- as JSON
);
CREATE TABLE IF NOT EXISTS checkpoints (
    run INTEGER PRIMARY KEY,
    round INTEGER NOT NULL,
    weights BLOB NOT NULL,     -- float32, little-endian
    uploads BLOB NOT NULL,     -- int64, little-endian: of each client
    seconds REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS kept (
    run INTEGER NOT NULL,
    name TEXT NOT NULL,
    array BLOB NOT NULL,       -- of the checkpoint: what a system's clients keep, in numpy's format
    PRIMARY KEY (run, name)
);
CREATE TABLE IF NOT EXISTS copied (
    run INTEGER PRIMARY KEY,
    job TEXT NOT NULL          -- where the run was trained before
);
CREATE TABLE IF NOT EXISTS programs (
    program TEXT PRIMARY KEY   -- the versions of the program that have trained here
);
PRAGMA user_version = 2;
"""
ENDS = f"json_extract(body, '$.event') IN ('end', '{reference.EVENT}')"
AT_MOST = 1_000_000
"""Characters of a text that is looked at in a list: a longer one is believed."""
FLUSH_SECONDS = 0.1


@dataclass(frozen=True)
class Stored:
    """One stored event."""

    seq: int
    run: int
    at: float
    body: dict[str, Any]


def restore(folder: Path, runs: Sequence[Run], events: Iterable[Stored]) -> None:
    """Make the record of a job from what was carried away of it."""
    with writing(database(folder), SCHEMA) as db:
        _add(db, runs)
        rows = ((one.seq, one.run, one.at, json.dumps(one.body, allow_nan=False)) for one in events)
        db.executemany("INSERT INTO events VALUES (?, ?, ?, ?)", rows)


def _add(db: sqlite3.Connection, runs: Iterable[Run]) -> None:
    for number, run in enumerate(runs):
        experiment = run.experiment
        text = json.dumps(experiment.as_json())
        row = (number, run.variant, run.label, experiment.seed, experiment.key, text)
        db.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?)", row)


class Recorder:
    """Writes a job's turns; commits a tenth of a second's worth at a time.

    The events of a turn and the state after it are committed together, so that whoever takes the job
    up again loses no event and tells none twice. A folder that has a record already is taken up.

    Args:
        folder: of the job.
        runs: of the job.
        at_once: nothing needs to outlive a loss of power before all of it is closed.

    Raises:
        StorageFailed: it has one that is damaged, which is left as it is.
    """

    def __init__(self, folder: Path, runs: Sequence[Run], at_once: bool = False) -> None:
        refuse_damaged(folder)
        self.folder, self._at_once = folder, at_once
        self._db = opened(database(folder), SCHEMA, durable=not at_once)
        self._db.executescript(SCHEMA)  # a record of an older version has no checkpoints yet
        if not self._db.execute("SELECT 1 FROM runs LIMIT 1").fetchone():
            self._db.execute("BEGIN IMMEDIATE")
            _add(self._db, runs)
            self._db.execute("COMMIT")
        self._within = ToldWithin(self._db)
        self._waiting: list[Turn] = []
        self._flushed = time.monotonic()
        self._pause = FLUSH_SECONDS

    def ended(self) -> set[int]:
        """The runs whose end is recorded."""
        rows = self._db.execute(f"SELECT run FROM events WHERE {ENDS}")  # noqa: S608
        return {row["run"] for row in rows}

    def begun_by(self, program: str) -> bool:
        """Note which version of the program goes on here; False if another one has trained some of it."""
        known = {row["program"] for row in self._db.execute("SELECT program FROM programs")}
        if not known and self._db.execute("SELECT 1 FROM events LIMIT 1").fetchone():
            known = {"one that did not say"}
        self._db.execute("INSERT OR IGNORE INTO programs VALUES (?)", (program,))
        return known <= {program}

    def forget_what_cannot_go_on(self) -> None:
        """Of a run that has neither an end nor a state to go on from, nothing is kept: it begins anew.

        A record of the first version has no states.
        """
        self._db.execute(
            "DELETE FROM events WHERE run NOT IN (SELECT run FROM checkpoints) AND run NOT IN "  # noqa: S608
            f"(SELECT run FROM events WHERE {ENDS})"
        )

    def starts(self) -> dict[int, Start]:
        """Where the runs that were begun can be taken up."""
        kept: dict[int, dict[str, bytes]] = {}
        for row in self._db.execute("SELECT * FROM kept"):
            kept.setdefault(row["run"], {})[row["name"]] = row["array"]
        engines = {
            row["run"]: str(row["engine"] or "")
            for row in self._db.execute(
                "SELECT run, json_extract(body, '$.engine_kind') AS engine FROM events "
                "WHERE json_extract(body, '$.event') = 'start' AND json_extract(body, '$.device') = 'cpu'"
            )
        }
        rows = self._db.execute("SELECT * FROM checkpoints").fetchall()
        return {
            row["run"]: Start(
                State.from_bytes(
                    row["round"],
                    row["weights"],
                    row["uploads"],
                    kept.get(row["run"]),
                    engines.get(row["run"], ""),
                ),
                row["seconds"],
            )
            for row in rows
        }

    def write(self, turn: Turn) -> None:
        """Append a turn; it reaches the disk within a tenth of a second of the next one."""
        self._waiting.append(self._within.new(turn))
        if time.monotonic() - self._flushed >= self._pause:
            self.flush()

    def told(self, run: int) -> list[dict[str, Any]]:
        """What is recorded of a run so far."""
        rows = self._db.execute("SELECT body FROM events WHERE run = ? ORDER BY seq", (run,))
        with sound(self.folder):
            return [body for row in rows for body in _bodies(self.folder, row["body"])]

    def refer(self, run: int, source: Source, job: str, skip: int = 0) -> None:
        """Record a run that a job has trained before, without its first events, by reference to its record,
        which must never change again.

        Raises:
            OSError: it is not there any more, or cannot be linked to.
        """
        self.copy(run, [reference.link(source, self.folder) | {"skip": skip}], job)

    def refers_only(self) -> bool:
        """True if nothing stands here but references."""
        rows = self._db.execute("SELECT DISTINCT json_extract(body, '$.event') AS kind FROM events")
        return {row["kind"] for row in rows} == {reference.EVENT}

    def copy(self, run: int, bodies: Sequence[dict[str, Any]], job: str) -> None:
        """Record a run, or the rest of one, that a job has trained before."""
        self._db.execute("BEGIN IMMEDIATE")
        self._db.execute("INSERT OR REPLACE INTO copied VALUES (?, ?)", (run, job))
        self._forget_state(run)
        now = time.time()
        rows = [(run, now, json.dumps(body)) for body in bodies]
        self._db.executemany("INSERT INTO events (run, at, body) VALUES (?, ?, ?)", rows)
        self._db.execute("COMMIT")

    def flush(self) -> None:
        """Commit what is waiting, with the newest state of each run."""
        began = time.monotonic()
        # taken out first: a signal may interrupt this anywhere, and what is lost is trained again, but
        # what is told twice stays
        turns, self._waiting = self._waiting, []
        if turns:
            now = time.time()
            rows = [
                (turn.run, now, json.dumps(event, allow_nan=False)) for turn in turns for event in turn.events
            ]
            newest = {turn.run: turn for turn in turns if not turn.within}
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT INTO events (run, at, body) VALUES (?, ?, ?)", rows)
            for turn in newest.values():
                self._forget_state(turn.run)
                if turn.state is not None:
                    kept = (turn.run, turn.state.round, *turn.state.as_bytes(), turn.seconds)
                    self._db.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?)", kept)
                    arrays = [(turn.run, *item) for item in turn.state.arrays_as_bytes().items()]
                    self._db.executemany("INSERT INTO kept VALUES (?, ?, ?)", arrays)
            self._db.execute("COMMIT")
        self._flushed = time.monotonic()
        # of a large model the state is written seldom enough to cost a twentieth of the time
        self._pause = max(FLUSH_SECONDS, 20 * (self._flushed - began))

    def _forget_state(self, run: int) -> None:
        self._db.execute("DELETE FROM checkpoints WHERE run = ?", (run,))
        self._db.execute("DELETE FROM kept WHERE run = ?", (run,))

    def close(self) -> None:
        """Commit what is waiting and let go of the database."""
        try:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            self.flush()
        finally:
            self._db.close()
        if self._at_once:
            persist(database(self.folder))


def database(folder: Path) -> Path:
    """The database of a job's folder."""
    return folder / "events.sqlite"


def runs_of(folder: Path) -> list[dict[str, Any]]:
    """The runs of a job, as rows (experiment still as JSON text); empty before it has started."""
    with reading(database(folder)) as db:
        return [dict(row) for row in db.execute("SELECT * FROM runs ORDER BY run")] if db else []


def began(folder: Path) -> float | None:
    """When a job's first event was stored, which tells its record from one that stood there before it."""
    with reading(database(folder)) as db:
        row = db and db.execute("SELECT at FROM events ORDER BY seq LIMIT 1").fetchone()
    return float(row["at"]) if row else None


def events_after(folder: Path, seq: int = 0) -> list[Stored]:
    """The events of a job that came after event number `seq`, in order. Those of a run that it refers to came
    at once, and have one number.

    Raises:
        StorageFailed: they cannot be read.
    """
    return list(each_event(folder, seq))


def each_event(folder: Path, seq: int = 0) -> Iterator[Stored]:
    """The same, one at a time: a record takes five times its size as objects."""
    with reading(database(folder)) as db:
        for row in db.execute("SELECT * FROM events WHERE seq > ? ORDER BY seq", (seq,)) if db else ():
            with sound(folder):
                bodies = _bodies(folder, row["body"])
            yield from (Stored(row["seq"], row["run"], row["at"], body) for body in bodies)


def told_of(folder: Path, run: int) -> list[dict[str, Any]]:
    """The events of one run of a job.

    Raises:
        StorageFailed: they cannot be read.
    """
    with sound(folder):
        return [body for text in _texts(folder, run) for body in _bodies(folder, text)]


def source_of(folder: Path, run: int) -> Source | None:
    """Where all of a run of a job is stored: in its own database, or in one that this refers to.

    None for what was begun here and goes on there.

    Raises:
        StorageFailed: it cannot be read.
    """
    texts = _texts(folder, run, "DESC LIMIT 2")[::-1]
    with sound(folder):
        last = _body(texts[-1]) if texts else {"event": ""}
        if last["event"] != reference.EVENT:
            return Source(database(folder), folder.name, run)
        path = reference.path_of(folder, last)
        return Source(path, last["file"], int(last["run"])) if len(texts) == 1 else None


def _texts(folder: Path, run: int, order: str = "ASC") -> list[str]:
    with reading(database(folder)) as db:
        query = f"SELECT body FROM events WHERE run = ? ORDER BY seq {order}"  # noqa: S608
        return [row["body"] for row in db.execute(query, (run,))] if db else []


def _bodies(folder: Path, text: str) -> list[dict[str, Any]]:
    """The events that one line of the table of events stands for."""
    body = _body(text)
    return reference.bodies(folder, body) if body["event"] == reference.EVENT else [body]


def _body(text: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(text)
    body["event"]  # none is without
    return body


@contextmanager
def sound(folder: Path) -> Iterator[None]:
    """Around what makes sense of a record: if it makes none, the record is damaged.

    Raises:
        StorageFailed: in place of whatever went wrong.
    """
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, FileNotFoundError) as error:
        name = database(folder).name
        raise StorageFailed(f"{name} is damaged: its record cannot be read; train it again") from error


def glance(folder: Path) -> bool:
    """True if a job has a record whose beginning and end can be read; False if it has none.

    Raises:
        StorageFailed: it is damaged. What is damaged in its middle shows when that is read.
    """
    with reading(database(folder)) as db:
        if db is None:
            return False
        # SQLite says whether it is JSON; only what may be a reference, which is short, is brought here
        query = (
            "SELECT json_valid(body) AS whole, iif(length(body) < 1000, body, NULL) AS short FROM events "
            "WHERE seq = (SELECT MAX(seq) FROM events) AND length(body) < ?"
        )
        newest = db.execute(query, (AT_MOST,)).fetchone()
        query = "SELECT json_valid(experiment) AS whole FROM runs WHERE run = 0 AND length(experiment) < ?"
        first = db.execute(query, (AT_MOST,)).fetchone()
    with sound(folder):
        if not all(row["whole"] for row in (newest, first) if row):
            raise ValueError("no JSON")
        if newest and newest["short"] and (body := _body(newest["short"]))["event"] == reference.EVENT:
            reference.path_of(folder, body).stat()
    return True


def refuse_damaged(folder: Path) -> None:
    """Do nothing for a record that is whole, or that is not there yet.

    Raises:
        StorageFailed: SQLite finds that pages are missing or do not fit together.
    """
    with reading(database(folder)) as db:
        found = "ok" if db is None else db.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        name = database(folder).name
        raise StorageFailed(f"{name} is damaged: its record cannot be taken up; train it again")


def copied(folder: Path) -> dict[int, str]:
    """The runs of a job that were trained before, with the id of the job that did."""
    with reading(database(folder)) as db:
        if db is None or not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'copied'").fetchone():
            return {}
        return {row["run"]: row["job"] for row in db.execute("SELECT * FROM copied")}
