"""Validation of the order of events with cells: attack grids, sweeps, searches, claims."""

import json
from collections.abc import Collection
from dataclasses import replace
from itertools import product
from typing import Any

from ldp_core.events.base import Event, Status
from ldp_core.events.cells import Answered, ClaimCell, Leaked, SearchCell, SweepCell
from ldp_core.events.ladder import Cell, Guess, LadderEnded, LadderStarted, Reference
from ldp_core.events.order import Looks, Order, counted, must
from ldp_core.experiment import changed
from ldp_core.experiment.attack_grid import Ladder
from ldp_core.experiment.sweep import Sweep
from ldp_core.tuning import Question

MOST_MADE = 64_000_000
"""Largest total length of all cells' experiments in characters, since each is parsed for validation."""


class LadderOrder(Order):
    """Order of an attack grid: its start, then both controls and the budgets of each mechanism."""

    kinds = (LadderStarted, Reference, Cell, Guess, LadderEnded)

    def __init__(self, ladder: Ladder) -> None:
        self._ladder, self._names = ladder, {one.name for one in ladder.mechanisms}
        self._found = set[tuple[str, float | str]]()
        self._looks, self._begun = Looks(), False
        self._end: tuple[Status, str] = ("cancelled", "")

    def take(self, run: int, event: Any) -> Event:
        must(run == 0 and self._end[0] == "cancelled")
        if isinstance(event, LadderStarted):
            must(not self._begun and self._names == event.attackers.keys() == event.knows.keys())
            self._begun = True
            return replace(event, ladder=self._ladder.as_json())
        if isinstance(event, LadderEnded):
            every = set(product(self._names, [*self._ladder.epsilons, "clean", "clipped"]))
            whole = event.status == "completed" and self._found == every
            must(whole or (event.status == "diverged" and not self._begun))
            self._end = event.status, event.message
            return event
        must(self._begun)
        if isinstance(event, Guess):
            must(event.mechanism in self._names and (event.epsilon is None) != (event.control is None))
            must(event.epsilon is None or event.epsilon in self._ladder.epsilons)
            self._looks.take((event.mechanism, event.epsilon, event.control), event.iterations)
        elif isinstance(event, Cell | Reference):
            place = event.epsilon if isinstance(event, Cell) else event.control
            must(event.mechanism in self._names and (event.mechanism, place) not in self._found)
            if isinstance(event, Cell):
                before = {(event.mechanism, "clean"), (event.mechanism, "clipped")}
                must(event.epsilon in self._ladder.epsilons and before <= self._found and bool(event.verdict))
            self._found.add((event.mechanism, place))
        return event

    def became(self) -> tuple[Status, str]:
        return self._end


class SweepOrder(Order):
    kinds = (SweepCell,)

    def __init__(self, sweep: Sweep) -> None:
        self._settings, self._base = sweep.settings, sweep.base
        self._every, self._statuses = len(sweep.settings) * sweep.seeds, dict[int, str]()
        self._each, self._made = len(json.dumps(sweep.base.as_json())), 0

    def take(self, run: int, event: Any) -> Event:
        must(run == 0 and isinstance(event, SweepCell))
        must(event.cell < self._every and event.cell not in self._statuses)
        seed, place = divmod(event.cell, len(self._settings))
        own = dict(self._settings[place])
        must(event.set == own and event.seed == own.get("seed", self._base.seed) + seed and _has_come(event))
        self._made += self._each
        must(self._made <= MOST_MADE)
        must(event.key == changed(self._base, {**own, "attack": None, "seed": event.seed}).key)
        self._statuses[event.cell] = event.status
        return replace(event, known=False)  # of another server

    def became(self) -> tuple[Status, str]:
        return counted(self._statuses.values(), self._every, "cell")


def _has_come(event: Event) -> bool:
    """Whether the event of a completed cell carries its accuracy."""
    return getattr(event, "status", "") != "completed" or getattr(event, "accuracy", None) is not None


class ClaimOrder(Order):
    """Order of a claim: its arms by key, in any order."""

    kinds = (ClaimCell,)

    def __init__(self, keys: Collection[str]) -> None:
        self._left, self._every, self._failed = set(keys), len(keys), 0

    def take(self, run: int, event: Any) -> Event:
        must(run == 0 and isinstance(event, ClaimCell) and event.cell == self._every - len(self._left))
        self._left.remove(event.key)
        self._failed += event.accuracy is None
        return event

    def became(self) -> tuple[Status, str]:
        if self._left:
            return "cancelled", ""
        lost = f"{self._failed} of {self._every} runs did not end as they should" if self._failed else ""
        return "completed", lost


class SearchOrder(Order):
    kinds = (SearchCell, Leaked, Answered)

    def __init__(self, question: Question) -> None:
        self._ranges, self._count, self._answered = question.ranges, 0, False

    def take(self, run: int, event: Any) -> Event:
        must(run == 0 and not self._answered and event.cell == self._count)
        self._count += 1
        if isinstance(event, Answered):
            self._answered = True
            must((event.half is None) == (event.epsilon is None))
        must((event.half is None or event.half in self._ranges) and _has_come(event))
        return event

    def became(self) -> tuple[Status, str]:
        return ("completed", "") if self._answered else ("cancelled", "")
