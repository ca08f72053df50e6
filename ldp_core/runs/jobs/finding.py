"""Search among thousands of jobs: by words and by final figures, sorted, as a table."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from ldp_core.runs import queue
from ldp_core.runs.jobs.lookup import recent
from ldp_core.runs.queue.job import Job
from ldp_core.runs.view.final_figures import Final
from ldp_core.system.json_file import from_text

MOST = 5000
"""Number of jobs that are searched, the newest ones."""
FINALS = TypeAdapter(tuple[Final, ...])
Order = Literal["newest", "accuracy", "budget", "leakage"]
"""Sort criterion: time, accuracy, worst-case ε of the whole run, or identification rate."""


@dataclass(frozen=True)
class Line:
    job: Job
    """The job, without its request unless `whole` loaded it."""
    finals: tuple[Final, ...]
    """Final figures of each variant; of a job without variants, one; empty before the end."""
    words: str = ""
    """Searchable text in lower case."""
    equal: int = 1
    """Number of jobs that this line stands for."""

    def figure(self, order: Order) -> float | None:
        """Figure to sort by: the best variant's accuracy, or the least ε or share of identified uploads."""
        if order == "accuracy":
            return max((one.accuracy for one in self.finals if one.accuracy is not None), default=None)
        if order == "budget":
            return min((one.epsilon for one in self.finals if one.epsilon is not None), default=None)
        return min((one.hits / one.attempts for one in self.finals if one.attempts), default=None)


@dataclass(frozen=True)
class Wanted:
    text: str = ""
    """Words that must all occur in the name, the note or a variant's label."""
    accuracy: float = 0.0
    """Least accuracy of some variant …"""
    epsilon: float = inf
    """… whose worst-case ε of the whole run is at most this."""
    order: Order = "newest"
    turned: bool = False
    """Whether the order of jobs that have the figure is reversed."""

    @property
    def limits(self) -> bool:
        """Whether these criteria exclude any job."""
        return bool(self.text.split()) or self.accuracy > 0 or self.epsilon < inf

    def fits(self, line: Line) -> bool:
        if not all(word in line.words for word in self.text.lower().split()):
            return False
        return (self.accuracy <= 0 and self.epsilon == inf) or any(
            (one.accuracy or 0.0) >= self.accuracy
            and (self.epsilon == inf or (one.epsilon is not None and one.epsilon <= self.epsilon))
            for one in line.finals
        )


def lines(wanted: Wanted, owner: str | None = None) -> list[Line]:
    """Jobs that fit the criteria, of one person or of all, in their order; those without that figure last."""
    every = map(_line, recent(MOST, owner, requests=bool(wanted.text.split())))
    found = [line for line in every if wanted.fits(line)]
    if wanted.order == "newest":
        return found[::-1] if wanted.turned else found
    upwards = -1 if (wanted.order == "accuracy") != wanted.turned else 1

    def place(line: Line) -> float:
        return inf if (figure := line.figure(wanted.order)) is None else upwards * figure

    return sorted(found, key=place)


def folded(some: Sequence[Line], owner: str | None) -> list[Line]:
    """One line for all completed jobs of the same computations without name or note, `owner`'s first."""
    found = dict[Hashable, Line]()
    for line in some:
        job = line.job
        alone = not job.keys or job.status != "completed" or job.name or job.note or job.pinned
        key: Hashable = job.id if alone else (job.kind, job.keys, job.room)
        known = found.get(key)
        shown = known if known and (known.job.owner == owner or job.owner != owner) else line
        found[key] = replace(shown, equal=known.equal + 1 if known else 1)
    return [*found.values()]


def whole(some: Sequence[Line]) -> list[Line]:
    """The same jobs with their requests loaded; jobs deleted meanwhile are left out."""
    ids = [line.job.id for line in some]
    jobs = {job.id: job for job in queue.find(f"id IN ({','.join('?' * len(ids))})", (*ids,), len(ids))}
    here = (line for line in some if line.job.id in jobs)
    return [replace(line, job=replace(line.job, text=jobs[line.job.id].text)) for line in here]


def _line(job: Job) -> Line:
    words = f"{job.name} {job.note} {_words(job.text)}".lower() if job.text else ""
    return Line(job, () if job.live else _finals(job.noted), words)


@lru_cache(maxsize=2 * MOST)
def _finals(text: str | None) -> tuple[Final, ...]:
    try:
        return FINALS.validate_json(text or "[]")
    except ValidationError:
        return ()


@lru_cache(maxsize=2 * MOST)
def _words(text: str) -> str:
    """Searchable words of a job's request: its name and its variants' labels; "" if unreadable."""
    part, variants = asked(from_text(text, dict) or {})
    base = part.get("base")
    name = base.get("name", "") if isinstance(base, dict) else ""
    return " ".join(map(str, (name, *(one.get("label", "") for one in variants))))


def asked(request: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Part of a stored request that contains its base experiment, and the variants."""
    parts = (request.get(name) for name in ("draft", "sweep", "question", "ladder"))
    part: dict[str, Any] = next((one for one in parts if isinstance(one, dict)), {})
    variants = part.get("variants")
    return part, [one for one in variants if isinstance(one, dict)] if isinstance(variants, list) else []
