"""Work spread over a cluster: each lot is done by one process there, and begun once more if that is lost."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ldp_core.datasets import Step, Told
from ldp_core.errors import StudioError
from ldp_core.runs.cluster.connection import Watch
from ldp_core.runs.cluster.there import Refused, Work, parcels
from ldp_core.system.resources import gpus

AGAIN = 1
"""How often a lot is begun anew that was lost with its process or machine."""
WAKE_SECONDS = 0.5
"""So often it is looked for a signal, and whether the cluster is there, while nothing comes."""


@dataclass
class Lot:
    """What one process is given to do."""

    left: dict[int, Any]
    """By its number, what is still to be done. Whoever is told what came of it takes it out, or notes how far
    it is: what is lost is begun anew from here.
    """
    lost: int = 0
    """So many processes were lost over it."""
    gone: str = ""
    """What became of the last one, if nobody else tries."""


def spread(ray: Any, work: Work, lots: Sequence[Lot], told: Told) -> Iterator[tuple[Lot, Any]]:
    """Have each lot done and yield what its process says, as it comes. Of a lot that was given up, whose
    `gone` says why, it is None.

    Raises:
        StudioError: what was asked for cannot be done, or the program has an error there.
    """
    needs = {"num_cpus": 1, **({"num_gpus": 1} if gpus() else {})}
    # Ray's own way of trying again would begin from the beginning
    task = ray.remote(num_returns="streaming", max_retries=0, **needs)(parcels)
    under_way = {task.remote(work, lot.left): lot for lot in lots}
    watch = Watch()
    try:
        while under_way:
            ready, _ = ray.wait([*under_way], num_returns=1, timeout=WAKE_SECONDS)
            if not ready:
                watch.look()
            for one in ready:
                try:
                    parcel = ray.get(next(one))
                except StopIteration:
                    under_way.pop(one)
                except ray.exceptions.RayTaskError as error:
                    logging.exception("an error on the cluster")
                    raise StudioError(f"an error in the program, on the cluster: {error.cause!r}") from None
                except ray.exceptions.RayError as error:
                    lot = under_way.pop(one)
                    lot.lost += 1
                    if lot.left and lot.lost > AGAIN:
                        lot.gone = f"lost twice on the cluster ({type(error).__name__})"
                        yield lot, None
                    elif lot.left:
                        told_of = (type(error).__name__, len(lot.left))
                        logging.warning("lost on the cluster (%s), begun once more: %d left", *told_of)
                        under_way[task.remote(work, lot.left)] = lot
                else:
                    for said in parcel:
                        if isinstance(said, Refused):
                            raise StudioError(f"on the cluster: {said.why}")
                        if isinstance(said, Step):
                            told(said)
                        else:
                            yield under_way[one], said
    finally:
        for one in under_way:
            ray.cancel(one, force=True)


def workers(ray: Any) -> int:
    """How many lots the cluster can do at the same time, at least 1."""
    return max(1, int(ray.cluster_resources().get("GPU" if gpus() else "CPU", 1)))
