"""Students' input: names, guesses, and runs that they try."""

import json
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ldp_core.classroom import names, topics
from ldp_core.classroom.sessions import HOURS, Session, refuse_students
from ldp_core.classroom.store import CLASSES, UnknownClass
from ldp_core.errors import InvalidInput, NotNow
from ldp_core.runs.queue.permissions import Person
from ldp_core.runs.storage import inventory
from ldp_core.runs.storage.inventory import StoredItem

NUMBER = re.compile(r"no\W*\d+", re.IGNORECASE)
BYTES = 20_000
"""Most bytes of a member: name, guesses at all topics, bits, a drawing, and the list of own runs."""
MOST_TRIES = 20
"""Largest number of a student's own runs on one question."""
Value = float | str


@dataclass(frozen=True)
class Member:
    number: int
    """Number in the order of joining, from 1."""
    name: str
    guessed: bool = False
    """Whether the student has guessed at the question, sent a bit or drawn a digit, as the topic asks."""


@dataclass(frozen=True)
class Guess:
    name: str
    value: Value


@dataclass(frozen=True)
class Try:
    name: str
    job: str
    value: str
    """Chosen value of the free field."""


def join(session: Session, who: str, name: str = "", address: str = "") -> Member:
    """Join a class, or change one's name in it; without a name a student gets a number. Raises UnknownClass:
    the class has ended; InvalidInput: the name is too long, or looks like another student's; NotNow: the
    class is full, for all or for this network address (a digest), or locked, or the teacher has taken this
    visitor out.
    """
    wanted = "" if session.numbered else names.cleaned(name)
    with CLASSES.writing() as db:
        refuse_ended(db, session.code)
        query = "SELECT 1 FROM removed WHERE code = ? AND who = ?"
        if db.execute(query, (session.code, who)).fetchone():
            raise NotNow("the teacher has taken you out of this class; ask to be let in again")
        rows = db.execute("SELECT * FROM member WHERE code = ?", (session.code,)).fetchall()
        mine = next((row for row in rows if row["who"] == who), None)
        locked = db.execute("SELECT 1 FROM rule WHERE code = ? AND locked", (session.code,)).fetchone()
        if mine is None and locked:
            raise NotNow("this class is locked: its teacher lets nobody new in now")
        query = "SELECT 1 FROM renamed WHERE code = ? AND who = ?"
        if db.execute(query, (session.code, who)).fetchone():
            raise NotNow("the teacher has given you this name; ask for another one")
        number = mine["number"] if mine else 1 + max((row["number"] for row in rows), default=0)
        called = _call(db, session, who, number, wanted)
        if mine is None:  # where it is refused nothing is stored
            inventory.enter(_entry(session.code, session.opened, who, address or None))
        return called


def _entry(code: str, opened: float, who: str, address: str | None = None) -> StoredItem:
    end = opened + 3600 * HOURS
    return StoredItem("member", f"{code} {who}", BYTES, time.time(), end, who, address, part=code)


def lying() -> list[StoredItem]:
    rows = CLASSES.rows("SELECT code, opened, who FROM member JOIN class USING (code)")
    return [_entry(*row)._replace(at=0.0) for row in rows]


def erase(identity: str) -> None:
    with CLASSES.writing() as db:
        _forget(db, *identity.split(" ", 1))


def _call(db: Any, session: Session, who: str, number: int, wanted: str) -> Member:
    """Store a member's name; InvalidInput if it looks like another's, or like a number."""
    called = wanted or f"no. {number}"
    if wanted and NUMBER.fullmatch(names.latin(wanted)):
        raise InvalidInput("names like “no. 2” are for those who give none; type another name")
    others = db.execute("SELECT name FROM member WHERE code = ? AND who != ?", (session.code, who))
    if any(names.skeleton(row["name"]) == names.skeleton(called) for row in others):
        raise InvalidInput(f"another student here is called “{called}” already, or looks so; add a letter")
    db.execute("INSERT OR REPLACE INTO member VALUES (?, ?, ?, ?)", (session.code, who, number, called))
    return Member(number, called)


