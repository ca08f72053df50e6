"""A training's curves as SVG files."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ldp_core.runs.carry.drawing import Curve, drawn
from ldp_core.runs.carry.training import Variants, variants
from ldp_core.runs.queue.job import Job

CURVES = {"accuracy": "Accuracy by round", "noise_variance": "Noise variance by round"}
"""Title of each chart, by file name without ending."""
NO_COLOURS: Mapping[int, str] = {}


def picture(found: Variants, name: str, colours: Mapping[int, str] = NO_COLOURS) -> str:
    """A chart of all variants; `colours` by variant, as `#rrggbb`."""
    curves = []
    for variant, runs in found.items():
        columns = [run.curves[name] for run in runs if name in run.curves]
        length = min((len(one) for one in columns), default=0)
        if length:
            table = np.stack([one[:length] for one in columns])
            ends = (table.mean(0), table.min(0), table.max(0))
            curves.append(Curve(runs[0].label, *ends, colours.get(variant, ""), control=variant < 0))
    return drawn(CURVES[name], curves, percent=name == "accuracy")


def pictures(job: Job) -> dict[str, str]:
    """Pictures of a training job by file name; empty for other kinds."""
    found = variants(job) if job.kind == "run" else {}
    if not any(run.round for runs in found.values() for run in runs):
        return {}
    return {f"{name}.svg": picture(found, name) for name in CURVES}
