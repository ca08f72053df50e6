"""What share of many runs' work is done, each counted by what it costs: the fifth round is half of a run of
ten, and little of one of a hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ldp_core.cost.work import seconds, work_of
from ldp_core.experiment import Experiment
from ldp_core.runs.machine.calibration import rates

Tick = Callable[[float], None]
"""Is told a share, in [0, 1]."""


class WorkDone:
    """Runs that are trained in any order, many at once."""

    def __init__(self, experiments: Sequence[Experiment], tick: Tick | None) -> None:
        """Before the machine's rates are known all rounds count alike."""
        known = rates()
        self._left = [
            seconds([work_of(one)], known) if known and tick else float(one.rounds) for one in experiments
        ]
        self._round = [left / one.rounds for left, one in zip(self._left, experiments, strict=True)]
        self._all = sum(self._left) or 1.0
        self._done, self._going = 0.0, len(experiments)
        self._tick = tick

    def round(self, place: int) -> None:
        """The run at this place of the list has trained one more round."""
        self._add(place, min(self._left[place], self._round[place]))

    def end(self, place: int) -> None:
        """It has ended, wherever it was."""
        self._going -= 1
        self._add(place, self._left[place])

    def _add(self, place: int, work: float) -> None:
        self._left[place] -= work
        self._done += work
        if self._tick:
            self._tick(min(1.0, self._done / self._all) if self._going else 1.0)