def rename(session: Session, teacher: Person, number: int, name: str) -> None:
    """Give a student another name, or the number if empty."""
    refuse_students(teacher)
    wanted = names.cleaned(name)
    with CLASSES.writing() as db:
        if found := _numbered(db, session, number):
            _call(db, session, found, number, wanted)
            db.execute("INSERT OR IGNORE INTO renamed VALUES (?, ?)", (session.code, found))


def remove(session: Session, teacher: Person, number: int) -> None:
    """Keep a visitor out of the class, and delete what they have left, as `leave` does; of a drawing that is
    in use the name at least.
    """
    refuse_students(teacher)
    with CLASSES.writing() as db:
        if not (who := _numbered(db, session, number)):
            return
        db.execute("INSERT OR IGNORE INTO removed VALUES (?, ?)", (session.code, who))
        _call(db, session, who, number, "")
    with suppress(NotNow):
        leave(session, who)


def let_in(session: Session, teacher: Person) -> None:
    """Let all join again whom the teacher has removed."""
    refuse_students(teacher)
    CLASSES.change("DELETE FROM removed WHERE code = ?", session.code)


def removed(session: Session) -> int:
    return int(CLASSES.rows("SELECT count(*) FROM removed WHERE code = ?", session.code)[0][0])


def _numbered(db: Any, session: Session, number: int) -> str | None:
    row = db.execute(
        "SELECT who FROM member WHERE code = ? AND number = ?", (session.code, number)
    ).fetchone()
    return str(row["who"]) if row else None


def leave(session: Session, who: str) -> None:
    """Delete a student's name, guesses, drawing and own runs' entries; what the class has trained on stays
    until it ends. Raises NotNow: the class trains on the drawings, whose order says whose they are.
    """
    with CLASSES.writing() as db:
        now = refuse_ended(db, session.code)
        if now["scenario"] == topics.OWN_DIGITS and now["phase"] != "ask":
            raise NotNow("the class trains on this drawing; it can go when the next question is asked")
        _forget(db, session.code, who)
    inventory.release("member", f"{session.code} {who}")


def _forget(db: Any, code: str, who: str) -> None:
    for table in ("drawing", "member", "guess", "try"):
        db.execute(f"DELETE FROM {table} WHERE code = ? AND who = ?", (code, who))  # noqa: S608
    db.execute("UPDATE bit SET bit = -1 WHERE code = ? AND who = ?", (code, who))  # no second toss


def member(session: Session, who: str) -> Member | None:
    rows = CLASSES.rows("SELECT number, name FROM member WHERE code = ? AND who = ?", session.code, who)
    return Member(*rows[0]) if rows else None


def members(session: Session) -> list[Member]:
    """All members in the order of joining."""
    sent = {
        "own_digits": "drawing WHERE ?1 != ''",
        "one_bit": "bit WHERE scenario = ?1 AND epsilon = ?2",
    }.get(topics.get(session.scenario).kind, "guess WHERE scenario = ?1")
    query = (
        f"SELECT number, name, EXISTS (SELECT 1 FROM {sent} AND code = member.code AND who = member.who) "  # noqa: S608
        "FROM member WHERE code = ?3 ORDER BY number"
    )
    rows = CLASSES.rows(query, session.scenario, session.free, session.code)
    return [Member(row[0], row[1], bool(row[2])) for row in rows]


def guess(session: Session, who: str, value: Value) -> None:
    """Store a student's guess at the current question; an earlier one is replaced. Raises UnknownClass: the
    class has ended; NotNow: guesses are closed, or this visitor has not joined; InvalidInput: no possible
    answer.
    """
    about = topics.get(session.scenario)
    if not (about.scenario and about.ask.takes(value)):
        raise InvalidInput("this is no answer to the question that is asked now")
    with CLASSES.writing() as db:
        now = refuse_ended(db, session.code)
        if (now["scenario"], now["phase"]) != (session.scenario, "ask"):
            raise NotNow("guesses about this question are closed; yours came too late")
        refuse_strangers(db, session.code, who)
        row = (session.code, session.scenario, who, json.dumps(value))
        db.execute("INSERT OR REPLACE INTO guess VALUES (?, ?, ?, ?)", row)


