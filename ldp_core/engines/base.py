"""Who computes what: all clients at once, or one client a process.

Fully connected models are a handful of batched products, fastest together everywhere. Convolutions
want a GPU to be computed together; on a CPU one client at a time, channels-last and on one thread,
is fastest, and several processes share the clients (reference: speed, sections 2 and 3).

The choice is no part of an experiment. It can be overridden by the environment: EPSILON_ENGINE is
auto, batched or processes; EPSILON_CORES is how many cores a job may use (by default all that the
system, or a container's quota, allows this process), and there are as many processes.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from ldp_core.engines.batched import Tick, train_together
from ldp_core.engines.per_client import batches_of
from ldp_core.engines.plan import Plan
from ldp_core.engines.process_pool import Pool, Samples, Scoring, Task, Training
from ldp_core.engines.recipe import Recipe
from ldp_core.errors import InvalidInput, one_of, shown
from ldp_core.system.resources import cores

ENGINES = ("auto", "batched", "processes")
BATCH = 2048
"""Test samples that are scored at a time."""
BATCH_ALONE = 250
"""The same for convolutions on a CPU, where what fits in the cache is fastest."""
MOST_PROCESSES = 64
"""For one job, if the machine has no more cores than that."""
POOLS = 2
"""Data sets whose processes are kept; the runs of one job hardly ever use more."""

Done = tuple[int, NDArray[np.float32]]
"""The number of a task and its result."""

_pools: dict[tuple[int, ...], tuple[Pool, Samples]] = {}
"""By the place of the samples in memory; they are kept with it, so the place is theirs alone."""


@dataclass(frozen=True)
class Engine:
    """How a federation is trained and scored."""

    kind: Literal["batched", "processes"]
    processes: int
    device: str

    @property
    def description(self) -> str:
        """In words, for whoever wants to know what took so long."""
        if self.kind == "batched":
            return f"all clients at once on {'the GPU' if self.device == 'cuda' else 'one core'}"
        if self.processes == 1:
            return "one client at a time on one core, channels-last"
        return f"{self.processes} clients at a time, a process and a core each, channels-last"

    def train(
        self, recipe: Recipe, start: torch.Tensor, samples: Samples, plan: Plan, tick: Tick | None = None
    ) -> torch.Tensor:
        """The trained weights (K, d) of the rows of a plan, in the order of its shards.

        Args:
            recipe: how.
            start: (d,), or (K, d) in the order of the shards.
            samples: training samples and labels, and test samples.
            plan: the batches.
            tick: is told the share of the work that is done.

        Raises:
            MemoryError: a single client does not fit.
            ProcessLost: a process was killed.
        """
        if self.kind == "batched":
            return train_together(recipe, start, samples[0], samples[1], plan, tick)
        begin = start.cpu().numpy()
        tasks = [
            Training(recipe, begin if begin.ndim == 1 else begin[shard], batches_of(plan, row))
            for row, shard in enumerate(plan.rows)
        ]
        trained = np.empty((len(tasks), begin.shape[-1]), dtype=begin.dtype)
        for done, (row, weights) in enumerate(self._map(tasks, samples), start=1):
            trained[plan.rows[row]] = weights
            if tick is not None:
                tick(done / len(tasks))
        return torch.from_numpy(trained)

    def scores(self, recipe: Recipe, weights: torch.Tensor, samples: Samples) -> torch.Tensor:
        """The scores (n, classes) of the global model `weights` (d,) for the test samples."""
        if self.kind == "batched":
            views = recipe.model.views(weights.unsqueeze(0), recipe.shape, recipe.classes)
            with torch.no_grad():
                parts = torch.split(samples[2], BATCH if recipe.model.batched else BATCH_ALONE)
                return torch.cat([recipe.model.logits(views, x.unsqueeze(0))[0] for x in parts])
        model, count = weights.cpu().numpy(), len(samples[2])
        tasks = [Scoring(recipe, model, slice(a, a + BATCH_ALONE)) for a in range(0, count, BATCH_ALONE)]
        found = dict(self._map(tasks, samples))
        return torch.from_numpy(np.concatenate([found[i] for i in range(len(tasks))]))

    def _map(self, tasks: Sequence[Task], samples: Samples) -> Iterator[Done]:
        if self.processes == 1:
            return ((number, task(samples)) for number, task in enumerate(tasks))
        return pool(self.processes, samples).map(tasks)


def choose(batched: bool, device: torch.device) -> Engine:
    """The engine for a model that is `batched` on a CPU or not, unless the environment says another.

    Raises:
        InvalidInput: the environment says what cannot be.
    """
    asked = os.environ.get("EPSILON_ENGINE", "auto")
    if asked not in ENGINES:
        raise InvalidInput(f"EPSILON_ENGINE must be {one_of(ENGINES)}; got {shown(asked)}")
    together = batched or device.type != "cpu"
    if asked == "batched" or (asked == "auto" and together) or device.type != "cpu":
        return Engine("batched", 1, device.type)
    return Engine("processes", processes(), device.type)


def processes() -> int:
    """How many processes share the clients of a job.

    Raises:
        InvalidInput: the environment holds something else than a whole number from 1.
    """
    if multiprocessing.current_process().daemon:
        return 1  # such a process may have no children
    text = os.environ.get("EPSILON_CORES", "")
    if not text:
        return cores()
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise InvalidInput(f"EPSILON_CORES must be a whole number from 1; got {shown(text)}")
    return min(int(text[:9]), max(MOST_PROCESSES, cores()))


def pool(size: int, samples: Samples) -> Pool:
    """The processes that hold these samples, started when they are first asked for."""
    key = (size, os.getpid(), *(tensor.data_ptr() for tensor in samples))
    known = _pools.get(key)
    if known is not None and known[0].pids:
        return known[0]
    while len(_pools) >= POOLS:
        _pools.pop(next(iter(_pools)))[0].close()
    _pools[key] = (Pool(size, samples), samples)
    return _pools[key][0]


def close_pools() -> None:
    """End all processes; the next one who needs some starts them anew."""
    for started, _ in _pools.values():
        started.close()
    _pools.clear()
