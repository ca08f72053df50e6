"""How work is dealt out: what one process of the cluster is given."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from ldp_core.experiment import Experiment

BATCHES_EACH = 4
"""Of a worker: so that one that is slower does not keep all others waiting."""


def batches(experiments: Sequence[Experiment], workers: int) -> list[list[int]]:
    """The places of the experiments, as many together as are worth training together, and several batches for
    each worker.
    """
    from ldp_core.many import at_once

    most = max(1, math.ceil(len(experiments) / (BATCHES_EACH * workers)))
    found: list[list[int]] = []
    for place, experiment in enumerate(experiments):
        room = min(most, at_once(experiment))
        if not found or len(found[-1]) >= room or experiments[found[-1][0]].dataset != experiment.dataset:
            found.append([])
        found[-1].append(place)
    return found


def hands(numbers: Iterable[int], workers: int) -> list[list[int]]:
    """Runs that are watched side by side: all begin at once, and those of one worker take turns."""
    every = list(numbers)
    most = min(workers, len(every))
    return [every[i::most] for i in range(most)]
