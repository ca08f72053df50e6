"""Writing of computations: events and checkpoints, resumed after a kill."""

import json
import logging
import sqlite3
import time
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from typing import Any, get_args

from ldp_core.errors import DiskFull, KeptLocked, ReadOnly, StorageFailed
from ldp_core.events import Event, RoundDone, Status, event_of
from ldp_core.experiment import parse, plan
from ldp_core.federated.state import State
from ldp_core.runs.lockstep import RunStart, Turn
from ldp_core.runs.record import computations
from ldp_core.runs.record.computations import Computation, database
from ldp_core.runs.record.events import bodies, record, refuse_damaged, sound

FLUSH_SECONDS = 0.1
PLACE = ("event", "round", "client", "upload", "control", "attacker", "iterations")
"""Fields that tell the events of a run apart."""
Place = tuple[Any, ...]
ALL = "all"
"""Name of what is kept of a computation without checkpoints."""
OF_KIND = "SELECT body FROM events WHERE json_extract(body, '$.event') = ?"
BEGINS = "json_extract(body, '$.event') IN ('start', 'round') AND json_extract(body, '$.round') = ?"
AFTER = f"SELECT body FROM events WHERE seq > (SELECT max(seq) FROM events WHERE {BEGINS})"  # noqa: S608
"""Events recorded after those of a round."""


class Recorder:
    """Writes turns of a computation that this process has locked; commits every tenth of a second.

    The events of a turn and the checkpoint after it are one transaction, and events that a resumed run comes
    to again are stored once, so that none is lost or repeated. Committed data survive this process at once,
    and a loss of power once the computation has ended. StorageFailed for a damaged database, which is left
    unchanged.
    """

    def __init__(self, one: Computation, among: int = 1) -> None:
        """`among`: number of recorders in this process; all commits take a twentieth of its time at most."""
        refuse_damaged(one.key)
        self._one, self._among, self._db = one, among, record(one.key).opened(durable=False)
        try:
            _note_begun(self._db, one)
        except BaseException:
            self._db.close()
            raise
        self._waiting, self._flushed, self._pause = list[Turn](), time.monotonic(), FLUSH_SECONDS
        self._repeated = set[Place]()
        """Places of the stored events that the resumed run comes to again."""

    def has_ended(self) -> bool:
        """True if the computation had ended; the shared table, which lacks that after a kill, gets it."""
        row = self._db.execute("SELECT status, figures FROM about").fetchone()
        if row["status"] is not None:
            self._note_end(row["status"], json.loads(row["figures"] or "{}"))
        return row["status"] is not None

    def recorded(self) -> list[dict[str, Any]]:
        with sound(self._one.key):
            return bodies(self._db)

    def start(self) -> RunStart | None:
        """Checkpoint of a begun run; a run without one starts over."""
        row = self._db.execute("SELECT * FROM checkpoint").fetchone()
        if row is None:
            self._db.execute("DELETE FROM events")
            self._db.execute("UPDATE about SET began = ?", (time.time(),))
            return None
        kept = {one["name"]: one["array"] for one in self._db.execute("SELECT * FROM kept")}
        # the kind of engine that a run began with on the CPU goes on
        begun = (one for one in _bodies(self._db, "start") if one.get("device") == "cpu")
        engine = next((one["engine_kind"] or "" for one in begun), "")
        state = State.from_bytes(row["round"], row["weights"], row["uploads"], kept or None, engine)
        self._repeated = {_place(json.loads(one["body"])) for one in self._db.execute(AFTER, (state.round,))}
        return RunStart(state, row["seconds"])

    def kept(self) -> bytes | None:
        """What was last kept of a computation that has no checkpoints."""
        row = self._db.execute("SELECT array FROM kept WHERE name = ?", (ALL,)).fetchone()
        return row and bytes(row["array"])

    def keep(self, array: bytes) -> None:
        """Keep, besides all events so far, what such a computation goes on from, until its end."""
        self.flush()
        self._db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (ALL, array))

    def latest_round(self) -> dict[str, Any]:
        """The latest stored event of a round; empty before the first."""
        newest = f"{OF_KIND} ORDER BY seq DESC LIMIT 1"
        row = self._db.execute(newest, (RoundDone.event,)).fetchone()
        return dict(json.loads(row["body"])) if row else {}

    def write(self, turn: Turn) -> None:
        """Append a turn; committed within a tenth of a second of the next turn."""
        if self._repeated:
            turn = replace(turn, events=[one for one in turn.events if _place(one) not in self._repeated])
        self._waiting.append(turn)
        if time.monotonic() - self._flushed >= self._pause:
            self.flush()

    def add(self, event: dict[str, Any], flush: bool = True) -> None:
        """Append an event of a computation that has no checkpoints."""
        self.write(Turn(0, [event], None, 0.0))
        if flush:
            self.flush()

    def flush(self) -> None:
        """Commit waiting turns, with the latest checkpoint."""
        # taken out first: a signal may interrupt this anywhere, and what is lost is computed again, but what
        # is recorded twice stays
        turns, self._waiting = self._waiting, []
        if not turns:
            return
        began, now = time.monotonic(), time.time()
        rows = [(now, json.dumps(event, allow_nan=False)) for turn in turns for event in turn.events]
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany("INSERT INTO events (at, body) VALUES (?, ?)", rows)
        reached = [(turn.state, turn.seconds) for turn in turns if turn.state is not None and not turn.ends]
        if reached:
            state, seconds = reached[-1]
            self._forget_checkpoint()
            values = (state.round, *state.as_bytes(), seconds)
            self._db.execute("INSERT INTO checkpoint VALUES (1, ?, ?, ?, ?)", values)
            self._db.executemany("INSERT INTO kept VALUES (?, ?)", state.arrays_as_bytes().items())
        self._db.execute("COMMIT")
        self._flushed = time.monotonic()
        self._pause = max(FLUSH_SECONDS, 20 * self._among * (self._flushed - began))

    def end(self, status: str, figures: dict[str, Any]) -> None:
        """Store the end of the computation, in its file, synced to the disk, and in the shared table."""
        self.flush()
        values = (status, json.dumps(figures))
        self._db.execute("PRAGMA synchronous = FULL")  # of the whole file, at the next commit
        query = "UPDATE about SET status = ?, figures = ?, events = (SELECT count(*) FROM events)"
        large = self.kept()
        self._db.execute("BEGIN IMMEDIATE")
        self._db.execute(query, values)
        self._forget_checkpoint()
        self._db.execute("COMMIT")
        if large:
            with suppress(sqlite3.OperationalError):  # without room for a copy the file stays large
                self._db.execute("VACUUM")
        self._note_end(status, figures)

    def _forget_checkpoint(self) -> None:
        self._db.execute("DELETE FROM checkpoint")
        self._db.execute("DELETE FROM kept")

    def _note_end(self, status: str, figures: dict[str, Any]) -> None:
        computations.note_ends([(self._one.key, self._one.kind, status, figures)])

    def close(self) -> None:
        with closing(self._db):
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            self.flush()


