"""The two engines: a compiled kernel, and PyTorch with all clients batched.

On a CPU a kernel compiled for the network (`ldp_core.engines.fused`) is fastest; what it cannot train, and
everything on a GPU, PyTorch trains (`ldp_core.engines.batched`). `ldp_core.engines.choice` selects the
engine; EPSILON_SLOT_CORES limits its threads.
"""

import logging
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from ldp_core.engines import choice
from ldp_core.engines.batched import Samples, Term, Tick, scores_each, train, train_each
from ldp_core.engines.plan import Batches, Recipe
from ldp_core.models.base import Model
from ldp_core.settings import SLOT_CORES
from ldp_core.system.resources import cores

BATCH = 2048
"""Number of test samples scored at a time."""
BATCH_ALONE = 250
"""The same number for convolutions on a CPU, fastest if activations fit into the cache."""
MOST_THREADS = 64


@dataclass(frozen=True)
class Engine:
    kind: choice.EngineKind
    threads: int
    device: str
    note: str = ""
    """Why a faster engine is not used; "" if it is."""
    each: bool = False
    """True if PyTorch trains one client a thread, which is fastest for convolutions on a CPU."""

    @property
    def description(self) -> str:
        how = "fused kernel" if self.kind == "fused" else "PyTorch"
        if self.kind == "batched" and not self.each:
            words = f"all clients at once on {'the GPU' if self.device == 'cuda' else 'one core'}"
        elif self.threads == 1:
            words = f"one client at a time on one core, {how}"
        else:
            words = f"{self.threads} clients at a time, a thread and a core each, {how}"
        return f"{words}; {self.note}" if self.note else words

    def train(
        self,
        recipe: Recipe,
        start: Tensor,
        samples: Samples,
        plan: Batches,
        tick: Tick | None = None,
        term: Term | None = None,
    ) -> Tensor:
        """Trained weights (K, d) of the rows of a plan, in the order of its shards, begun at (d,), or at (K,
        d) in that order; `tick` receives the share of the work done, in [0, 1]; `term`, where the recipe
        needs PyTorch, is part of the clients' losses. Raises MemoryError if a single client does not fit.
        """
        x, y, _ = samples
        if self.kind == "fused":
            from ldp_core.engines.fused.training import train_fused

            return train_fused(recipe, start, x, y, plan, self.threads, tick)
        if self.each:
            return train_each(recipe, start, x, y, plan, self.threads, tick)
        return train(recipe, start, x, y, plan, tick, term=term)

    def joins(self, model: Model) -> bool:
        """True if training several runs in one process together is faster: not if convolutions occupy all
        cores, one client each.
        """
        return model.batched if self.kind == "fused" else not self.each

    def scores(self, recipe: Recipe, weights: Tensor, samples: Samples) -> Tensor:
        """Scores (n, classes) of the global model `weights` (d,) on the test samples."""
        if self.kind == "fused":
            from ldp_core.engines.fused.training import scores_fused

            return scores_fused(recipe, weights, samples[2], self.threads)
        if self.each:
            return scores_each(recipe, weights, samples[2], BATCH_ALONE, self.threads)
        views = recipe.model.views(weights.unsqueeze(0), recipe.shape, recipe.classes)
        with torch.no_grad():
            parts = torch.split(samples[2], BATCH if recipe.model.batched else BATCH_ALONE)
            return torch.cat([recipe.model.logits(views, x.unsqueeze(0))[0] for x in parts])


def choose(batched: bool, device: torch.device, recipe: Recipe | None = None, began: str = "") -> Engine:
    """Engine for a model on a device, as for `choice.chosen`; without a `recipe` no kernel is considered.

    Args:
        batched: whether batching all clients is fastest on a CPU without a kernel too.
        began: kind that a resumed run began with, which takes precedence; "" for a new run.
    """
    on_cpu = device.type == "cpu"
    found = choice.chosen(on_cpu, partial(misfit, recipe) if recipe and on_cpu else None, began)
    each = found.kind == "batched" and on_cpu and not batched and not (recipe and recipe.needs_torch)
    return Engine(
        found.kind, threads() if each or found.kind == "fused" else 1, device.type, found.note, each
    )


def misfit(recipe: Recipe) -> str:
    """Why no kernel can be compiled for these settings here; "" if it can, and is compiled then."""
    own = recipe.model, recipe.shape, recipe.classes, recipe.optimizer
    reason = choice.misfit(*own, recipe.needs_torch)
    if reason:
        return reason
    try:
        from ldp_core.engines.fused.compiled import failure
    except (ImportError, OSError) as error:  # it is there, and broken
        logging.warning("no fused kernel: %s: %s", type(error).__name__, error)
        return "llvmlite cannot be loaded"
    return failure(recipe.model, recipe.shape, recipe.classes, recipe.optimizer.name == "adam")


def threads() -> int:
    return min(SLOT_CORES.value() or cores(), max(MOST_THREADS, cores()))
