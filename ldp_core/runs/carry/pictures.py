"""A training's curves as SVG files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ldp_core.runs.carry.drawing import Curve, drawn
from ldp_core.runs.queue.job import Job
from ldp_core.runs.view.run_progress import RunProgress, progress_of

Variants = Mapping[int, Sequence[RunProgress]]
CURVES = {"accuracy": "Accuracy by round", "noise_variance": "Noise variance by round"}
"""Title of each chart, by file name without ending."""


def variants(job: Job) -> dict[int, list[RunProgress]]:
    """Runs of a training by variant number; the run without noise has a number below 0."""
    found: dict[int, list[RunProgress]] = {}
    for run in progress_of(job).update().runs:
        found.setdefault(run.variant, []).append(run)
    return found


def picture(found: Variants, name: str, alone: bool = False, colours: Mapping[int, str] | None = None) -> str:
    """A chart of all variants; `colours` by variant, as `#rrggbb`."""
    return drawn(CURVES[name], _curves(found, name, colours or {}), percent=name == "accuracy", alone=alone)


def pictures(job: Job) -> dict[str, str]:
    """Pictures of a training job by file name; empty for other kinds."""
    found = variants(job) if job.kind == "run" else {}
    if not any(run.round for runs in found.values() for run in runs):
        return {}
    return {f"{name}.svg": picture(found, name, alone=True) for name in CURVES}


def _curves(found: Variants, name: str, colours: Mapping[int, str]) -> list[Curve]:
    curves = []
    for variant, runs in found.items():
        columns = [run.curves[name] for run in runs if name in run.curves]
        length = min((len(one) for one in columns), default=0)
        if length:
            table = np.stack([one[:length] for one in columns])
            ends = (table.mean(0), table.min(0), table.max(0))
            curves.append(Curve(runs[0].label, *ends, colours.get(variant, ""), control=variant < 0))
    return curves
