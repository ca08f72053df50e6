"""Settings of a sweep as compared runs: final figures without rounds."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan, prod
from typing import Any

from ldp_core.accounting import ledger
from ldp_core.errors import StudioError
from ldp_core.experiment import Experiment
from ldp_core.experiment.sweep import Scalar, Sweep, parse_sweep
from ldp_core.runs import Column, Job, RunProgress, SweepProgress
from pages.parts.charts.series import Series
from pages.parts.systems.field_words import value_words
from pages.parts.ui.shared_cache import PAUSE_SECONDS, once

MOST_LISTED = 24
"""Largest sweep whose settings are all offered; of a larger one, only those in the address."""
CURVES = ("accuracy", "loss", "noise_variance")


def swept(job: Job) -> Sweep | None:
    """Sweep of a job; None if the job is none, or unreadable."""

    def read() -> Sweep | None:
        try:
            return parse_sweep(job.request["sweep"], cells=False)
        except (StudioError, LookupError, TypeError):
            return None

    return once(("compared sweep", job.id), read) if job.kind == "sweep" else None


def count(sweep: Sweep) -> int:
    return prod(map(len, sweep.grid.values()))


def label(sweep: Sweep, number: int) -> str:
    """Values of a setting in the pages' words."""
    values = sweep.settings[number].items()
    return ", ".join(value_words(path.removesuffix(".name"), value) for path, value in values)


def cell_series(job: Job, sweep: Sweep, number: int, experiment: Experiment, words: str) -> Series:
    """A setting's runs over seeds, with their final figures."""
    cells = SweepProgress.of_job(job).update(PAUSE_SECONDS if job.live else 0.0).cells
    every = count(sweep)
    found = [cells.get(number + every * seed) for seed in range(sweep.seeds)]
    runs = [
        _run(number, words, experiment.seed + seed, experiment, figures) for seed, figures in enumerate(found)
    ]
    return Series(number, words, tuple(runs))


def _run(
    number: int, words: str, seed: int, experiment: Experiment, figures: Mapping[str, Any] | None
) -> RunProgress:
    run = RunProgress(number, words, seed, "")
    if figures is None:  # still to come
        return run
    last = {name: figures.get(name) for name in CURVES} if figures["status"] == "completed" else {}
    for name in (*CURVES, "noise_variance_theory"):
        run.curves[name] = Column()
        for value in (*(nan,) * figures["round"], last.get(name)):
            run.curves[name].append(value)
    run.end = {**figures, "ledger": ledger(experiment)}
    return run


def cell_values(sweep: Sweep, number: int) -> dict[str, Scalar]:
    """Fields that a cell sets; cells have no attack."""
    return {**sweep.settings[number], "attack": None}
