"""A class from its opening to its end: question, phase and shown run.

What changes a class raises `NotYours` for anyone but a teacher, and `InvalidInput` for an unknown scenario or
field.
"""

from __future__ import annotations

import secrets
import sqlite3
import time
from dataclasses import astuple, dataclass
from typing import Literal, get_args

from ldp_core.classroom import topics
from ldp_core.classroom.rooms import forget_runs, room_of
from ldp_core.classroom.store import UnknownClass, changing, forget, looking
from ldp_core.errors import InvalidInput, NotYours
from ldp_core.runs.queue.permissions import Person

LETTERS = "BCDFGHKLMNPRSTVWXZ"
"""Letters of codes: none look alike, and without vowels no code is a word."""
LENGTH = 4
HOURS = 12.0
"""Hours after which a class ends by itself."""
Phase = Literal["ask", "closed", "running", "shown", "free"]
PHASES: tuple[Phase, ...] = get_args(Phase)
FREE = {
    "aggregator.name": "whom the server listens to",
    "mechanism.name": "the mechanism",
    "clients.epsilon": "everybody's budget ε",
    "clients.range": "everybody's safe range ±τ",
    "rounds": "the number of rounds",
}
"""Fields that a teacher may leave free for students, by dotted name, with their names for people."""


@dataclass(frozen=True)
class Session:
    code: str
    teacher: str
    opened: float
    scenario: str
    """Name of a scenario or of another topic (`topics`)."""
    phase: Phase
    free: str
    job: str | None
    """Id of the run shown to the class; None before there is one."""


def open_class(teacher: Person, scenario: str, free: str = "aggregator.name") -> Session:
    """Open a class with its first question."""
    _refuse_students(teacher)
    _refuse_nonsense(scenario, free)
    with changing() as db:
        _end_old(db)
        taken = {row["code"] for row in db.execute("SELECT code FROM class")}
        code = next(one for one in iter(_drawn, None) if one not in taken)
        begun = Session(code, teacher.owner or "", time.time(), scenario, "ask", free, None)
        db.execute("INSERT INTO class VALUES (?, ?, ?, ?, ?, ?, ?)", astuple(begun))
    return begun


def find(code: str) -> Session:
    """Open class by its code, as typed; raises `UnknownClass` if there is none."""
    wanted = spelled(code)
    with looking() as db:
        row = db and db.execute("SELECT * FROM class WHERE code = ?", (wanted,)).fetchone()
    if not row or _over(row["opened"]):
        raise UnknownClass(wanted)
    return Session(**row)


def of_teacher(teacher: Person) -> list[Session]:
    """Open classes of this teacher, newest first."""
    with looking() as db:
        query = "SELECT * FROM class WHERE teacher = ? ORDER BY opened DESC"
        rows = list(db.execute(query, (teacher.owner or "",))) if db else []
    return [Session(**row) for row in rows if not _over(row["opened"])]


def move(session: Session, teacher: Person, phase: Phase, job: str | None = None) -> bool:
    """Change the phase from the one that this teacher saw; False if the class has moved meanwhile."""
    _refuse_students(teacher)
    with changing() as db:
        done = db.execute(
            "UPDATE class SET phase = ?, job = COALESCE(?, job) "
            "WHERE code = ? AND phase = ? AND scenario = ?",
            (phase, job, session.code, session.phase, session.scenario),
        )
        return done.rowcount == 1


def ask(session: Session, teacher: Person, scenario: str) -> None:
    """Change the question to another scenario; earlier guesses at it are kept and may be changed."""
    _refuse_nonsense(scenario, session.free)
    _set(session, teacher, "scenario = ?, phase = 'ask', job = NULL", scenario)


def leave_free(session: Session, teacher: Person, free: str) -> None:
    """Choose the field that students may change in their own runs."""
    _refuse_nonsense(session.scenario, free)
    _set(session, teacher, "free = ?", free)


def put_before_all(session: Session, teacher: Person, job: str) -> None:
    """Show another run to the class."""
    _set(session, teacher, "job = ?", job)


def _set(session: Session, teacher: Person, columns: str, value: str) -> None:
    _refuse_students(teacher)
    with changing() as db:
        db.execute(f"UPDATE class SET {columns} WHERE code = ?", (value, session.code))  # noqa: S608


def end(session: Session, teacher: Person) -> None:
    """End a class: its students' names, guesses and runs are overwritten."""
    _refuse_students(teacher)
    forget_runs(room_of(session.code, session.opened))
    with changing() as db:
        forget(db, session.code)


def end_old() -> None:
    """End the classes that were opened more than `HOURS` ago."""
    with looking() as db:
        old = db and any(_over(row["opened"]) for row in db.execute("SELECT opened FROM class"))
    if old:
        with changing() as db:
            _end_old(db)


def spelled(code: str) -> str:
    """Code in stored form: upper case, without spaces and hyphens."""
    return "".join(letter for letter in code.upper() if letter.isalnum())[: 2 * LENGTH]


def _end_old(db: sqlite3.Connection) -> None:
    for row in db.execute("SELECT code, opened FROM class").fetchall():
        if _over(row["opened"]):
            forget_runs(room_of(row["code"], row["opened"]))
            forget(db, row["code"])


def _over(opened: float) -> bool:
    return time.time() - opened > HOURS * 3600


def _drawn() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(LENGTH))


def _refuse_students(person: Person) -> None:
    if not person.teacher:
        raise NotYours("only a teacher can do this: type the secret that the server was started with")


def _refuse_nonsense(scenario: str, free: str) -> None:
    topics.get(scenario)  # raises UnknownName, in a sentence
    if free not in FREE:
        raise InvalidInput(f"“{free[:40]}” cannot be left free; one of these can: {', '.join(FREE)}")
