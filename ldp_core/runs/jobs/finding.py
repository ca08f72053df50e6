"""Search among jobs: by words, by what they came to, in an order; quick with thousands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Any, Literal

from ldp_core.runs.jobs.lookup import recent
from ldp_core.runs.queue.job import Job
from ldp_core.runs.view.final_figures import Final

MOST = 5000
"""Jobs that are looked through, the newest ones."""
Order = Literal["newest", "accuracy", "budget", "leakage"]


@dataclass(frozen=True)
class Line:
    job: Job
    finals: tuple[Final, ...]
    """One a variant; none before it has ended, or of another kind of job."""
    words: str
    """All that can be looked for, in small letters."""

    @property
    def accuracy(self) -> float | None:
        """Accuracy of the best variant."""
        return max((one.accuracy for one in self.finals if one.accuracy is not None), default=None)

    @property
    def epsilon(self) -> float | None:
        """Worst-case ε of the whole run, of the variant that promises most."""
        return min((one.epsilon for one in self.finals if one.epsilon is not None), default=None)

    @property
    def picked(self) -> float | None:
        """The share of one-image uploads whose image was picked out, of the variant that leaks least."""
        return min((one.hits / one.attempts for one in self.finals if one.attempts), default=None)


@dataclass(frozen=True)
class Wanted:
    text: str = ""
    """Every word of it stands in the name, the note or a variant's label."""
    accuracy: float = 0.0
    """Some variant reaches it, with …"""
    epsilon: float = inf
    """… at most this for the whole run at worst."""
    order: Order = "newest"

    def fits(self, line: Line) -> bool:
        if not all(word in line.words for word in self.text.lower().split()):
            return False
        if self.accuracy <= 0 and self.epsilon == inf:
            return True
        return any(
            (one.accuracy or 0.0) >= self.accuracy
            and (self.epsilon == inf or (one.epsilon is not None and one.epsilon <= self.epsilon))
            for one in line.finals
        )


def lines(wanted: Wanted, owner: str | None = None) -> list[Line]:
    """The jobs that fit, of everybody or of one person, in the order asked for; what has no figure last."""
    found = [line for job in recent(MOST, owner) if wanted.fits(line := _line(job))]
    if wanted.order == "accuracy":
        found.sort(key=lambda line: -inf if line.accuracy is None else line.accuracy, reverse=True)
    elif wanted.order == "budget":
        found.sort(key=lambda line: inf if line.epsilon is None else line.epsilon)
    elif wanted.order == "leakage":
        found.sort(key=lambda line: inf if line.picked is None else line.picked)
    return found


def _line(job: Job) -> Line:
    words = f"{job.name} {job.note} {_words(job.id, job.text)}".lower()
    return Line(job, () if job.live else tuple(map(_read, _noted(job.noted))), words)


@lru_cache(maxsize=2 * MOST)
def _noted(text: str | None) -> list[dict[str, Any]]:
    try:
        ends = json.loads(text or "[]")
    except ValueError:
        return []
    return [one for one in ends if isinstance(one, dict)]


def _read(body: Mapping[str, Any]) -> Final:
    """Final figures from their stored form; an invalid number counts as missing."""

    def number(name: str) -> float | None:
        value = body.get(name)
        return float(value) if isinstance(value, int | float) else None

    return Final(
        label=str(body.get("label", "")),
        seeds=int(number("seeds") or 0),
        accuracy=number("accuracy"),
        epsilon=number("epsilon"),
        delta=number("delta") or 0.0,
        hits=number("hits") or 0.0,
        attempts=int(number("attempts") or 0),
        chance=number("chance") or 0.0,
    )


@lru_cache(maxsize=2 * MOST)
def _words(identity: str, text: str) -> str:
    """The name and the variants of what a job was asked for, which never changes."""
    try:
        request = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return ""
    parts = [request.get(name) for name in ("draft", "sweep", "ladder")] if isinstance(request, dict) else []
    part = next((one for one in parts if isinstance(one, dict)), {})
    base, variants = part.get("base"), part.get("variants")
    name = base.get("name", "") if isinstance(base, dict) else ""
    labels = [one.get("label", "") for one in variants or () if isinstance(one, dict)]
    return " ".join(map(str, (name, *labels)))
