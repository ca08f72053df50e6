"""The same training on a Ray cluster, where the environment names one; else here.

The cut is here, below a job, and not at `process.watching`: the process that does a job is the only one that
writes its record, under a lock of this machine's kernel, and a sweep is one job that is worth many machines.
So a job stays a process here whoever trains, is stopped and killed like any other, and asks for its training
by the two calls below, which are those of `on_cores` and `lockstep` to the letter.

The program travels with the work, so a machine needs no more than the same packages, which is seen to before
anything is trained (`connection`, `versions`). What comes of it is sent back as it is found (`there`), and
what is lost with a process or a machine is begun once more from where it was (`spread`). Whoever stops this
process kills what it has begun there. Ray is optional (tests/requirements-ray.txt), and no other room imports
it. Attacks, and what papers claim, are done here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ldp_core.datasets import Step, Told, quiet
from ldp_core.errors import StudioError
from ldp_core.experiment import Experiment
from ldp_core.runs import lockstep, on_cores
from ldp_core.runs.cluster import there
from ldp_core.runs.cluster.connection import connected, named
from ldp_core.runs.cluster.lots import batches, hands
from ldp_core.runs.cluster.spread import Lot, spread, workers
from ldp_core.runs.lockstep import Start, Turn
from ldp_core.runs.train_all import Figures, Tick


def train_all(
    experiments: Sequence[Experiment], told: Told = quiet, tick: Tick = lambda place, ended: None
) -> Iterator[tuple[int, Figures]]:
    """As `runs.on_cores.train_all`, on the cluster that EPSILON_RAY_ADDRESS names, if it names one: there
    `tick` is told of ends only.

    Raises:
        StudioError: nobody answers there, the token is not the cluster's, or its packages are others.
    """
    if not (address := named()):
        yield from on_cores.train_all(experiments, told, tick)
    elif experiments:
        for place, figures in cells(_entered(address, told), experiments, told):
            tick(place, True)
            yield place, figures


def drive(
    experiments: Mapping[int, Experiment],
    starts: Mapping[int, Start] | None = None,
    told: Told = quiet,
    tick: Callable[[int, float], None] | None = None,
) -> Iterator[Turn]:
    """As `runs.lockstep.drive`, on the cluster that EPSILON_RAY_ADDRESS names, if it names one: there as many
    runs train at the same time as it has cores, or take turns on those.

    Raises:
        StudioError: as `train_all` has it, or a run was lost twice; from what it has told it can go on.
    """
    if not (address := named()):
        yield from lockstep.drive(experiments, starts, told, tick)
    elif experiments:
        yield from runs(_entered(address, told), experiments, starts or {}, told, tick)


def cells(ray: Any, experiments: Sequence[Experiment], told: Told) -> Iterator[tuple[int, Figures]]:
    """As `train_all`, on a cluster that was entered."""
    lots = [
        Lot({place: experiments[place].as_json() for place in places})
        for places in batches(experiments, workers(ray))
    ]
    for lot, said in spread(ray, there.cells, lots, told):
        if lot.gone:
            yield from ((place, Figures("failed", message=lot.gone)) for place in lot.left)
        else:
            place, figures = said
            del lot.left[place]
            yield place, figures


def runs(
    ray: Any,
    experiments: Mapping[int, Experiment],
    starts: Mapping[int, Start],
    told: Told,
    tick: Callable[[int, float], None] | None,
) -> Iterator[Turn]:
    """As `drive`, on a cluster that was entered."""
    lots = [
        Lot({number: (experiments[number].as_json(), starts.get(number)) for number in numbers})
        for numbers in hands(experiments, workers(ray))
    ]
    for lot, said in spread(ray, there.runs, lots, told):
        if lot.gone:
            raise StudioError(f"a run was {lot.gone}; what was trained is kept, and it can go on from there")
        if isinstance(said, there.Ticked):
            if tick and lot is lots[0]:  # one that is watched stands for all
                tick(said.run, said.share)
            continue
        if said.events[-1]["event"] == "end":
            del lot.left[said.run]
        elif said.state is not None:
            lot.left[said.run] = (lot.left[said.run][0], Start(said.state, said.seconds))
        yield said


def _entered(address: str, told: Told) -> Any:
    told(Step("Connecting to the cluster"))
    ray = connected(address)
    told(Step("Waiting for the cluster"))
    return ray
