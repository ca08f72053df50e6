"""A class from its opening to its end: question, phase and shown run.

What changes a class raises `NotYours` for anyone but a teacher, and `InvalidInput` for an unknown scenario or
field.
"""

import secrets
import sqlite3
import time
from dataclasses import astuple, dataclass
from typing import Literal, get_args

from ldp_core.classroom import topics
from ldp_core.classroom.store import CLASSES, UnknownClass, forget
from ldp_core.errors import InvalidInput, NotNow, NotYours
from ldp_core.lessons import coin
from ldp_core.runs import jobs
from ldp_core.runs.queue.permissions import Person, room_of
from ldp_core.runs.storage import inventory
from ldp_core.runs.storage.inventory import StoredItem

LETTERS = "BCDFGHKLMNPRSTVWXZ"
"""Letters of codes: none look alike, and without vowels no code is a word."""
LENGTH = 5
HOURS = 12.0
"""Hours after which a class ends by itself."""
PATIENCE_SECONDS = 10.0
"""Time for its runs to stop at the end."""
BYTES = 1000
"""Bytes of a class without its members."""
Phase = Literal["join", "ask", "closed", "running", "shown", "free"]
PHASES: tuple[Phase, ...] = get_args(Phase)
FREE = ("aggregator.name", "mechanism.name", "clients.epsilon", "clients.range", "rounds")
"""Fields that a teacher may leave free in any question, by dotted name."""


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
    locked: bool = False
    """Whether new members are refused."""
    numbered: bool = False
    """Whether numbers stand in place of names."""

    @property
    def room(self) -> str:
        """Private room of the class's jobs, which cannot be derived from the code alone."""
        return room_of(f"class {self.code} {self.opened}")


CLASS = (
    "SELECT class.*, locked IS 1 AS locked, numbered IS 1 AS numbered FROM class LEFT JOIN rule USING (code)"
)


def open_class(teacher: Person, scenario: str, numbered: bool = False) -> Session:
    """Open a class with its first question."""
    refuse_students(teacher)
    free = free_fields(scenario)[0]
    with CLASSES.writing() as db:
        taken = {row["code"] for row in db.execute("SELECT code FROM class")}
        while (code := "".join(secrets.choice(LETTERS) for _ in range(LENGTH))) in taken:
            pass
        begun = Session(code, teacher.owner or "", time.time(), scenario, "join", free, None, False, numbered)
        db.execute("INSERT INTO class VALUES (?, ?, ?, ?, ?, ?, ?)", astuple(begun)[:7])
        db.execute("INSERT OR REPLACE INTO rule VALUES (?, 0, ?)", (code, numbered))
        inventory.enter(_entry(begun))
    return begun


def find(code: str) -> Session:
    """Open class by its code, as typed; raises `UnknownClass` if there is none."""
    wanted = spelled(code)
    rows = CLASSES.rows(f"{CLASS} WHERE code = ?", wanted)
    if not rows or _over(rows[0]["opened"]):
        raise UnknownClass(wanted)
    return _session(rows[0])


def _session(row: sqlite3.Row) -> Session:
    return Session(**dict(row) | {name: bool(row[name]) for name in ("locked", "numbered")})


def open_now(teacher: Person) -> list[Session]:
    """Open classes, newest first: any teacher may lead any of them."""
    refuse_students(teacher)
    rows = CLASSES.rows(f"{CLASS} ORDER BY opened DESC")
    return [_session(row) for row in rows if not _over(row["opened"])]


def lead(session: Session, teacher: Person) -> None:
    """Remember that this browser shows the class's wall, also once it has to say the secret again."""
    refuse_students(teacher)
    if not leads(session, teacher.owner or ""):
        CLASSES.change("INSERT OR IGNORE INTO leader VALUES (?, ?)", session.code, teacher.owner or "")


def leads(session: Session, who: str) -> bool:
    query = "SELECT 1 FROM leader WHERE code = ? AND who = ?"
    return session.teacher == who or bool(CLASSES.rows(query, session.code, who))