def _note_begun(db: sqlite3.Connection, one: Computation) -> None:
    row = (one.kind, one.what, time.time())
    db.execute("INSERT OR IGNORE INTO about (one, kind, what, began) VALUES (1, ?, ?, ?)", row)


def _bodies(db: sqlite3.Connection, event: str) -> list[dict[str, Any]]:
    return [json.loads(row["body"]) for row in db.execute(OF_KIND, (event,))]


def _place(body: dict[str, Any]) -> Place:
    return tuple(body.get(name) for name in PLACE)


def leave_out_what_is_not_its_own(given: Iterable[Computation], kinds: Sequence[type[Event]]) -> None:
    """Check records that this process has locked and that were copied here as files. Those of another
    computation than their name says, or with other `kinds` of event, are moved aside.
    """
    for one in computations.unnoted(given):
        try:
            _refuse_what_is_not_its_own(one, kinds)
        except (DiskFull, KeptLocked, ReadOnly):
            raise
        except StorageFailed as error:
            logging.warning("the copied record %s is left out: %s", one.key, error)
            move_aside(one.key)


def _refuse_what_is_not_its_own(one: Computation, kinds: Sequence[type[Event]]) -> None:
    refuse_damaged(one.key)
    with record(one.key).reading() as db, sound(one.key):
        if db is None:
            return
        about = db.execute("SELECT * FROM about").fetchone()
        if (about["kind"], _content(one.kind, about["what"])) != (one.kind, _content(one.kind, one.what)):
            raise StorageFailed(f"{one.key} is the name of another computation than the one in it")
        events = [event_of(body, kinds) for body in bodies(db)]
        if (status := about["status"]) is not None:
            ends = any(kind.event == "end" for kind in kinds)
            ended = bool(events) and events[-1].event == "end" and events[-1].as_json()["status"] == status
            if len(events) != about["events"] or status not in get_args(Status) or ends != ended:
                raise ValueError("an end without its events")
            dict(json.loads(about["figures"]))


def _content(kind: str, what: str) -> str:
    """What a computation's key is made of: of a run the experiment's own key, which leaves out its name."""
    return plan(parse(json.loads(what))).key if kind == "run" else what


def move_aside(key: str) -> None:
    with suppress(FileNotFoundError):
        database(key).replace(database(key).with_suffix(".damaged"))
