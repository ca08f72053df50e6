"""Who computes what: all clients at once, one client a process, or a compiled kernel a thread.

On a CPU the fastest is a kernel made for the network (`ldp_core.engines.fused`). Where there is none, PyTorch
is fastest with all clients of a fully connected model in a handful of batched products; of convolutions with
one client at a time, channels-last and on one thread, and several processes share the clients (reference:
speed, sections 2 and 3). On a GPU all models are computed for all clients at once.

The choice is no part of an experiment; `ldp_core.engines.choice` makes it. EPSILON_CORES is how many
cores a job may use (by default all that the system, or a container's quota, allows this process), and
there are as many processes or threads.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from ldp_core.engines import choice
from ldp_core.engines.batched import Tick, train_together
from ldp_core.engines.per_client import Samples, Scoring, Training, batches_of
from ldp_core.engines.plan import Plan
from ldp_core.engines.process_pool import Pool, Task
from ldp_core.engines.recipe import Recipe
from ldp_core.models.base import Model
from ldp_core.settings.table import CORES
from ldp_core.system.resources import cores

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
    kind: choice.Kind
    processes: int
    """Or threads."""
    device: str
    note: str = ""
    """Why it is no other engine, where that needs a word."""

    @property
    def description(self) -> str:
        """Description of the work, for an error about its duration."""
        return f"{self._words}; {self.note}" if self.note else self._words

    @property
    def _words(self) -> str:
        if self.kind == "batched":
            return f"all clients at once on {'the GPU' if self.device == 'cuda' else 'one core'}"
        how, each = ("channels-last", "process") if self.kind == "processes" else ("fused kernel", "thread")
        if self.processes == 1:
            return f"one client at a time on one core, {how}"
        return f"{self.processes} clients at a time, a {each} and a core each, {how}"

    def train(
        self, recipe: Recipe, start: torch.Tensor, samples: Samples, plan: Plan, tick: Tick | None = None
    ) -> torch.Tensor:
        """The trained weights (K, d) of the rows of a plan, in the order of its shards.

        Args:
            start: (d,), or (K, d) in the order of the shards.
            samples: training samples and labels, and test samples.
            tick: called with the share of the work that is done.

        Raises:
            MemoryError: a single client does not fit.
            ProcessLost: a process was killed.
        """
        if self.kind == "batched":
            return train_together(recipe, start, samples[0], samples[1], plan, tick)
        if self.kind == "fused":
            from ldp_core.engines.fused.training import train_fused

            return train_fused(recipe, start, samples[0], samples[1], plan, self.processes, tick)
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

    def joins(self, model: Model) -> bool:
        """True if several runs are worth a process together: where rounds of one are short.

        A process of the pool has one client at a time; and convolutions fill all cores by themselves.
        """
        return self.kind == "batched" or (self.kind == "fused" and model.batched)

    def scores(self, recipe: Recipe, weights: torch.Tensor, samples: Samples) -> torch.Tensor:
        """The scores (n, classes) of the global model `weights` (d,) for the test samples."""
        if self.kind == "batched":
            views = recipe.model.views(weights.unsqueeze(0), recipe.shape, recipe.classes)
            with torch.no_grad():
                parts = torch.split(samples[2], BATCH if recipe.model.batched else BATCH_ALONE)
                return torch.cat([recipe.model.logits(views, x.unsqueeze(0))[0] for x in parts])
        if self.kind == "fused":
            from ldp_core.engines.fused.training import scores_fused

            return scores_fused(recipe, weights, samples[2], self.processes)
        model, count = weights.cpu().numpy(), len(samples[2])
        tasks = [Scoring(recipe, model, slice(a, a + BATCH_ALONE)) for a in range(0, count, BATCH_ALONE)]
        found = dict(self._map(tasks, samples))
        return torch.from_numpy(np.concatenate([found[i] for i in range(len(tasks))]))

    def _map(self, tasks: Sequence[Task], samples: Samples) -> Iterator[Done]:
        if self.processes == 1:
            return ((number, task(samples)) for number, task in enumerate(tasks))
        return pool(self.processes, samples).map(tasks)


def choose(batched: bool, device: torch.device, recipe: Recipe | None = None, began: str = "") -> Engine:
    """The engine for a model that is `batched` on a CPU or not, unless the environment says another.

    Args:
        batched: whether computing for all clients at once is fastest on a CPU too.
        recipe: what is to be trained; without it there is no fused kernel.
        began: the kind that a run began with, which goes before what the environment says; "" for none.

    Raises:
        InvalidInput: the environment says what cannot be.
    """
    on_cpu = device.type == "cpu"
    fit = partial(misfit, recipe) if recipe and on_cpu else None
    found = choice.chosen(batched, on_cpu, fit, began)
    if found.kind == "batched":
        return Engine("batched", 1, device.type, found.note)
    return Engine(found.kind, threads() if found.kind == "fused" else processes(), device.type, found.note)


def misfit(recipe: Recipe) -> str:
    """Why the fused kernel cannot train by this recipe here; "" if it can (the kernel is then compiled)."""
    reason = choice.misfit(recipe.model, recipe.shape, recipe.classes, recipe.optimizer)
    if reason:
        return reason
    try:
        from ldp_core.engines.fused.compiled import failure
    except (ImportError, OSError) as error:  # it is there, and broken
        logging.warning("no fused kernel: %s: %s", type(error).__name__, error)
        return "llvmlite cannot be loaded"
    return failure(recipe.model, recipe.shape, recipe.classes, recipe.optimizer.name == "adam")


def processes() -> int:
    """Number of processes that share a job's clients.

    Raises:
        InvalidInput: the environment holds something else than a whole number from 1.
    """
    return 1 if multiprocessing.current_process().daemon else threads()  # a daemon may have no children


def threads() -> int:
    """Number of cores that a job may use."""
    return min(CORES.value() or cores(), max(MOST_PROCESSES, cores()))


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
    """End all pools; new ones start on demand."""
    for started, _ in _pools.values():
        started.close()
    _pools.clear()
