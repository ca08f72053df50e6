"""A class in which each student is a client of the training: drawings with the ε and τ chosen for them, and
the run.

Drawings are stored with the class, and results in its private room; both are deleted with the class.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ldp_core.classroom.members import refuse_ended, refuse_strangers
from ldp_core.classroom.sessions import Session
from ldp_core.classroom.store import CLASSES
from ldp_core.datasets import drawn
from ldp_core.datasets.drawn import Drawing
from ldp_core.errors import InvalidInput, NotNow
from ldp_core.experiment import Draft, Variant, parse, plan
from ldp_core.runs import Job, Training, jobs, progress_of
from ldp_core.runs.record import computations

CLIENTS = (20, 35)
"""Least number of clients, filled up with stock images; and largest, so that each has 40 images."""
STOCK = (2.0, 0.1)
"""ε and τ of a client without a student."""
EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
RANGES = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
ROUNDS = 15
MEAN, WEIGHED = "mean", "1/σ²"


class OwnDigit(NamedTuple):
    """A student's drawing, with the ε and τ that the student chose as a client."""

    digit: int
    pixels: bytes
    """The drawing, 28 × 28 bytes."""
    epsilon: float
    """ε per weight of an upload."""
    half: float
    """τ: changes of a weight are clipped to ±τ."""


def send(session: Session, who: str, digit: Any, pixels: Any, epsilon: Any, half: Any) -> None:
    """Store a student's drawing, 28 × 28 grey values in base64 (255 for ink), with ε and τ; an earlier
    drawing is replaced. Raises UnknownClass: the class has ended; NotNow: the training has begun, the class
    is full, or this visitor has not joined; InvalidInput: the drawing, digit, ε or τ is invalid.
    """
    if not isinstance(digit, int) or not 0 <= digit <= 9:
        raise InvalidInput("say which digit it is, from 0 to 9")
    if epsilon not in EPSILONS or half not in RANGES:
        raise InvalidInput("this ε or τ is none of those to choose from")
    picture = drawn.read_pixels(pixels)
    drawn.shrunk(picture)  # raises for an empty square
    with CLASSES.writing() as db:
        now = refuse_ended(db, session.code)
        if (now["scenario"], now["phase"]) != (session.scenario, "ask"):
            raise NotNow("the room trains already; your drawing came too late")
        refuse_strangers(db, session.code, who)
        query = "SELECT COUNT(*) FROM drawing WHERE code = ? AND who != ?"
        if db.execute(query, (session.code, who)).fetchone()[0] >= CLIENTS[1]:
            raise NotNow(f"{CLIENTS[1]} have drawn, and the stock has images for no more; watch the others")
        row = (session.code, who, digit, picture, epsilon, half)
        db.execute("INSERT OR REPLACE INTO drawing VALUES (?, ?, ?, ?, ?, ?)", row)


def all_sent(session: Session) -> dict[str, OwnDigit]:
    """Drawings by student, in the order of joining; the run's first clients have the same order."""
    query = (
        "SELECT drawing.who, digit, pixels, epsilon, half FROM drawing JOIN member USING (code, who) "
        "WHERE code = ? ORDER BY number"
    )
    return {row[0]: OwnDigit(*row[1:]) for row in CLASSES.rows(query, session.code)}


def draft_of(clients: Sequence[OwnDigit]) -> Draft:
    """Draft of the class's run: the plain mean, and weights by 1/σ² over the same noisy uploads."""
    missing = max(0, CLIENTS[0] - len(clients))
    asks = [(one.epsilon, one.half) for one in clients] + [STOCK] * missing
    base = {
        "name": "Our own digits",
        "clients": {
            "count": len(asks),
            "epsilon": [one[0] for one in asks],
            "range": [one[1] for one in asks],
        },
        "target": "update",
        "rounds": ROUNDS,
        "attack": None,
    }
    by = ((MEAN, "mean"), (WEIGHED, "inverse_variance"))
    return Draft(parse(base), tuple(Variant(label, {"aggregator.name": name}) for label, name in by))


def train(session: Session, who: dict[str, str | None]) -> str:
    """Launch the training on the class's drawings for the teacher (owner and address, as in `jobs.launch`);
    returns the job's id. Raises NotNow: no student has sent a drawing.
    """
    clients = [*all_sent(session).values()]
    if not clients:
        raise NotNow("nothing has been drawn yet; open it again, and let at least one student draw")
    own = tuple(Drawing(one.digit, drawn.shrunk(one.pixels)) for one in clients)
    return jobs.launch("run", Training(draft_of(clients), drawings=own), room=session.room, **who)


class DigitRead(NamedTuple):
    """Results about one student's drawing: the server's reconstruction, and each variant's classification."""

    audit: dict[str, Any]
    """Attack on the drawing's upload (`ldp_core.leakage.own_images`)."""
    right: dict[str, bool]
    """Whether each variant's model classifies the drawing correctly."""


class Served(NamedTuple):
    """Accuracy of one variant on the drawings of strict clients (ε at most the median) and of the others."""

    label: str
    say: float
    """Total aggregation weight of the strict clients in the last round, in [0, 1]."""
    right: tuple[list[bool], list[bool]]
    """For each drawing of the strict clients, and of the others, whether it is classified correctly."""


def read_of(session: Session, job: Job, who: str) -> DigitRead | None:
    """Results about a student's drawing; None before the run's end, or for a student without a drawing."""
    everybody = [*all_sent(session)]
    figures = _figures(session, job)
    if who not in everybody or not figures:
        return None
    number = everybody.index(who)
    right = {label: bool(one["own_right"][number]) for label, one in figures.items()}
    return DigitRead(dict(figures[MEAN]["audits"][number]), right)


def served(session: Session, job: Job) -> list[Served]:
    """Accuracy of each variant for strict and permissive clients; empty before the run has ended."""
    figures = _figures(session, job)
    strict = plan(draft_of([*all_sent(session).values()]).base).population.strict.tolist() if figures else []

    def own(label: str, group: bool) -> list[bool]:
        return [hit for hit, one in zip(figures[label]["own_right"], strict, strict=False) if one == group]

    return [
        Served(run.label, run.last["client_weights"]["strict"], (own(run.label, True), own(run.label, False)))
        for run in progress_of(job).update().runs
        if figures and run.last
    ]


def _figures(session: Session, job: Job) -> dict[str, dict[str, Any]]:
    """Final figures by variant; empty before the run has ended, or if the job belongs to another class."""
    if job.room != session.room or job.status != "completed":
        return {}
    ended = computations.ended(job.keys)
    return {label: ended[key].figures for label, key in zip((MEAN, WEIGHED), job.keys, strict=True)}
