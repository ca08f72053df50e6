"""Training of a batch of experiments without attacks, in one process, for their final figures only."""

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from ldp_core.cost.seconds import USUAL, seconds, work_of
from ldp_core.datasets import Data
from ldp_core.engines import choice
from ldp_core.errors import InvalidInput
from ldp_core.events import Ended, RoundDone, Trained
from ldp_core.experiment import Experiment, plan

ALONE, FOLDED = "alone", "folded"
FIRST, BATCHES_EACH = 2, 2
"""Experiments in a first, small batch, so that viewers soon see results; and batches per worker."""
BATCH_SECONDS = 12.0
"""Longest batch at the `USUAL` speed, a slow one: after a batch a job makes room for others."""
SEND_SECONDS = 0.1
"""Interval between two lists of results; one per round of small runs would overload the receiver."""


@dataclass(frozen=True)
class Figures:
    """Final figures of one run: accuracy in [0, 1], loss and noise variance; None where undefined."""

    status: str
    """“completed”, “diverged”, or “failed” if the partition cannot give every client a sample."""
    round: int = 0
    accuracy: float | None = None
    loss: float | None = None
    noise_variance: float | None = None
    """Noise variance of the aggregate per weight in the last round."""
    message: str = ""
    seconds: float = 0.0
    """Share of the time of all runs that were trained together with this one."""
    weights_sha256: str | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


Batch = dict[int, Experiment]
"""Experiments by their index, less those with results: what is to be trained anew if a worker is lost."""
Said = tuple[int, Figures | None]
"""Index of an experiment, with None after a trained round or its figures at the end."""


def parcels(batch: Batch, data: Mapping[str, Data]) -> Iterator[list[Said]]:
    parcel, sent = list[Said](), 0.0
    for said in _trained(dict(batch), data):
        parcel.append(said)
        if time.monotonic() - sent > SEND_SECONDS:
            yield parcel
            parcel, sent = [], time.monotonic()
    yield parcel


def _trained(experiments: Mapping[int, Experiment], data: Mapping[str, Data]) -> Iterator[Said]:
    from ldp_core.many import run_many

    last, began = dict[int, dict[str, Any]](), dict[int, float]()
    clock, now = 0.0, time.perf_counter()
    for place, event in run_many(experiments.items(), data, figures=True):
        passed, now = time.perf_counter() - now, time.perf_counter()
        clock += passed / max(1, len(began))
        began.setdefault(place, clock)
        if isinstance(event, RoundDone | Trained):
            last[place] = vars(event)
            yield place, None
            continue
        if isinstance(event, Ended) and event.status == "diverged":  # once more, with its last round measured
            for _, event in run_many([(place, experiments[place])], data):
                if isinstance(event, RoundDone):
                    last[place] = vars(event)
        end = vars(event) | {"seconds": round(clock - began.pop(place), 4)}
        failed = isinstance(event, InvalidInput)
        yield place, Figures("failed", message=str(event)) if failed else figures_of(last.get(place, {}), end)


def figures_of(last: Mapping[str, Any], end: Mapping[str, Any]) -> Figures:
    """Figures of a run from the events of its last round (empty if no round ended) and of its end."""
    return Figures(**{one.name: end.get(one.name, last.get(one.name)) for one in fields(Figures)})


def batches(experiments: Mapping[int, Experiment], workers: int) -> list[Batch]:
    """Batches for the workers, of one data set each: a few quick ones, then by falling duration."""
    from ldp_core.many import at_once

    def order(place: int) -> tuple[str, int, int]:
        one = experiments[place]
        return one.dataset, one.rounds * one.clients.count, one.seed

    most = math.ceil(len(experiments) / (BATCHES_EACH * workers)) if workers > 1 else len(experiments)
    places, quick = sorted(experiments, key=order), FIRST * workers
    found, dataset = list[Batch](), ""
    for place in places[:quick] + places[: quick - 1 : -1]:
        one = experiments[place]
        short = int(BATCH_SECONDS / seconds([work_of(plan(one))], USUAL))
        room = min(FIRST if len(found) <= workers else most, at_once(one), max(1, short))
        if one.dataset != dataset or len(found[-1]) >= room:
            found.append({})
        found[-1][place], dataset = one, one.dataset
    return found


def bits(experiment: Experiment, together: bool = True) -> str:
    """Class of figures equal to the last bit: the engine, and whether ALONE or FOLDED (in a batch)."""
    from ldp_core.many import at_once

    engine = choice.bits(experiment)
    if engine == "fused":
        return engine
    return f"{FOLDED if together and at_once(experiment) > 1 else ALONE} {engine}".rstrip()
