"""Progress of many runs, weighted by their cost."""

import time
from collections.abc import Mapping, Sequence

from ldp_core.cost.seconds import USUAL, seconds, uploads_attacked, work_of, work_of_training
from ldp_core.datasets import Report, Step
from ldp_core.experiment import Experiment, plan
from ldp_core.runs.lockstep import RunStart, Turn
from ldp_core.runs.machine.calibration import rates

LONG_SECONDS = 0.5
"""Duration of a round above which progress is also reported within the round."""


REPEATED = 10
"""Smallest ratio of a job's work to what it repeats after it was put aside."""


class CellsDone:
    """Progress of cells trained in any order, each worth its estimated cost, or else its rounds."""

    def __init__(self, experiments: Sequence[Experiment], report: Report, before: int = 0) -> None:
        known = rates()
        self._left = [
            seconds([work_of(plan(one))], known) if known else float(one.rounds) for one in experiments
        ]
        self._round = [left / one.rounds for left, one in zip(self._left, experiments, strict=True)]
        self._all, self._done = sum(self._left), 0.0
        self._before, self._report = before, report

    def __call__(self, place: int, ended: bool) -> None:
        """Count a trained round, or the end, of the run at `place`."""
        work = self._left[place] if ended else min(self._left[place], self._round[place])
        self._left[place] -= work
        self._done += work
        cells = len(self._left)
        share = min(1.0, self._done / self._all)
        self._report(Step("", self._before + cells * share, self._before + cells, "cells"))


class RoundsDone:
    """Progress of runs trained side by side, in rounds; attacks after training count as so many rounds."""

    def __init__(
        self,
        experiments: Mapping[int, Experiment],
        starts: Mapping[int, RunStart],
        report: Report,
        later: Mapping[int, bool] | None = None,
    ) -> None:
        """`later` as in `drive`."""
        self._rounds = {number: one.rounds for number, one in experiments.items()}
        self._attacks = {
            number: _attacks_after(one, bool(later and later[number])) for number, one in experiments.items()
        }
        self._trained = dict.fromkeys(experiments, 0)
        self._trained |= {number: start.state.round for number, start in starts.items()}
        self._kept = {**self._trained}
        """Rounds that are trained, and those that a resumed run would not repeat."""
        self._attacked: dict[tuple[int, int, int], float] = {}
        self._ended = set[int]()
        self._all = sum(self._rounds.values()) + sum(worth for worth, _, _ in self._attacks.values())
        self._report, self._turned = report, time.monotonic()
        self._tell()

    def turn(self, turn: Turn) -> bool:
        """Count a turn; returns whether the job may stop here: the turn has moved its run's checkpoint, and
        to resume repeats at most a tenth of the job.
        """
        worth, _, steps = self._attacks[turn.run]
        for event in turn.events:
            kind = event["event"]
            if kind == "round":
                self._trained[turn.run] = event["round"]
            elif kind in ("frame", "attack") and worth:
                place = turn.run, event["client"], event["round"]
                self._attacked[place] = 1.0 if kind == "attack" else min(1.0, event["iterations"] / steps)
        before = self._kept[turn.run]
        if turn.ends:
            self._ended.add(turn.run)
            self._kept[turn.run] = self._trained[turn.run]
        elif turn.state is not None:
            self._kept[turn.run] = turn.state.round
        self._turned = time.monotonic()
        self._tell()
        repeated = sum(self._trained.values()) - sum(self._kept.values())
        return before < self._kept[turn.run] and not turn.ends and REPEATED * repeated <= self._all

    def tick(self, run: int, share: float) -> None:
        """Report that a run has trained a share of its current round, in [0, 1]."""
        if time.monotonic() - self._turned >= LONG_SECONDS:
            self._tell(min(share, 0.999))

    def _done(self, run: int) -> float:
        worth, uploads, _ = self._attacks[run]
        if run in self._ended:
            return self._rounds[run] + worth
        found = sum(share for (one, *_), share in self._attacked.items() if one == run)
        return self._trained[run] + worth * min(1.0, found / uploads)

    def _tell(self, share: float = 0.0) -> None:
        unit = "rounds" if self._all == sum(self._rounds.values()) else "rounds' worth"
        self._report(Step("", sum(map(self._done, self._rounds)) + share, self._all, unit))


def _attacks_after(experiment: Experiment, later: bool) -> tuple[float, int, int]:
    """Work of the attacks after training, those of rounds too if `later`: equivalent rounds, number of
    uploads, most steps of a search on each.
    """
    one, known = plan(experiment).resolved.experiment, rates() or USUAL
    if one.attack is None or not (one.attack.after or later):
        return 0.0, 1, 1
    training = max(seconds([work_of_training(plan(one))], known), 1e-9)
    worth = one.rounds * (seconds([work_of(plan(one))], known) / training - 1)
    steps = max((int(getattr(spy.who, "iterations", 1)) for spy in plan(one).spies), default=1)
    return max(0.0, worth), max(1, uploads_attacked(plan(one))), steps