def guess_of(session: Session, who: str) -> Value | None:
    query = "SELECT body FROM guess WHERE code = ? AND scenario = ? AND who = ?"
    rows = CLASSES.rows(query, session.code, session.scenario, who)
    return json.loads(rows[0]["body"]) if rows else None


def guesses(session: Session) -> list[Guess]:
    """All guesses at the current question; empty before the phase that shows them."""
    if session.phase not in ("shown", "free"):
        return []
    query = (
        "SELECT name, body FROM guess JOIN member USING (code, who) "
        "WHERE guess.code = ? AND scenario = ? ORDER BY number"
    )
    rows = CLASSES.rows(query, session.code, session.scenario)
    return [Guess(row["name"], json.loads(row["body"])) for row in rows]


def answered(who: str) -> dict[str, Value]:
    """A student's guesses in open classes, by scenario, at questions that are no longer open."""
    query = (
        "SELECT guess.scenario, body FROM guess JOIN class USING (code) WHERE who = ? "
        "AND NOT (class.scenario = guess.scenario AND phase IN ('ask', 'closed'))"
    )
    rows = CLASSES.rows(query, who)
    return {topics.get(row["scenario"]).scenario: json.loads(row["body"]) for row in rows}


def asked(who: str) -> str:
    """Question that is open in a class of this student; "" without."""
    query = "SELECT scenario FROM class JOIN member USING (code) WHERE who = ? AND phase IN ('ask', 'closed')"
    topic = next((topics.get(row["scenario"]) for row in CLASSES.rows(query, who)), None)
    return topic.question if topic and topic.scenario else ""


def submit_try(session: Session, who: str, value: str, launch: Callable[[], str]) -> str:
    """Launch a student's own run and list it for the class; returns the job's id. Raises UnknownClass: the
    class has ended; NotNow: this is not the phase for own runs, or the student has had enough.
    """
    with CLASSES.writing() as db:
        now = refuse_ended(db, session.code)
        if (now["scenario"], now["phase"]) != (session.scenario, "free"):
            raise NotNow("nothing can be tried now; the teacher opens that")
        refuse_strangers(db, session.code, who)
        query = "SELECT COUNT(*) FROM try WHERE code = ? AND scenario = ? AND who = ?"
        if db.execute(query, (session.code, session.scenario, who)).fetchone()[0] >= MOST_TRIES:
            raise NotNow(f"you have tried {MOST_TRIES} times; that is all that the wall holds of one")
    job = launch()
    with CLASSES.writing() as db:
        if db.execute("SELECT 1 FROM member WHERE code = ? AND who = ?", (session.code, who)).fetchone():
            row = (session.code, session.scenario, who, job, value)
            db.execute("INSERT OR REPLACE INTO try VALUES (?, ?, ?, ?, ?)", row)
    return job


def tries(session: Session, who: str | None = None) -> list[Try]:
    """Own runs on the current question, of all students or of one, oldest first."""
    query = (
        "SELECT name, job, value FROM try JOIN member USING (code, who) "
        "WHERE try.code = ? AND scenario = ? AND (? IS NULL OR who = ?) ORDER BY try.rowid"
    )
    return [Try(*row) for row in CLASSES.rows(query, session.code, session.scenario, who, who)]


def refuse_ended(db: Any, code: str) -> Any:
    row = db.execute("SELECT scenario, phase, free FROM class WHERE code = ?", (code,)).fetchone()
    if row is None:
        raise UnknownClass(code)
    return row


def refuse_strangers(db: Any, code: str, who: str) -> None:
    if not db.execute("SELECT 1 FROM member WHERE code = ? AND who = ?", (code, who)).fetchone():
        raise NotNow("join the class first: type a name, or take a number")