def move(session: Session, teacher: Person, phase: Phase, job: str | None = None) -> bool:
    """Change the phase from the one that this teacher saw; False if the class has moved meanwhile."""
    refuse_students(teacher)
    query = "UPDATE class SET phase = ?, job = COALESCE(?, job) WHERE code = ? AND phase = ? AND scenario = ?"
    return CLASSES.change(query, phase, job, session.code, session.phase, session.scenario) == 1


def ask(session: Session, teacher: Person, scenario: str) -> None:
    """Change the question to another scenario, and what is free to its own; earlier guesses at it are kept
    and may be changed.
    """
    free = free_fields(scenario)[0]
    _set(session, teacher, "scenario = ?, free = ?, phase = 'ask', job = NULL", scenario, free)


def leave_free(session: Session, teacher: Person, free: str) -> None:
    """Choose the field that students may change in their own runs."""
    if free not in (known := free_fields(session.scenario)):
        raise InvalidInput(f"“{free[:40]}” cannot be left free; one of these can: {', '.join(known)}")
    _set(session, teacher, "free = ?", free)


def free_fields(scenario: str) -> list[str]:
    """Fields that may be left free in a question, its lesson's own first; of one bit the names of the
    coin's ε. Raises `UnknownName`.
    """
    topic = topics.get(scenario)
    if topic.kind == "one_bit":
        return [*coin.BUDGETS]
    plan = topic.plan
    return list(dict.fromkeys([*([plan.free] if plan and plan.free else []), *FREE]))


def lock(session: Session, teacher: Person, on: bool) -> None:
    """Refuse new members, or admit them again."""
    refuse_students(teacher)
    query = "INSERT OR REPLACE INTO rule SELECT code, ?, ? FROM class WHERE code = ?"
    CLASSES.change(query, on, session.numbered, session.code)


def _set(session: Session, teacher: Person, columns: str, *values: str) -> None:
    refuse_students(teacher)
    CLASSES.change(f"UPDATE class SET {columns} WHERE code = ?", *values, session.code)  # noqa: S608


def end(session: Session, teacher: Person) -> None:
    """End a class: its students' names, guesses and runs are overwritten."""
    refuse_students(teacher)
    _end(session, PATIENCE_SECONDS)


def _end(session: Session, patience: float) -> None:
    _forget_runs(session.room, patience)
    with CLASSES.writing() as db:
        forget(db, session.code)
    inventory.release_part(session.code)
    inventory.release("class", session.code)


def _entry(session: Session) -> StoredItem:
    end = session.opened + 3600 * HOURS
    return StoredItem("class", session.code, BYTES, session.opened, end, session.teacher)


def lying() -> list[StoredItem]:
    return [_entry(_session(row)) for row in CLASSES.rows(CLASS)]


def erase(code: str) -> None:
    """End a class whose time is over; raises NotNow while one of its jobs is being stopped."""
    for row in CLASSES.rows(f"{CLASS} WHERE code = ?", code):
        _end(_session(row), patience=0.0)


def spelled(code: str) -> str:
    """Code in stored form: upper case, without spaces and hyphens."""
    return "".join(letter for letter in code.upper() if letter.isalnum())[: 2 * LENGTH]


def is_code(typed: str) -> bool:
    """Whether this can be a class's code, whatever its case."""
    return len(wanted := spelled(typed)) == LENGTH and set(wanted) <= set(LETTERS)


def _forget_runs(room: str, patience: float) -> None:
    """Stop a room's jobs and delete their records; raises NotNow if one does not stop."""
    until = time.monotonic() + patience
    while found := jobs.recent(100, room=room):
        for job in found:
            if job.live:
                jobs.cancel(job.id)
                time.sleep(0.1)
            else:
                if job.pinned:
                    jobs.pin(job.id, on=False)
                jobs.delete(job.id, for_good=True)
        if time.monotonic() > until and any(job.live for job in found):
            raise NotNow("what the room trains is still being stopped; try again in a moment")


def _over(opened: float) -> bool:
    return time.time() - opened > HOURS * 3600


def refuse_students(person: Person) -> None:
    if not person.teacher:
        raise NotYours("only a teacher can do this: type the secret that the server was started with")
