"""A training to be exported: its job, its title, its runs by variant, and their curves as SVG files."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from ldp_core.errors import InvalidExperiment, InvalidInput
from ldp_core.experiment import parse_draft
from ldp_core.runs.carry.drawing import Curve, drawn
from ldp_core.runs.jobs.listing import describe
from ldp_core.runs.jobs.lookup import look
from ldp_core.runs.queue.job import Job
from ldp_core.runs.view.run_curves import RunProgress, by_variant, common, progress_of
from ldp_core.runs.view.styles import painted, styles

Variants = Mapping[int, Sequence[RunProgress]]
CURVES = {"accuracy": "Accuracy by round", "noise_variance": "Noise variance by round"}
"""Title of each chart, by file name without ending."""


def training(identity: str, what: str) -> Job:
    """The job; raises InvalidInput, which says `what` only trainings can, for one of another kind."""
    job = look(identity)
    if job.kind != "run":
        raise InvalidInput(f"job {job.id} is no training: only those {what}")
    return job


def title(job: Job) -> str:
    return job.name or describe(job).name or "Untitled"


def variants(job: Job) -> Variants:
    """Runs by variant number; the run without noise has a number below 0."""
    return by_variant(progress_of(job).update().runs)


def colours(job: Job) -> Mapping[int, str]:
    """Colour of each variant on the pages, as `#rrggbb`; none for settings that no longer fit."""
    with suppress(InvalidExperiment):
        return {n: painted(look.tint) for n, look in enumerate(styles(parse_draft(job.request["draft"])))}
    return {}


def picture(job: Job, found: Variants, name: str) -> str:
    """A chart of all variants."""
    curves, paints = [], colours(job)
    for variant, runs in found.items():
        if len(table := common(runs, name)):
            ends = (table.mean(0), table.min(0), table.max(0), paints.get(variant, ""))
            curves.append(Curve(runs[0].label, *ends, control=variant < 0))
    return drawn(CURVES[name], curves, percent=name == "accuracy")


def pictures(job: Job) -> dict[str, str]:
    """Pictures of a training by file name; none for other kinds."""
    found = variants(job) if job.kind == "run" else {}
    if not any(run.round for runs in found.values() for run in runs):
        return {}
    return {f"{name}.svg": picture(job, found, name) for name in CURVES}
