"""Latin hypercubes: few settings that cover many fields evenly (McKay, Beckman, Conover 1979)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp_core.errors import InvalidExperiment, Problem, shown
from ldp_core.experiment.overrides import at
from ldp_core.experiment.reading import unknown
from ldp_core.experiment.schema import Experiment
from ldp_core.fields import is_number
from ldp_core.limits import SWEEP_RUNS
from ldp_core.streams import stream

FIELDS = ("fields", "points")
Number = int | float


@dataclass(frozen=True)
class Hypercube:
    """A Latin hypercube of `points` settings: each field's range has `points` slices, each used once."""

    fields: Mapping[str, tuple[Number, Number]]
    """Least and largest value by dotted field name."""
    points: int

    def settings(self, base: Experiment) -> list[dict[str, Number]]:
        """Settings drawn by the base's seed, sorted by the first field: on a logarithmic scale for ranges
        above 0, rounded for integer fields, without duplicates.
        """
        data, generator = base.as_json(), stream(base.seed, "hypercube")
        slices = np.stack([generator.permutation(self.points) for _ in self.fields], axis=1)
        places = (slices + generator.random(slices.shape)) / self.points
        columns = []
        for u, (path, (low, high)) in zip(places.T, self.fields.items(), strict=True):
            values = low * (high / low) ** u if low > 0 else low + u * (high - low)
            whole = isinstance(at(data, path), int)
            columns.append([round(v) if whole else float(f"{v:.4g}") for v in values.tolist()])
        rows = sorted(dict.fromkeys(zip(*columns, strict=True)))
        return [dict(zip(self.fields, row, strict=True)) for row in rows]

    def as_json(self) -> dict[str, Any]:
        return {"fields": {name: list(ends) for name, ends in self.fields.items()}, "points": self.points}


def parse_hypercube(data: Any) -> Hypercube:
    """Hypercube of a JSON object `{"fields": {NAME: [LOW, HIGH]}, "points"}`. Raises InvalidExperiment: every
    field that is wrong.
    """
    like = 'must be like {"fields": {"clients.epsilon": [0.5, 8]}, "points": 20}'
    if not isinstance(data, Mapping):
        raise InvalidExperiment.at("latin", f"{like}; got {shown(data)}")
    problems = unknown(data, "hypercube", FIELDS, "latin.")
    points: Any = data.get("points")
    if not isinstance(points, int) or isinstance(points, bool) or not 2 <= points <= SWEEP_RUNS.maximum:
        message = f"must be a whole number between 2 and {int(SWEEP_RUNS.maximum)}; got {shown(points)}"
        problems.append(Problem("latin.points", message))
    fields = data.get("fields")
    if not isinstance(fields, Mapping) or not fields:
        raise InvalidExperiment([*problems, Problem("latin.fields", f"{like}; got {shown(fields)}")])
    for name, ends in fields.items():
        right = isinstance(ends, list | tuple) and len(ends) == 2 and all(map(is_number, ends))
        if not right or not ends[0] < ends[1]:
            message = f"must have its least and its largest value, like [0.5, 8]; got {shown(ends)}"
            problems.append(Problem(str(name), message))
    if problems:
        raise InvalidExperiment(problems)
    return Hypercube({str(name): (ends[0], ends[1]) for name, ends in fields.items()}, points)
