"""Local training of all clients at once, as one (K, d) matrix."""

from __future__ import annotations

from collections.abc import Callable

import torch

from ldp_core.engines.captured import Replays
from ldp_core.engines.plan import Plan
from ldp_core.engines.recipe import Recipe
from ldp_core.models.base import Model
from ldp_core.optimizers import Optimizer, get
from ldp_core.system.memory import give_back, ran_out

CPU_BYTES = 2**30
"""Largest size of all clients' activations on a CPU, whose system kills processes instead of refusing
memory.
"""
COPIES = 3
"""Copies of an activation at its peak: the kept one, its gradient, and a temporary one."""

Tick = Callable[[float], None]
"""Receives the share of the work done, in [0, 1]."""


def train(
    model: Model,
    start: torch.Tensor,
    x: torch.Tensor,
    y: torch.Tensor,
    plan: Plan,
    learning_rate: float,
    classes: int,
    optimizer: Optimizer | None = None,
) -> torch.Tensor:
    """Train K copies of a model, each on its own batches.

    Args:
        start: initial weights (d,) of all rows, or (K, d).
        x, y: all samples (n, *shape) and labels (n,), on the device of `start`.
        optimizer: plain SGD by default.

    Returns:
        Trained weights (K, d), float32, in the order of the plan's shards. Equal to K separate plain loops up
        to rounding (tests/engines/test_batched.py).
    """
    recipe = Recipe(model, tuple(x.shape[1:]), classes, optimizer or get("sgd"), learning_rate)
    return train_together(recipe, start, x, y, plan)


def train_together(
    recipe: Recipe,
    start: torch.Tensor,
    x: torch.Tensor,
    y: torch.Tensor,
    plan: Plan,
    tick: Tick | None = None,
    rates: torch.Tensor | None = None,
) -> torch.Tensor:
    """Trained weights (K, d) of the rows of a plan. Out of memory, half as many clients are trained at a
    time.

    `rates` (K,), in the order of the shards, replace the recipe's learning rate.

    Raises:
        MemoryError: a single client does not fit.
    """
    count = len(plan.rows)
    trained = start.new_empty((count, start.shape[-1]))
    first, most = 0, min(count, clients_at_once(recipe, x.device, plan.samples.shape[2]))
    while first < count:
        rows = slice(first, min(first + most, count))
        order = torch.from_numpy(plan.rows[rows])
        weights = _attempt(recipe, start, x, y, plan, rows, tick, None if rates is None else rates[order])
        if weights is not None:
            trained[order] = weights
            first = rows.stop
        elif most == 1:
            raise MemoryError(f"one client of {recipe.model.name} does not fit in memory")
        else:  # what was begun is begun anew: every client starts from `start`
            most = -(-min(most, rows.stop - rows.start) // 2)
            give_back(x.device)
    return trained


def _attempt(
    recipe: Recipe,
    start: torch.Tensor,
    x: torch.Tensor,
    y: torch.Tensor,
    plan: Plan,
    rows: slice,
    tick: Tick | None,
    rates: torch.Tensor | None,
) -> torch.Tensor | None:
    """Trained weights (k, d) of some rows of the plan; None if memory ran out, with everything freed."""
    order = torch.from_numpy(plan.rows[rows])
    try:
        weights = (start.expand(len(order), -1) if start.dim() == 1 else start[order]).clone()
        _steps(recipe, weights, x, y, plan, rows, tick, rates)
    except (RuntimeError, MemoryError) as error:
        if not ran_out(error):
            raise
        return None
    return weights


def _steps(
    recipe: Recipe,
    weights: torch.Tensor,
    x: torch.Tensor,
    y: torch.Tensor,
    plan: Plan,
    rows: slice,
    tick: Tick | None,
    rates: torch.Tensor | None,
) -> None:
    """All training steps of some rows of the plan, in place on `weights` (k, d), with learning rates (k,) or
    None.
    """
    model, optimizer = recipe.model, recipe.optimizer
    samples = torch.from_numpy(plan.samples[:, rows]).to(x.device)
    shares = torch.from_numpy(plan.weights[:, rows]).to(x.device)
    memory = [torch.zeros_like(weights) for _ in range(optimizer.memories)]

    def step(batch: torch.Tensor, share: torch.Tensor, number: int = 1) -> None:
        count = len(batch)
        views = model.views(weights[:count], recipe.shape, recipe.classes)
        remembered = [model.views(m[:count], recipe.shape, recipe.classes) for m in memory]
        gradients = model.gradients(views, x[batch], y[batch], share)
        for name, gradient in gradients.items():
            rate = recipe.learning_rate if rates is None else _column(rates[:count], gradient)
            optimizer.step(views[name], gradient, [m[name] for m in remembered], number, rate)

    active = [min(one, rows.stop) - rows.start for one in plan.active if one > rows.start]
    replays = Replays(step, samples, shares, active) if replayed(optimizer, x.device) else None
    for t, count in enumerate(active):
        if replays:
            replays.take(t)
        else:
            step(samples[t, :count], shares[t, :count], t + 1)
        if tick is not None:
            tick((rows.start + (rows.stop - rows.start) * (t + 1) / len(plan.active)) / len(plan.rows))


def replayed(optimizer: Optimizer, device: torch.device) -> bool:
    """Whether steps are captured once as a CUDA graph and replayed."""
    return device.type == "cuda" and optimizer.steady


def _column(rates: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
    return rates.view(-1, *[1] * (gradient.dim() - 1))


def clients_at_once(recipe: Recipe, device: torch.device, batch: int) -> int:
    """Number of clients whose activations fit into memory; constant per kind of machine, so that bits are
    equal.
    """
    memory = CPU_BYTES
    if device.type == "cuda":
        memory = torch.cuda.get_device_properties(device).total_memory // 2
    each = COPIES * 4 * batch * recipe.model.activations(recipe.shape, recipe.classes)
    return max(1, memory // max(1, each))
