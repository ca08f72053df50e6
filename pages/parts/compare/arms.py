"""Compared runs, each with letter, colour, record and settings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from ldp_core.errors import StorageFailed, StudioError
from ldp_core.experiment import Draft, Experiment, Variant, parse_draft
from ldp_core.runs import Final, Job, final_figures, progress_of, styles
from pages.parts.charts.series import Series, series
from pages.parts.charts.tally import Tally
from pages.parts.compare import cells
from pages.parts.compare.choice import Chosen, name_of
from pages.parts.runs.job_state import is_gone
from pages.parts.systems.unlike import causes, unlike
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.shared_cache import PAUSE_SECONDS
from pages.parts.ui.text import number
from pages.parts.ui.visitor import look

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWX"
DRAWN = 6
"""Largest number of runs in one chart; more lines are hard to distinguish."""
LONGEST = 24
"""Largest number of characters of a value that names a run."""


@dataclass(frozen=True)
class ComparedRun:
    letter: str
    job: Job
    name: str
    experiment: Experiment
    series: Series
    """The run over its seeds, labelled by letter and variant."""

    @property
    def ended(self) -> bool:
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

    @cached_property
    def final(self) -> Final:
        return final_figures.final(self.series.runs)

    @property
    def picked(self) -> Tally | None:
        """How often the right image was picked out; None if nothing was attacked."""
        found = self.final
        return Tally(found.hits, found.attempts, found.chance) if found.attempts else None

    def as_shown(self, **changes: Any) -> Self:
        return replace(self, series=replace(self.series, **changes))


def arms(chosen: Sequence[Chosen]) -> tuple[list[ComparedRun], list[str]]:
    """Runs that can be shown, in the chosen order; and sentences on those that cannot."""
    found, trouble = list[ComparedRun](), dict[str, None]()
    for identity, variant in chosen:
        try:
            job = look(identity)
            if is_gone(job):
                trouble[f"“{name_of(job)}” is gone: its record was removed to make room"] = None
                continue
            experiment, line = _run_of(job, variant)
        except LookupError:
            trouble[f"run {identity} has been deleted"] = None
        except StorageFailed as error:
            trouble[f"the record of run {identity} is damaged: {error_in_words(error)}"] = None
        except (StudioError, TypeError) as error:
            why = f"as its settings no longer fit: {error_in_words(error)}"
            trouble[f"run {identity} cannot be shown, {why}"] = None
        else:
            letter = LETTERS[len(found)]
            made = replace(line, number=len(found), label=f"{letter} {line.label}")
            name = (job.name or name_of(job)) + (" (imported)" if job.imported else "")
            found.append(ComparedRun(letter, job, name, experiment, made))
    return _dressed(named_apart(found)), [*trouble]


def _reached(arm: ComparedRun) -> float:
    return (arm.final.accuracy or 0.0) if arm.series.runs else 0.0


def drawn(found: Sequence[ComparedRun]) -> list[ComparedRun]:
    """Those in the charts: of many the best, in their order."""
    best = sorted(found, key=_reached, reverse=True)[:DRAWN]
    return [arm for arm in found if arm in best]


def _run_of(job: Job, number: int) -> tuple[Experiment, Series]:
    """Experiment and runs of a variant or of a sweep's setting; StudioError or TypeError if invalid now."""
    if sweep := cells.swept(job):
        return cells.cell_series(job, sweep, number)
    draft = parse_draft(job.request["draft"])
    lines, _ = series(progress_of(job).update(PAUSE_SECONDS if job.live else 0.0), draft)
    empty = Series(number, draft.variants[number].label, ())
    return draft.experiments()[number], next((one for one in lines if one.number == number), empty)


def named_apart(found: Sequence[ComparedRun]) -> list[ComparedRun]:
    """Arms of equal variant names, renamed by the one setting in which they differ."""
    fields = causes(unlike([arm.experiment for arm in found])) if found else []
    alike = len({arm.series.label[len(arm.letter) :] for arm in found}) < len(found)
    if not alike or len(fields) != 1 or max(map(len, fields[0].values)) > LONGEST:
        return list(found)
    return [
        arm.as_shown(label=f"{arm.letter} {value}")
        for arm, value in zip(found, fields[0].values, strict=True)
    ]


def _dressed(found: Sequence[ComparedRun]) -> list[ComparedRun]:
    looks = [arm.series.style for arm in found]
    if len({arm.job.id for arm in found}) < 2 and len(set(looks)) == len(looks):
        return list(found)  # of one training: as on Train
    parts = [
        {f"{part}.name": getattr(arm.experiment, part).name for part in ("mechanism", "aggregator")}
        for arm in found
    ]
    apart = [path for path in parts[0] if len({one[path] for one in parts}) > 1]
    variants = tuple(Variant("", {path: one[path] for path in apart}) for one in parts)
    looks = styles(Draft(found[0].experiment, variants))
    return [arm.as_shown(style=look) for arm, look in zip(found, looks, strict=True)]
