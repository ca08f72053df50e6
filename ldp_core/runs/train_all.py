"""What a sweep is made of: many experiments trained for their final figures, batch by batch, on a cluster
where one is named, else by a process a core: what a run does beside training is Python's, and fills one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial

from ldp_core.datasets import Report, quiet
from ldp_core.experiment import Experiment
from ldp_core.runs import cluster
from ldp_core.runs.batch import Batch, Figures, Said, batches, parcels
from ldp_core.runs.lockstep import load
from ldp_core.settings.table import RAY_ADDRESS

NAME, WORTH = "epsilon-fold", 8
"""Of processes that share runs, and how many of these: fewer are done before processes have begun."""


def train_all(
    experiments: Sequence[Experiment],
    report: Report = quiet,
    tick: Callable[[int, bool], None] = lambda place, ended: None,
) -> Iterator[tuple[int, Figures]]:
    """Train experiments without attacks, all different, and yield each one's place in the list with its final
    figures, as it finishes, in any order. What they are equal to, `batch.bits` says.

    Args:
        experiments: what to train.
        report: called with what is done before the first of them.
        tick: called with the number of a run that has trained a round, or has ended (True) and comes next.

    Raises:
        StudioError: data cannot be had, a process was killed or crashed twice at one batch, or the cluster
            cannot be used.
    """
    executor = cluster.there if RAY_ADDRESS.value() else here
    for batch, parcel in executor(dict(enumerate(experiments)), report):
        for place, figures in parcel:
            tick(place, figures is not None)
            if figures is not None:
                del batch[place]
                yield place, figures


def here(experiments: Mapping[int, Experiment], report: Report) -> Iterator[tuple[Batch, list[Said]]]:
    """Batches of them, and what each of these says, parcel by parcel, as it is trained on this machine."""
    from ldp_core.engines.base import processes
    from ldp_core.engines.process_pool import Pool
    from ldp_core.many import leaves_cores

    cores = processes() if sys.platform == "linux" else 1
    for name in dict.fromkeys(one.dataset for one in experiments.values()):
        alone = {place: one for place, one in experiments.items() if one.dataset == name}
        data = {name: load(name, report)}
        shared = {place: one for place, one in alone.items() if cores > 1 and leaves_cores(one)}
        if len(shared) >= WORTH:
            alone = {place: one for place, one in alone.items() if place not in shared}
            dealt = batches(shared, cores)
            with closing(Pool(min(cores, len(dealt)), data, name=NAME)) as pool:
                found = pool.map([partial(parcels, batch) for batch in dealt])
                yield from ((dealt[number], parcel) for number, parcel in found)
        for batch in batches(alone, workers=1):
            yield from ((batch, parcel) for parcel in parcels(batch, data))
