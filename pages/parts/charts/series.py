"""Runs of one variant over its seeds: mean, least and greatest at each round."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from ldp_core.experiment import Draft, Experiment, parse
from ldp_core.experiment.draft import REFERENCE, without_noise
from ldp_core.mechanisms.base import Floats
from ldp_core.runs import CompactSeries, Progress, RunProgress, Style, styles
from pages.parts.ui.text import apart

NOTHING = CompactSeries()
NAME_LENGTH = 16
"""Characters of a label at the end of a line, about."""


@dataclass(frozen=True)
class Series:
    number: int
    label: str
    runs: tuple[RunProgress, ...]
    style: Style = field(default_factory=lambda: Style(0))
    adds: bool = False
    """Whether clients send changes, so that the noise of all rounds adds up in the model."""
    short: str = ""
    """Label for the end of a line, distinct among the draft's; "" if not given."""
    rounds: int = 0
    """Rounds that its runs have; 0 if not given."""

    @property
    def experiment(self) -> Experiment:
        """Settings of the first seed."""
        return _parsed(self.runs[0].experiment)

    @property
    def round(self) -> int:
        """Last round that all seeds have finished."""
        return min((run.round for run in self.runs), default=0)

    @property
    def diverged(self) -> RunProgress | None:
        return next(iter(self.lost), None)

    @property
    def lost(self) -> tuple[RunProgress, ...]:
        return tuple(r for r in self.runs if r.end and r.end["status"] == "diverged")

    def curve(self, name: str) -> tuple[Floats, Floats, Floats]:
        """Mean, least and greatest over seeds, from round 0; NaN where missing."""
        table = self._table(name)
        return (table.mean(0), table.min(0), table.max(0)) if table.size else (np.empty(0),) * 3

    def mean(self, name: str = "accuracy") -> Floats:
        return self.curve(name)[0]

    def noise(self, name: str = "noise_variance") -> Floats:
        """Noise variance in the server's model: of each round, or summed where clients send changes."""
        mean = self.mean(name)
        return np.where(np.isnan(mean), np.nan, np.nancumsum(mean)) if self.adds else mean

    def final(self, name: str) -> Floats:
        """Value of each seed in the last round that all have finished."""
        table = self._table(name)
        values = table[:, -1] if table.size else np.empty(0)
        return values[~np.isnan(values)]

    def _table(self, name: str) -> Floats:
        """Values in the rounds that all seeds have, (seeds, rounds)."""
        curves = [run.curves.get(name, NOTHING) for run in self.runs]
        length = min((len(curve) for curve in curves), default=0)
        return np.array([curve[:length] for curve in curves])


def final(runs: Sequence[RunProgress]) -> bool:
    """Whether all runs have done their last round, attacks aside."""
    return bool(runs) and all(run.end or run.round == _parsed(run.experiment).rounds for run in runs)


@lru_cache(maxsize=256)
def _parsed(experiment: str) -> Experiment:
    return parse(json.loads(experiment))


def series(progress: Progress, draft: Draft) -> tuple[list[Series], Series | None]:
    """Variants of a job, in order, and its run without noise, if any."""
    found: dict[int, list[RunProgress]] = {}
    looks, noisy = styles(draft), _noisy(draft)
    for run in progress.runs:
        found.setdefault(run.variant, []).append(run)
    reference = found.pop(REFERENCE, None)
    return (
        [Series(n, runs[0].label, tuple(runs), looks[n], *noisy[n]) for n, runs in sorted(found.items())],
        Series(REFERENCE, without_noise(draft.seeds), tuple(reference)) if reference else None,
    )


def announced(draft: Draft) -> list[Series]:
    """Variants of a draft without runs."""
    looks, noisy = styles(draft), _noisy(draft)
    return [Series(n, variant.label, (), looks[n], *noisy[n]) for n, variant in enumerate(draft.variants)]


def _noisy(draft: Draft) -> list[tuple[bool, str, int]]:
    """`adds`, `short` and `rounds` of each variant."""
    names = apart([variant.label for variant in draft.variants], NAME_LENGTH)
    experiments = zip(draft.experiments(), names, strict=True)
    return [(one.target == "update", short, one.rounds) for one, short in experiments]
