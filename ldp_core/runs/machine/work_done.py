"""What share of many runs' work is done, each counted by what it costs: the fifth round is half of a run of
ten, and little of one of a hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ldp_core.cost.work import seconds, work_of
from ldp_core.experiment import Experiment
from ldp_core.runs.machine.calibration import rates


class WorkDone:
    """Runs that are trained in any order, many at once."""

    def __init__(self, experiments: Sequence[Experiment], told: Callable[[float], None]) -> None:
        """Before the machine's rates are known all rounds count alike.

        Args:
            experiments: in the order in which they are spoken of.
            told: is told the share, in [0, 1], whenever it has changed.
        """
        known = rates()
        self._left = [seconds([work_of(one)], known) if known else float(one.rounds) for one in experiments]
        self._round = [left / one.rounds for left, one in zip(self._left, experiments, strict=True)]
        self._all = sum(self._left)
        self._done, self._going = 0.0, len(experiments)
        self._told = told

    def __call__(self, place: int, ended: bool) -> None:
        """The run at this place has trained one more round, or has ended, wherever it was."""
        left = self._left[place]
        work = left if ended else min(left, self._round[place])
        self._left[place] -= work
        self._done += work
        self._going -= ended
        self._told(min(1.0, self._done / self._all) if self._going else 1.0)
