"""Writing of computations: events and checkpoints, resumed after a kill."""

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from typing import Any

from ldp_core.events import Frame
from ldp_core.federated.state import State
from ldp_core.runs.lockstep import Start, Turn
from ldp_core.runs.record import computations
from ldp_core.runs.record.computations import Computation, database
from ldp_core.runs.record.events import FORMAT, Stored, bodies, refuse_damaged, sound
from ldp_core.runs.storage.database import opened, persist, writing

SCHEMA = f"""
CREATE TABLE IF NOT EXISTS about (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    kind TEXT NOT NULL,
    what TEXT NOT NULL,        -- as JSON: the experiment, or the request
    began REAL NOT NULL,       -- seconds since 1970
    status TEXT,               -- NULL until it has ended
    figures TEXT,              -- as JSON
    events INTEGER             -- how many there are then
);
CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    body TEXT NOT NULL         -- as JSON
);
CREATE TABLE IF NOT EXISTS checkpoint (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    round INTEGER NOT NULL,
    weights BLOB NOT NULL,     -- float32, little-endian
    uploads BLOB NOT NULL,     -- int64, little-endian: of each client
    seconds REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS kept (
    name TEXT PRIMARY KEY,
    array BLOB NOT NULL        -- of the checkpoint: what a system's clients keep, in numpy's format
);
PRAGMA user_version = {FORMAT};
"""
FLUSH_SECONDS = 0.1


class Recorder:
    """Writes turns of the computations that this process has locked; commits every tenth of a second.

    The events of a turn and the checkpoint after it are one transaction, so a resumed run neither loses nor
    repeats an event. Committed data survive this process at once, and a loss of power once the computation
    has ended. StorageFailed for a damaged database, which is left unchanged.
    """

    def __init__(self, given: Mapping[int, Computation]) -> None:
        """Computations are `given` by the number that turns name them by; those that had ended, though the
        shared table lacks it (after a kill), are noted there and dropped.
        """
        self.given = dict[int, Computation]()
        for one in given.values():
            refuse_damaged(one.key)
        computations.note_begun(given.values())
        self._dbs: dict[int, sqlite3.Connection] = {}
        with ExitStack() as undo:
            for number, one in given.items():
                db = undo.enter_context(closing(opened(database(one.key), SCHEMA, durable=False)))
                _note_begun(db, one)
                row = db.execute("SELECT status, figures FROM about").fetchone()
                if row["status"] is None:
                    self.given[number], self._dbs[number] = one, db
                else:
                    db.close()
                    figures = json.loads(row["figures"] or "{}")
                    computations.note_ends([(one.key, one.kind, row["status"], figures)])
            undo.pop_all()
        self._within = {number: {*map(_place, _bodies(db, Frame.event))} for number, db in self._dbs.items()}
        self._waiting: list[Turn] = []
        self._flushed = time.monotonic()
        self._pause = FLUSH_SECONDS

    def recorded(self, number: int) -> list[dict[str, Any]]:
        with sound(self.given[number].key):
            return bodies(self._dbs[number])

    def starts(self) -> dict[int, Start]:
        """Checkpoints of begun runs by number; runs without one start over."""
        found = {}
        for number, db in self._dbs.items():
            row = db.execute("SELECT * FROM checkpoint").fetchone()
            if row is None:
                db.execute("DELETE FROM events")
                db.execute("UPDATE about SET began = ?", (time.time(),))
                self._within[number].clear()
                continue
            kept = {one["name"]: one["array"] for one in db.execute("SELECT * FROM kept")}
            # the kind of engine that a run began with on the CPU goes on
            engine = [one["engine_kind"] or "" for one in _bodies(db, "start") if one.get("device") == "cpu"]
            state = State.from_bytes(row["round"], row["weights"], row["uploads"], kept or None, *engine[:1])
            found[number] = Start(state, row["seconds"])
        return found

    def write(self, turn: Turn) -> None:
        """Append a turn; committed within a tenth of a second of the next turn."""
        if turn.within:  # a resumed round repeats frames that are stored already
            known = self._within[turn.run]
            new = [one for one in turn.events if one["event"] != Frame.event or _place(one) not in known]
            known.update(_place(one) for one in new if one["event"] == Frame.event)
            turn = replace(turn, events=new)
        self._waiting.append(turn)
        if time.monotonic() - self._flushed >= self._pause:
            self.flush()

    def add(self, event: dict[str, Any], flush: bool = True) -> None:
        """Append an event of a computation that has no checkpoints."""
        self.write(Turn(0, [event], None, 0.0))
        if flush:
            self.flush()

    def flush(self) -> None:
        """Commit waiting turns, with the latest checkpoint of each run."""
        began = time.monotonic()
        # taken out first: a signal may interrupt this anywhere, and what is lost is computed again, but what
        # is recorded twice stays
        turns, self._waiting = self._waiting, []
        for number in dict.fromkeys(turn.run for turn in turns):
            self._commit(self._dbs[number], [turn for turn in turns if turn.run == number])
        self._flushed = time.monotonic()
        # of many runs, or a large model, it is done seldom enough to cost a twentieth of the time
        self._pause = max(FLUSH_SECONDS, 20 * (self._flushed - began))

    def _commit(self, db: sqlite3.Connection, turns: list[Turn]) -> None:
        now, whole = time.time(), [turn for turn in turns if not turn.within]
        rows = [(now, json.dumps(event, allow_nan=False)) for turn in turns for event in turn.events]
        db.execute("BEGIN IMMEDIATE")
        db.executemany("INSERT INTO events (at, body) VALUES (?, ?)", rows)
        if whole:
            state = whole[-1].state
            db.execute("DELETE FROM checkpoint")
            db.execute("DELETE FROM kept")
            if state is not None:
                values = (state.round, *state.as_bytes(), whole[-1].seconds)
                db.execute("INSERT INTO checkpoint VALUES (1, ?, ?, ?, ?)", values)
                db.executemany("INSERT INTO kept VALUES (?, ?)", state.arrays_as_bytes().items())
        db.execute("COMMIT")

    def end(self, number: int, status: str, figures: dict[str, Any]) -> None:
        """Store the end of a computation, in its file, synced to the disk, and in the shared table."""
        self.flush()
        db, one = self._dbs[number], self.given[number]
        values = (status, json.dumps(figures))
        db.execute("UPDATE about SET status = ?, figures = ?, events = (SELECT count(*) FROM events)", values)
        persist(database(one.key))
        computations.note_ends([(one.key, one.kind, status, figures)])

    def close(self) -> None:
        try:
            for db in self._dbs.values():
                if db.in_transaction:
                    db.execute("ROLLBACK")
            self.flush()
        finally:
            for db in self._dbs.values():
                db.close()


