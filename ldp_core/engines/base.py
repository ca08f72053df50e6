"""The engines: all clients batched, one client a process, or a compiled kernel a thread.

On a CPU a kernel compiled for the network (`ldp_core.engines.fused`) is fastest. Where none can be compiled,
PyTorch is fastest with all clients of a fully connected model in a few batched products, and for convolutions
with one client at a time, channels-last, on one thread, in several processes. On a GPU all clients are
batched. `ldp_core.engines.choice` selects the engine; EPSILON_SLOT_CORES limits its processes or threads.
"""

import logging
import multiprocessing
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ldp_core.engines import choice
from ldp_core.engines.batched import Tick, train
from ldp_core.engines.per_client import Samples, Scoring, Training, batches_of
from ldp_core.engines.plan import Plan, Recipe
from ldp_core.engines.process_pool import Pool, Task
from ldp_core.models.base import Model
from ldp_core.settings import SLOT_CORES
from ldp_core.system.resources import cores

BATCH = 2048
"""Number of test samples scored at a time."""
BATCH_ALONE = 250
"""The same number for convolutions on a CPU, fastest if activations fit into the cache."""
MOST_PROCESSES = 64
POOLS = 2
"""Number of data sets whose process pools are kept."""

_pools: dict[tuple[int, ...], tuple[Pool, Samples]] = {}
"""Process pools by the memory addresses of their samples, which are kept so that addresses are not reused."""


@dataclass(frozen=True)
class Engine:
    kind: choice.Kind
    processes: int
    """Number of processes or threads."""
    device: str
    note: str = ""
    """Why a faster engine is not used; "" if it is."""

    @property
    def description(self) -> str:
        how, each = ("channels-last", "process") if self.kind == "processes" else ("fused kernel", "thread")
        if self.kind == "batched":
            words = f"all clients at once on {'the GPU' if self.device == 'cuda' else 'one core'}"
        elif self.processes == 1:
            words = f"one client at a time on one core, {how}"
        else:
            words = f"{self.processes} clients at a time, a {each} and a core each, {how}"
        return f"{words}; {self.note}" if self.note else words

    def train(
        self, recipe: Recipe, start: Tensor, samples: Samples, plan: Plan, tick: Tick | None = None
    ) -> Tensor:
        """Trained weights (K, d) of the rows of a plan, in the order of its shards, begun at (d,), or at (K,
        d) in that order; `tick` receives the share of the work done, in [0, 1]. Raises MemoryError if a
        single client does not fit, and ProcessLost.
        """
        if self.kind == "batched":
            return train(recipe, start, samples[0], samples[1], plan, tick)
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
        """True if training several runs in one process together is faster: not by processes of one client
        each, and not for convolutions, which occupy all cores.
        """
        return self.kind == "batched" or (self.kind == "fused" and model.batched)

    def scores(self, recipe: Recipe, weights: Tensor, samples: Samples) -> Tensor:
        """Scores (n, classes) of the global model `weights` (d,) on the test samples."""
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

    def _map(self, tasks: Sequence[Task], samples: Samples) -> Iterator[tuple[int, NDArray[np.float32]]]:
        if self.processes == 1:
            return ((number, task(samples)) for number, task in enumerate(tasks))
        return pool(self.processes, samples).map(tasks)


def choose(batched: bool, device: torch.device, recipe: Recipe | None = None, began: str = "") -> Engine:
    """Engine for a model on a device, as for `choice.chosen`; without a `recipe` no kernel is considered.
    `began` is the kind that a resumed run began with, which takes precedence; "" for a new run.
    """
    on_cpu = device.type == "cpu"
    fit = partial(misfit, recipe) if recipe and on_cpu else None
    found = choice.chosen(batched, on_cpu, fit, began)
    parallel = {"batched": lambda: 1, "fused": threads, "processes": processes}[found.kind]()
    return Engine(found.kind, parallel, device.type, found.note)


def misfit(recipe: Recipe) -> str:
    """Why no kernel can be compiled for these settings here; "" if it can, and is compiled then."""
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
    """Number of processes that share a job's clients."""
    return 1 if multiprocessing.current_process().daemon else threads()  # a daemon may have no children


def threads() -> int:
    return min(SLOT_CORES.value() or cores(), max(MOST_PROCESSES, cores()))


def pool(size: int, samples: Samples) -> Pool:
    """Process pool that holds these samples, started on first use."""
    key = (size, os.getpid(), *(tensor.data_ptr() for tensor in samples))
    known = _pools.get(key)
    if known is not None and known[0].pids:
        return known[0]
    while len(_pools) >= POOLS:
        _pools.pop(next(iter(_pools)))[0].close()
    _pools[key] = (Pool(size, samples), samples)
    return _pools[key][0]


def close_pools() -> None:
    for started, _ in _pools.values():
        started.close()
    _pools.clear()
