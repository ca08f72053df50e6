"""Driving simulations: several runs in lockstep, with the clock and the data they need."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from ldp_core import datasets
from ldp_core.datasets import Data
from ldp_core.experiment import Experiment
from ldp_core.runs.paths import data_dir


@lru_cache(maxsize=2)
def load(name: str) -> Data:
    """A data set by name, kept in memory for the next run.

    Raises:
        DataUnavailable: it is not on this machine and cannot be fetched.
    """
    return datasets.get(name).load(data_dir())


def one_thread() -> None:
    """Compute on one thread: bit-equal results, and no contention between workers."""
    import torch

    torch.set_num_threads(1)


def drive(experiments: Sequence[Experiment]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Run experiments side by side, a round of each in turn.

    Yields:
        The number of the run and its next event as JSON; the end event carries the seconds that
        this run itself took.
    """
    from ldp_core.simulate import simulate

    running = [(i, simulate(e, load(e.dataset))) for i, e in enumerate(experiments)]
    seconds = [0.0] * len(running)
    while running:
        still = []
        for i, events in running:
            ended = False
            for event in _until_round(events, seconds, i):
                ended = event["event"] == "end"
                yield i, event | {"seconds": round(seconds[i], 4)} if ended else event
            if not ended:
                still.append((i, events))
        running = still


def _until_round(events: Iterator[Any], seconds: list[float], i: int) -> Iterator[dict[str, Any]]:
    """The events of one run up to its next round or its end; adds up the time they took."""
    while True:
        started = time.perf_counter()
        event = next(events)
        seconds[i] += time.perf_counter() - started
        yield event.as_json()
        if event.event in ("round", "end"):
            return