def _note_begun(db: sqlite3.Connection, one: Computation) -> None:
    row = (one.kind, one.what, time.time())
    db.execute("INSERT OR IGNORE INTO about (one, kind, what, began) VALUES (1, ?, ?, ?)", row)


def _bodies(db: sqlite3.Connection, event: str) -> list[dict[str, Any]]:
    query = "SELECT body FROM events WHERE json_extract(body, '$.event') = ?"
    return [json.loads(row["body"]) for row in db.execute(query, (event,))]


def _place(body: dict[str, Any]) -> tuple[int, int, int]:
    return body["round"], body["client"], body["iterations"]


def restore(given: Sequence[Computation], events: Iterable[Stored]) -> None:
    """Write imported records, whose locks this process holds; an event's run is the index of its record."""
    with ExitStack() as stack:
        dbs = [stack.enter_context(writing(database(one.key), SCHEMA)) for one in given]
        for db, one in zip(dbs, given, strict=True):
            _note_begun(db, one)
        for event in events:
            body = json.dumps(event.body, allow_nan=False)
            dbs[event.run].execute("INSERT INTO events (at, body) VALUES (?, ?)", (event.at, body))
        for db in dbs:
            db.execute("UPDATE about SET status = 'imported', events = (SELECT count(*) FROM events)")


def move_aside(key: str) -> None:
    with suppress(FileNotFoundError):
        database(key).replace(database(key).with_suffix(".damaged"))
