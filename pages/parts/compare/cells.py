"""Settings of a sweep as compared runs: final figures without rounds."""

from math import nan

from ldp_core.accounting import ledger
from ldp_core.errors import StudioError
from ldp_core.experiment import Experiment, changed
from ldp_core.experiment.sweep import Sweep, parse_sweep
from ldp_core.runs import CompactSeries, Job, RunProgress, SweepProgress
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


def label(sweep: Sweep, number: int) -> str:
    values = sweep.settings[number].items()
    return ", ".join(value_words(path.removesuffix(".name"), value) for path, value in values)


def cell_series(job: Job, sweep: Sweep, number: int) -> tuple[Experiment, Series]:
    experiment = changed(sweep.base, {**sweep.settings[number], "attack": None})  # cells have none
    cells = SweepProgress.of_job(job).update(PAUSE_SECONDS if job.live else 0.0).cells
    words, runs = label(sweep, number), []
    for seed in range(sweep.seeds):
        run = RunProgress(number, words, experiment.seed + seed, "")
        if (figures := cells.get(number + len(sweep.settings) * seed)) is not None:
            last = {name: figures.get(name) for name in CURVES} if figures["status"] == "completed" else {}
            for name in (*CURVES, "noise_variance_theory"):
                run.curves[name] = CompactSeries()
                for value in (*(nan,) * figures["round"], last.get(name)):
                    run.curves[name].append(value)
            run.end = {**figures, "ledger": ledger(experiment)}
        runs.append(run)
    return experiment, Series(number, words, tuple(runs))
