"""Training of many experiments for their final figures, batch by batch: on a cluster if one is configured,
else in a process per core, since a run's work outside torch is Python's and occupies one core.
"""

import multiprocessing
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial

from ldp_core.cost.seconds import USUAL, seconds, work_of
from ldp_core.datasets import Report, quiet
from ldp_core.experiment import Experiment, plan
from ldp_core.runs import cluster
from ldp_core.runs.batch import Batch, Figures, Said, batches, parcels
from ldp_core.runs.lockstep import load
from ldp_core.settings import RAY_ADDRESS

NAME, WORTH, WORTH_SECONDS = "epsilon-fold", 8, 3.0
"""Name of the processes; least number of runs, and of their seconds, for which starting them pays."""


def train_all(
    experiments: Sequence[Experiment],
    report: Report = quiet,
    tick: Callable[[int, bool], None] = lambda place, ended: None,
    enough: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[int, Figures]]:
    """Train different experiments without attacks; yields place and final figures of each as it ends.
    `report` receives the steps before the first run, `tick` the place of a run and whether it ended; after
    `enough` no further batch begins here.
    StudioError: data are unavailable, a process crashed twice on one batch, or the cluster is unusable.
    """
    every = dict(enumerate(experiments))
    for batch, parcel in cluster.there(every, report) if RAY_ADDRESS.value() else here(every, report, enough):
        for place, figures in parcel:
            tick(place, figures is not None)
            if figures is not None:
                del batch[place]
                yield place, figures


def here(
    experiments: Mapping[int, Experiment], report: Report, enough: Callable[[], bool]
) -> Iterator[tuple[Batch, list[Said]]]:
    """Train experiments on this machine; yields each batch with lists of results as they arrive."""
    from ldp_core.engines.base import threads
    from ldp_core.engines.process_pool import Pool
    from ldp_core.many import leaves_cores

    forks = sys.platform == "linux" and not multiprocessing.current_process().daemon
    cores = threads() if forks else 1
    for name in dict.fromkeys(one.dataset for one in experiments.values()):
        alone = {place: one for place, one in experiments.items() if one.dataset == name}
        data = {name: load(name, report)}
        shared = {place: one for place, one in alone.items() if cores > 1 and leaves_cores(one)}
        works = (work_of(plan(one)) for one in shared.values())
        if len(shared) >= WORTH and seconds(works, USUAL) > WORTH_SECONDS:
            alone = {place: one for place, one in alone.items() if place not in shared}
            dealt = batches(shared, cores)
            with closing(Pool(min(cores, len(dealt)), data, NAME)) as pool:
                found = pool.map([partial(parcels, batch) for batch in dealt], enough)
                yield from ((dealt[number], parcel) for number, parcel in found)
        for batch in batches(alone, workers=1):
            if not enough():
                yield from ((batch, parcel) for parcel in parcels(batch, data))
