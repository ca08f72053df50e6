"""Progress of many runs, weighted by their cost."""

import time
from collections.abc import Mapping, Sequence

from ldp_core.cost.seconds import seconds, uploads_attacked, work_of
from ldp_core.datasets import Report, Step
from ldp_core.experiment import Experiment
from ldp_core.experiment.threat_model import resolved, spies
from ldp_core.runs.lockstep import Start, Turn
from ldp_core.runs.machine.calibration import rates

LONG_SECONDS = 0.5
"""Duration of a round above which progress is also reported within the round."""


class CellsDone:
    """Progress of cells trained in any order, each worth its estimated cost, or else its rounds."""

    def __init__(self, experiments: Sequence[Experiment], report: Report, before: int = 0) -> None:
        known = rates()
        self._left = [seconds([work_of(one)], known) if known else float(one.rounds) for one in experiments]
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
    """Progress of runs trained side by side, in rounds; image searches afterwards count as so many rounds."""

    def __init__(
        self, experiments: Mapping[int, Experiment], starts: Mapping[int, Start], report: Report
    ) -> None:
        self._rounds = {number: one.rounds for number, one in experiments.items()}
        self._search = {number: _search_after(one) for number, one in experiments.items()}
        self._done = dict.fromkeys(experiments, 0.0)
        self._done |= {number: float(start.state.round) for number, start in starts.items()}
        self._searched: dict[tuple[int, int, int], float] = {}
        self._all = sum(self._rounds.values()) + sum(worth for worth, _, _ in self._search.values())
        self._report, self._turned = report, time.monotonic()
        self._tell()

    def turn(self, turn: Turn) -> None:
        worth, uploads, steps = self._search[turn.run]
        rounds = self._rounds[turn.run]
        for event in turn.events:
            kind = event["event"]
            if kind == "round":
                self._done[turn.run] = event["round"]
            elif kind == "end":
                self._done[turn.run] = rounds + worth
            elif kind in ("frame", "attack") and worth:
                place = turn.run, event["client"], event["round"]
                self._searched[place] = 1.0 if kind == "attack" else min(1.0, event["iterations"] / steps)
                found = sum(share for (run, *_), share in self._searched.items() if run == turn.run)
                self._done[turn.run] = rounds + worth * min(1.0, found / uploads)
        self._turned = time.monotonic()
        self._tell()

    def tick(self, run: int, share: float) -> None:
        """Report that a run has trained a share of its current round, in [0, 1]."""
        if time.monotonic() - self._turned >= LONG_SECONDS:
            self._tell(min(share, 0.999))

    def _tell(self, share: float = 0.0) -> None:
        unit = "rounds" if self._all == sum(self._rounds.values()) else "rounds' worth"
        self._report(Step("", sum(self._done.values()) + share, self._all, unit))


def _search_after(experiment: Experiment) -> tuple[float, int, int]:
    """Work of the image searches after training: equivalent rounds, number of uploads, most steps of each."""
    one, known = resolved(experiment), rates()
    if known is None or one.attack is None or not one.attack.after:
        return 0.0, 1, 1
    work = work_of(one)
    searching = work.searches * known.searches
    training = max(seconds([work], known) - searching, 1e-9)
    steps = max(int(getattr(spy.who, "iterations", 1)) for spy in spies(one))
    return one.rounds * searching / training, max(1, uploads_attacked(one)), steps
