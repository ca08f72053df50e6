"""Training of a round as a value, so that a driver can train several runs together.

A run yields its work and receives the trained weights. Works of one shape (model, data, optimiser, batch
size) are joined: their clients become rows of one matrix. Each row depends on its own start, batches and
learning rate only; with PyTorch the last bits may depend on the number of rows, with the fused kernel they do
not.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from ldp_core.engines.base import Engine
from ldp_core.engines.batched import Samples, Term, Tick, train
from ldp_core.engines.plan import Batches, Recipe

ROWS = 320
"""Most clients trained together; more exceed the processor's cache and delay the first run's end."""


@dataclass(frozen=True)
class Work:
    """Local training of some clients of one federation in one round."""

    engine: Engine
    recipe: Recipe
    start: Tensor
    """Initial weights (d,), or (K, d) in the order of the plan's shards."""
    samples: Samples
    plan: Batches
    tick: Tick | None = None
    """Receives the share of the training done, in [0, 1]."""
    term: Term | None = None
    """Of a system, in the clients' losses."""

    def alone(self) -> Tensor:
        """Trained weights (K, d), by this work's own engine."""
        return self.engine.train(self.recipe, self.start, self.samples, self.plan, self.tick, self.term)

    @property
    def shape(self) -> Hashable:
        """Equal for works that can be trained as one; None for a work that must be trained alone."""
        if self.engine.kind == "fused" and self.start.ndim == 1:
            return self.engine, self.recipe.model, self.recipe.optimizer, id(self.samples[0]), id(self.plan)
        if self.engine.kind == "fused" or self.engine.each or self.term is not None:
            return None
        return (
            self.engine,
            replace(self.recipe, learning_rate=0.0),
            tuple(tensor.data_ptr() for tensor in self.samples),
            self.plan.samples.shape[2],
        )


def train_works(works: Sequence[Work]) -> list[Tensor]:
    """Trained weights (K, d) of each work; works of one shape are trained together."""
    found: dict[int, Tensor] = {}
    for group in _groups(works):
        if len(group) == 1:
            found[group[0]] = works[group[0]].alone()
        else:
            found |= zip(group, _as_one([works[i] for i in group]), strict=True)
    return [found[i] for i in range(len(works))]


def _groups(works: Sequence[Work]) -> list[list[int]]:
    """Indices of works that are trained as one batch, in order."""
    groups: list[list[int]] = []
    newest: dict[Hashable, tuple[list[int], int]] = {}
    for number, work in enumerate(works):
        shape, rows = work.shape, len(work.plan.rows)
        group, filled = newest.get(shape, ([], ROWS))
        if shape is None or filled + rows > ROWS:
            group, filled = [], 0
            groups.append(group)
        group.append(number)
        newest[shape] = group, filled + rows
    return groups


def _as_one(works: Sequence[Work]) -> list[Tensor]:
    first = works[0]
    if first.engine.kind == "fused":
        from ldp_core.engines.fused.training import train_each

        recipes, starts = [work.recipe for work in works], [work.start for work in works]
        return train_each(recipes, starts, *first.samples[:2], first.plan, first.engine.threads)
    counts = [len(work.plan.rows) for work in works]
    start = torch.cat([work.start.expand(n, -1) for work, n in zip(works, counts, strict=True)])
    rates = torch.tensor([work.recipe.learning_rate for work in works], device=start.device)
    same = bool((rates == rates[0]).all())
    each = None if same else rates.repeat_interleave(torch.tensor(counts, device=start.device))
    plan = joined([work.plan for work in works])
    trained = train(first.recipe, start, *first.samples[:2], plan, rates=each)
    return list(torch.split(trained, counts))


def joined(plans: Sequence[Batches]) -> Batches:
    """One plan for the rows of all plans, in order; batch sizes must be equal."""
    steps = [plan.steps for plan in plans]
    before = np.cumsum([0, *(len(plan.rows) for plan in plans[:-1])])
    longest = max(len(plan.active) for plan in plans)
    order = np.argsort(-np.concatenate(steps), kind="stable")

    def together(name: str) -> np.ndarray:
        parts = [getattr(plan, name) for plan in plans]
        ends = [(0, longest - len(part)) for part in parts]  # steps that none of theirs takes
        padded = [np.pad(part, (end, (0, 0), (0, 0))) for part, end in zip(parts, ends, strict=True)]
        return np.concatenate(padded, axis=1)[:, order]

    rows = np.concatenate([plan.rows + offset for plan, offset in zip(plans, before, strict=True)])[order]
    every = np.concatenate(steps)
    active = [int((every > step).sum()) for step in range(longest)]
    return Batches(rows, together("samples"), together("weights"), active)
