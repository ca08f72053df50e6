"""Driving simulations: several runs in lockstep, with the clock and the data they need."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ldp_core import datasets
from ldp_core.datasets import Data, Told, quiet
from ldp_core.events import Event, Frame, Started, Target
from ldp_core.experiment import Experiment
from ldp_core.runs.storage.paths import data_dir
from ldp_core.system import memory

if TYPE_CHECKING:
    from ldp_core.federated.state import State

KEPT = 2
"""Data sets in memory."""
_loaded: dict[tuple[str, str], Data] = {}


def load(name: str, told: Told = quiet) -> Data:
    """A data set by name, kept in memory for the next run.

    Args:
        name: as the registry knows it.
        told: is given what is done, where that takes time.

    Raises:
        DataUnavailable: it is not on this machine and cannot be fetched, or is damaged.
    """
    key = (name, datasets.get(name).version)
    if key not in _loaded:
        while len(_loaded) >= KEPT:
            _loaded.pop(next(iter(_loaded)))
        _loaded[key] = datasets.get(name).load(data_dir(), told)
    return _loaded[key]


def one_thread() -> None:
    """Compute on one thread, in memory that is used again: equal bits, no contention between workers."""
    import torch

    memory.keep_what_is_freed()
    torch.set_num_threads(1)


@dataclass(frozen=True)
class Turn:
    """What one run did until it let the next one go on: its beginning, a round, or its end."""

    run: int
    events: list[dict[str, Any]]
    state: State | None
    """Where the run stands now; None at its end, and within a round."""
    seconds: float
    """That this run itself has taken so far."""
    within: bool = False
    """It has told something on the way, and is still where it was."""


@dataclass(frozen=True)
class Start:
    """Where a run is taken up again."""

    state: State
    seconds: float = 0.0


def drive(
    experiments: Mapping[int, Experiment],
    starts: Mapping[int, Start] | None = None,
    told: Told = quiet,
    tick: Callable[[int, float], None] | None = None,
) -> Iterator[Turn]:
    """Run experiments side by side, a turn of each after another.

    Args:
        experiments: by the number of the run.
        starts: for runs that are taken up again.
        told: is given what is done before the first turn, where that takes time.
        tick: is told, within a round, the number of the run and the share of its training that is done.
    """
    from ldp_core.simulate import simulate

    starts = starts or {}
    states: dict[int, State] = {}
    seconds = {i: starts[i].seconds if i in starts else 0.0 for i in experiments}
    running = {
        i: simulate(
            experiment,
            load(experiment.dataset, told),
            start=starts[i].state if i in starts else None,
            keep=partial(states.__setitem__, i),
            tick=partial(tick, i) if tick else None,
        )
        for i, experiment in experiments.items()
    }
    while running:
        for i in list(running):
            began = time.perf_counter()
            events = [event.as_json() for event in _turn(running[i])]
            seconds[i] += time.perf_counter() - began
            ended = events[-1]["event"] == "end"
            if ended:
                events[-1]["seconds"] = round(seconds[i], 4)
                del running[i]
            within = events[-1]["event"] == Frame.event
            yield Turn(i, events, None if ended or within else states[i], seconds[i], within)


def _turn(events: Iterator[Event]) -> Iterator[Event]:
    """The events of one run up to the end of its beginning, of a round, or of the run, or to what it tells
    on the way.
    """
    left = -1
    for event in events:
        yield event
        if isinstance(event, Started):
            left = event.targets
        elif isinstance(event, Target):
            left -= 1
        if left == 0 or event.event in ("round", "end", Frame.event):
            return
