"""Results of a sweep so far: each setting over its seeds, with the prediction."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ldp_core.accounting import Promise, everyone, promise
from ldp_core.experiment import Experiment, plan
from ldp_core.experiment.sweep import Scalar, Sweep
from ldp_core.inference import Interval, interval
from pages.parts.tune.axes import axis_of

MOST_CLIENTS = 50
"""Largest number of different clients for which the largest ε is searched."""


@dataclass(frozen=True)
class TriedSetting:
    number: int
    """Index among the settings, row by row."""
    set: Mapping[str, Scalar]
    experiment: Experiment
    """Experiment with the first seed."""
    accuracies: tuple[float, ...]
    """Final accuracy of the completed seeds."""
    seeds: int
    failed: str
    """How an uncompleted seed ended; "" if none did."""

    @property
    def values(self) -> str:
        return ", ".join(axis_of(path, (value,)).says(value) for path, value in self.set.items())

    @property
    def mean(self) -> Interval | None:
        """Mean accuracy with its interval over seeds; None before the first."""
        return interval(self.accuracies) if self.accuracies else None

    @property
    def whole(self) -> bool:
        return len(self.accuracies) == self.seeds


def settings(sweep: Sweep, cells: Mapping[int, Mapping[str, Any]]) -> list[TriedSetting]:
    """Settings of a sweep, in grid order, with their cells' results."""
    every = len(sweep.cells) // sweep.seeds
    found = []
    for i in range(every):
        seeds_done = [cells[i + every * s] for s in range(sweep.seeds) if i + every * s in cells]
        accuracies = tuple(one["accuracy"] for one in seeds_done if one["status"] == "completed")
        failed = next((one["status"] for one in seeds_done if one["status"] != "completed"), "")
        cell = sweep.cells[i]
        found.append(TriedSetting(i, cell.set, cell.experiment, accuracies, sweep.seeds, failed))
    return found


@lru_cache(maxsize=4096)
def dearest(experiment: Experiment) -> Promise | None:
    """Worst-case guarantee of the whole run for the client with the weakest one; None for too many different
    clients.
    """
    unlike = set(everyone(plan(experiment)))
    lines = (promise(plan(experiment), client).run_worst for client in unlike)
    return None if len(unlike) > MOST_CLIENTS else max(lines, key=lambda line: line.bound)
