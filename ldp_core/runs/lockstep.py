"""Training of several runs in lockstep, a round of each in turn, with timing and data."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from ldp_core import datasets
from ldp_core.datasets import Data, Report, quiet
from ldp_core.events import Ended, Event, Frame
from ldp_core.experiment import Experiment
from ldp_core.runs.storage.paths import data_dir
from ldp_core.system import memory
from ldp_core.system.threads import on_one_thread

if TYPE_CHECKING:
    from ldp_core.federated.state import State

KEPT = 2
PENDING_BYTES = 2**26
"""Largest size of the states that runs under way keep for attacks to come."""
_loaded: dict[tuple[str, str], Data] = {}


def load(name: str, report: Report = quiet) -> Data:
    """A data set by name, of which KEPT stay in memory; `report` receives the steps of loading."""
    key = (name, datasets.get(name).version)
    if key not in _loaded:
        while len(_loaded) >= KEPT:
            _loaded.pop(next(iter(_loaded)))
        _loaded[key] = datasets.get(name).load(data_dir(), report)
    return _loaded[key]


def one_thread() -> None:
    """Limit torch to one thread (the same bits everywhere, no contention), and keep freed memory."""
    import torch

    memory.keep_what_is_freed()
    torch.set_num_threads(1)


@dataclass(frozen=True)
class Turn:
    """One step of a run in lockstep: its beginning, a round, or its end."""

    run: int
    events: list[dict[str, Any]]
    state: State | None
    """State to resume from after these events, at the end the last one; None during a round."""
    seconds: float
    """Seconds of this run alone so far."""

    @property
    def ends(self) -> bool:
        return bool(self.events) and self.events[-1]["event"] == Ended.event


class RunStart(NamedTuple):
    state: State
    seconds: float = 0.0


@on_one_thread
def drive(
    experiments: Mapping[int, Experiment],
    starts: Mapping[int, RunStart] | None = None,
    report: Report = quiet,
    tick: Callable[[int, float], None] | None = None,
    private: Data | None = None,
    later: Mapping[int, bool] | None = None,
) -> Iterator[Turn]:
    """Run experiments in lockstep, one turn each; those in `starts` are resumed. Events come in the order of
    `simulate`; with `later`, attacks are turns of their own, after their round, or if True all training.

    `report` receives the steps before the first turn, `tick` a run's number and the trained share of its
    current round, in [0, 1]; `private` stands in for the data set that the experiments name.
    """
    starts, running = starts or {}, {}
    seconds = dict.fromkeys(experiments, 0.0) | {i: start.seconds for i, start in starts.items()}
    for i, one in experiments.items():
        state = starts[i].state if i in starts else None
        data = private or load(one.dataset, report)
        most = None if later is None else PENDING_BYTES // len(experiments) * later[i]
        running[i] = _turns(one, data, state, partial(tick, i) if tick else None, most)
    trained = set[int]()
    while running:
        for i, turns in [*running.items()]:
            if i in trained and not trained >= running.keys():
                continue  # accuracies first
            began = time.perf_counter()
            events, state, done = next(turns)
            seconds[i] += time.perf_counter() - began
            if done and later and later[i]:
                trained.add(i)
            turn = Turn(i, events, state, seconds[i])
            if turn.ends:
                events[-1]["seconds"] = round(seconds[i], 4)
                del running[i]
            yield turn


def _turns(
    experiment: Experiment,
    data: Data,
    start: State | None,
    tick: Callable[[float], None] | None,
    most: int | None,
) -> Iterator[tuple[list[dict[str, Any]], State | None, bool]]:
    """Events and state of each turn, and whether all rounds are done; with `most` bytes of states for attacks
    to come, these are turns of their own.
    """
    from ldp_core.simulate import Simulation

    run = Simulation(experiment, data, None, start, tick, later=True)

    def parts() -> Iterator[Iterator[Event]]:
        for part in run.parts():
            yield part
            while run.pending and (run.done or sum(state.size for state in run.pending) > (most or 0)):
                yield run.attacks()

    def ordered() -> Iterator[Iterable[Event]]:
        held = list[Event]()
        for part in run.parts():
            held += part
            if not run.pending:
                yield held
            elif run.together == 1:
                yield chain(run.attacks(), held)
            elif run.done or len(run.pending) >= run.together:
                attacks = list[Event]()
                while run.pending:
                    attacks += run.attacks()
                yield sorted(attacks + held, key=attrgetter("round"))
            else:
                continue
            held = []

    for part in parts() if most is not None else ordered():
        events = list[dict[str, Any]]()
        for event in part:
            events.append(event.as_json())
            if isinstance(event, Frame):
                yield events, None, run.done
                events = []
        if events:
            ends = events[-1]["event"] == Ended.event
            yield events, run.state if ends else run.checkpoint, run.done
