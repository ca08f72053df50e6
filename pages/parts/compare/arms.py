"""Compared runs, each with letter, colour, record and settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ldp_core.errors import StorageFailed, StudioError
from ldp_core.experiment import Draft, Experiment, Variant, changed, parse_draft
from ldp_core.runs import Job, progress_of
from pages.parts.charts.series import Series, series
from pages.parts.charts.styles import styles
from pages.parts.compare import cells
from pages.parts.compare.choice import Chosen, name_of
from pages.parts.runs.job_state import is_gone
from pages.parts.systems.unlike import causes, unlike
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.shared_cache import PAUSE_SECONDS
from pages.parts.ui.text import number
from pages.parts.ui.visitor import look

LETTERS = "ABCDEF"
LONGEST = 24
"""Largest number of characters of a value that names a run."""


@dataclass(frozen=True)
class Arm:
    letter: str
    job: Job
    name: str
    """Name of the job, as typed."""
    experiment: Experiment
    series: Series
    """The run over its seeds, labelled by letter and variant."""

    @property
    def ended(self) -> bool:
        """True if every seed has ended."""
        return bool(self.series.runs) and all(run.end is not None for run in self.series.runs)

    @property
    def state(self) -> str:
        """Status of an uncompleted run; "" if completed."""
        at = f"at round {number(self.series.round, 6)} of {number(self.experiment.rounds, 6)}"
        if self.series.diverged:
            return "diverged"
        if self.ended:
            return ""
        if self.job.live:
            return "in the queue" if self.job.status == "queued" else f"{self.job.status}, {at}"
        return f"{self.job.status.replace('cancelled', 'stopped')} {at}"


def arms(chosen: Sequence[Chosen]) -> tuple[list[Arm], list[str]]:
    """Runs that can be shown, in the chosen order; and sentences on those that cannot."""
    found: list[Arm] = []
    trouble: list[str] = []
    for identity, variant in chosen:
        try:
            job = look(identity)
            if is_gone(job):
                trouble.append(f"“{name_of(job)}” is gone: its record was removed to make room")
                continue
            experiment, line = _run_of(job, variant)
        except LookupError:
            trouble.append(f"run {identity} has been deleted")
            continue
        except StorageFailed as error:
            trouble.append(f"the record of run {identity} is damaged: {error_in_words(error)}")
            continue
        except (StudioError, TypeError) as error:
            trouble.append(
                f"run {identity} cannot be shown, as its settings no longer fit: {error_in_words(error)}"
            )
            continue
        letter = LETTERS[len(found)]
        made = replace(line, number=len(found), label=f"{letter} {line.label}")
        name = (job.name or name_of(job)) + " (imported)" * job.imported
        found.append(Arm(letter, job, name, experiment, made))
    return _dressed(named_apart(found)), list(dict.fromkeys(trouble))


def _run_of(job: Job, number: int) -> tuple[Experiment, Series]:
    """Experiment and runs of a training's variant or a sweep's setting.

    Raises:
        StudioError, TypeError: the settings are invalid now, or the record is damaged.
    """
    if sweep := cells.swept(job):
        experiment = changed(sweep.base, cells.cell_values(sweep, number))
        return experiment, cells.cell_series(job, sweep, number, experiment, cells.label(sweep, number))
    draft = parse_draft(job.request["draft"])
    lines, _ = series(progress_of(job).update(PAUSE_SECONDS if job.live else 0.0), draft)
    empty = Series(number, draft.variants[number].label, ())
    return draft.experiments()[number], next((one for one in lines if one.number == number), empty)


def named_apart(found: Sequence[Arm]) -> list[Arm]:
    """Arms of equal variant names, renamed by the one setting in which they differ."""
    fields = causes(unlike([arm.experiment for arm in found])) if found else []
    alike = len({arm.series.label[len(arm.letter) :] for arm in found}) < len(found)
    if not alike or len(fields) != 1 or max(map(len, fields[0].values)) > LONGEST:
        return list(found)
    return [
        replace(arm, series=replace(arm.series, label=f"{arm.letter} {value}"))
        for arm, value in zip(found, fields[0].values, strict=True)
    ]


def _dressed(found: Sequence[Arm]) -> list[Arm]:
    """The arms with the colours of the parts that distinguish them."""
    looks = [arm.series.style for arm in found]
    if len({arm.job.id for arm in found}) < 2 and len(set(looks)) == len(looks):
        return list(found)  # of one training: as on Train
    named = [
        {"mechanism.name": arm.experiment.mechanism.name, "aggregator.name": arm.experiment.aggregator.name}
        for arm in found
    ]
    apart = [path for path in named[0] if len({one[path] for one in named}) > 1]
    variants = tuple(
        Variant(arm.letter, {path: one[path] for path in apart})
        for arm, one in zip(found, named, strict=True)
    )
    looks = styles(Draft(found[0].experiment, variants))
    return [
        replace(arm, series=replace(arm.series, style=look)) for arm, look in zip(found, looks, strict=True)
    ]
