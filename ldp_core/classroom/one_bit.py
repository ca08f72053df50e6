"""A class that answers a delicate yes or no, of which only what a coin made of it is sent.

The class's free field is the name of the coin's ε (`lessons.coin.BUDGETS`). A student sends one bit for each
ε, and no second one, after leaving and coming back neither: another toss would tell more.
"""

from typing import Any

from ldp_core.classroom.members import refuse_ended, refuse_strangers
from ldp_core.classroom.sessions import Session, leave_free, move
from ldp_core.classroom.store import CLASSES
from ldp_core.errors import InvalidInput, NotNow
from ldp_core.lessons import coin
from ldp_core.runs.queue.permissions import Person


def send(session: Session, who: str, bit: Any, epsilon: Any) -> None:
    """Store a student's randomised bit. Raises UnknownClass: the class has ended; NotNow: nothing is asked
    now, this visitor has not joined, or has sent a bit under this ε; InvalidInput: it is no bit.
    """
    if type(bit) is not int or bit not in (0, 1):
        raise InvalidInput("only a yes or a no can be sent")
    with CLASSES.writing() as db:
        now = refuse_ended(db, session.code)
        if (now["scenario"], now["phase"], now["free"]) != (session.scenario, "ask", epsilon):
            raise NotNow("this is not asked any more; your bit came too late")
        refuse_strangers(db, session.code, who)
        row = (session.code, session.scenario, who, epsilon, bit)
        if not db.execute("INSERT OR IGNORE INTO bit VALUES (?, ?, ?, ?, ?)", row).rowcount:
            raise NotNow("your coin was tossed already; a second toss would tell more of you")


def sent_by(session: Session, who: str) -> dict[str, int]:
    """Bits that a student has sent, by the name of ε."""
    query = "SELECT epsilon, bit FROM bit WHERE code = ? AND scenario = ? AND who = ? AND bit >= 0"
    return {row[0]: row[1] for row in CLASSES.rows(query, session.code, session.scenario, who)}


def counts(session: Session) -> dict[str, tuple[int, int]]:
    """How many sent a yes, of how many, by the name of ε."""
    query = (
        "SELECT epsilon, sum(bit), count(*) FROM bit WHERE code = ? AND scenario = ? AND bit >= 0 "
        "GROUP BY epsilon ORDER BY min(rowid)"
    )
    return {row[0]: (row[1], row[2]) for row in CLASSES.rows(query, session.code, session.scenario)}


def go_on(session: Session, teacher: Person) -> None:
    """From asking to what the room told, and from there to the same question with ten times the ε."""
    if session.phase == "ask":
        move(session, teacher, "shown")
    elif (larger := coin.tenfold(session.free)) and move(session, teacher, "ask"):
        leave_free(session, teacher, larger)
