"""An attack grid by a searching attacker: all cells side by side, a first guess in each, then refinements.

Results are yielded in the grid's order, each once all before it are done.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from io import BytesIO
from typing import Any

import numpy as np

from ldp_core.attacks import Observation
from ldp_core.attacks.observation import Image
from ldp_core.attacks.shared.search import Search, SearchBatch
from ldp_core.engines.base import threads
from ldp_core.events import AttemptFigures, Cell, Reference, SearchGuess
from ldp_core.images import encode
from ldp_core.leakage.grid_context import CONTROLS, Grid, Known, Place, Row, Rung
from ldp_core.leakage.observe import ControlKind
from ldp_core.leakage.scores import summary
from ldp_core.mechanisms import Mechanism

TOGETHER = 2**25
"""Largest number of values in the uploads of cells that are searched side by side."""


class Searches:
    """The searches of a grid that are under way, and the states of earlier ones that they go on from."""

    def __init__(self, states: bytes | None = None) -> None:
        self._earlier = dict(np.load(BytesIO(states), allow_pickle=False)) if states else {}
        self._begun: dict[str, SearchBatch] = {}

    def begin(
        self,
        name: str,
        who: Search,
        seen: Sequence[Observation],
        starts: Sequence[np.random.Generator],
        wanted: Sequence[bool],
    ) -> SearchBatch:
        """A search of that name, on all cores."""
        place = f"{name}/"
        earlier = {n.removeprefix(place): one for n, one in self._earlier.items() if n.startswith(place)}
        self._begun[name] = SearchBatch(who, seen, starts, wanted, threads(), earlier)
        return self._begun[name]

    def end(self) -> None:
        """Forget searches of which all results are yielded."""
        self._begun.clear()

    @property
    def under_way(self) -> bool:
        return bool(self._begun)

    def states(self) -> bytes:
        out = BytesIO()
        each = ((name, one.state().items()) for name, one in self._begun.items())
        arrays: dict[str, Any] = {f"{name}/{part}": array for name, state in each for part, array in state}
        np.savez(out, **arrays)
        return out.getvalue()


@dataclass
class _Task:
    rung: Rung
    control: ControlKind | None
    noise: np.random.Generator
    hidden: np.random.Generator
    rows: list[Row] = field(default_factory=list)

    @property
    def place(self) -> Place:
        return self.rung.place(self.control)


def search(
    grid: Grid, mechanisms: Sequence[Mechanism], who: Search, known: Known, searches: Searches
) -> Iterator[SearchGuess | Reference | Cell]:
    """Frames, references and cells of the mechanisms that one attacker searches, without stored results;
    where all send the same, without noise and clipping, it is searched once. `searches` goes on from its
    earlier states, and has the current ones at each event.
    """
    progress = _Progress(grid, mechanisms, who, known)
    tasks, cells = progress.tasks(), len(mechanisms) * len(grid.ladder.epsilons)
    before = cells * grid.ladder.mechanisms.index(mechanisms[0]) // len(mechanisms)
    parts, step = grid.parts(), max(1, TOGETHER // grid.numbers)
    turns = [(tasks[i : i + step], part) for i in range(0, len(tasks), step) for part in parts]
    for number, (some, victims) in enumerate(turns):
        wanted = [not progress.knows(task) for task in some]
        if not any(wanted):
            continue
        seen = [grid.seen(task.rung, task.noise, victims)[task.control] for task in some]
        starts = [grid.generator(victims) for _ in some]
        name, read = f"{mechanisms[0].name} {number}", [one.with_ranges_read() for one in seen]
        batch = searches.begin(name, who, read, starts, wanted)
        for look in batch.follow():
            task, guesses = some[look.observation], batch.images(look.observation)
            if not wanted[look.observation]:
                continue
            done = before + cells * (number + batch.share) / len(turns)
            if victims.start == 0 and (task.place, look.iterations) not in known.guesses:
                yield SearchGuess(
                    *task.place,
                    iterations=look.iterations,
                    psnr=grid.quality(guesses, victims),
                    image=encode(guesses[0, 0]),
                    done=round(done, 3),
                )
            if look.done:
                progress.note(task, seen[look.observation], guesses, victims)
                if victims is parts[-1]:
                    yield from progress.found(task)
        if victims is parts[-1]:
            searches.end()


class _Progress:
    """Results of a grid so far, and the order of those to come."""

    def __init__(self, grid: Grid, mechanisms: Sequence[Mechanism], who: Search, known: Known) -> None:
        self._grid, self._mechanisms, self._who, self._known = grid, mechanisms, who, known
        names = {one.name for one in fields(AttemptFigures)} - {"mechanism", "attacker"}
        self._figures = {
            place: {key: value for key, value in body.items() if key in names}
            for place, body in known.figures.items()
        }
        self._order = list(self._events())

    def tasks(self) -> list[_Task]:
        return [
            _Task(rung, control, *rung.streams(self._grid.ladder.seed))
            for rung, control in self._order
            if control != "clean" or rung.mechanism is self._mechanisms[0]
        ]

    def knows(self, task: _Task) -> bool:
        return task.place in self._figures

    def note(self, task: _Task, seen: Observation, guesses: Image, victims: slice) -> None:
        picked = self._grid.picked(task.rung, task.hidden, victims, task.control is not None)
        rows = self._grid.scored(task.control, seen, guesses, picked.get(task.control, []), victims)
        task.rows.extend(rows)

    def found(self, task: _Task) -> Iterator[Reference | Cell]:
        """References and cells that can be yielded after a task has ended."""
        self._figures[task.place] = summary(task.rows)
        clean = self._figures.get((self._mechanisms[0].name, None, "clean"))
        while self._order:
            rung, control = self._order[0]
            place, name = rung.place(control), rung.mechanism.name
            if control == "clean" and clean:
                self._figures[place] = clean
            if (figures := self._figures.get(place)) is None:
                return
            self._order.pop(0)
            if place in self._known.figures:
                continue
            if control:
                yield Reference(mechanism=name, control=control, attacker=self._who.name, **figures)
            else:
                references = {one: self._figures[rung.place(one)] for one in CONTROLS}
                yield self._grid.cell(rung, self._who, figures, references)

    def _events(self) -> Iterator[tuple[Rung, ControlKind | None]]:
        """Cells in order: each mechanism's controls, then its budgets in rising order."""
        budgets = self._grid.ladder.epsilons
        for mechanism in self._mechanisms:
            for control in CONTROLS:
                yield Rung(mechanism, 0, budgets[0]), control
            for row, epsilon in enumerate(budgets):
                yield Rung(mechanism, row, epsilon), None
