"""Local training by PyTorch: of all clients at once, as one (K, d) matrix, or of one client a thread.

Convolutions on a CPU are fastest one client at a time, channels-last: the batched products take twice as long
for ResNet-18. A client's result depends on the client alone there, so the number of threads changes no bit.
"""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import takewhile
from typing import TypeVar

import torch
from torch import Tensor

from ldp_core.engines.plan import NO_RECORD_CLIPPING, Batches, Indices, Recipe
from ldp_core.models.record_clipping import clipped_gradients
from ldp_core.system.memory import give_back, ran_out

CPU_BYTES = 2**30
"""Largest size of all clients' activations on a CPU, where memory is not refused: processes are killed."""
COPIES = 3
"""Copies of an activation at its peak: the kept one, its gradient, and a temporary one."""

Tick = Callable[[float], None]
"""Receives the share of the work done, in [0, 1]."""
Samples = tuple[Tensor, Tensor, Tensor]
"""Training samples, training labels and test samples."""
Term = Callable[[Tensor, Indices], Tensor]
"""Gradient (k, d) of a term in the clients' losses, at their weights (k, d), for those at these places (k,)
among all.
"""
T = TypeVar("T")


def train(
    recipe: Recipe,
    start: Tensor,
    x: Tensor,
    y: Tensor,
    plan: Batches,
    tick: Tick | None = None,
    rates: Tensor | None = None,
    term: Term | None = None,
) -> Tensor:
    """Trained weights (K, d) of K clients, each on its own batches, in the order of the plan's shards; equal
    to K plain loops up to rounding. Out of memory, half as many clients are trained at a time.

    Args:
        start: initial weights (d,) of all, or (K, d).
        x, y: all samples (n, *shape) and labels (n,), on the device of `start`.
        rates: learning rates (K,) in place of the recipe's.

    Raises:
        MemoryError: a single client does not fit.
    """
    count = len(plan.rows)
    kind = start.dtype if recipe.record_clipping is None else torch.float64
    trained = start.new_empty((count, start.shape[-1]), dtype=kind)
    first, most = 0, min(count, clients_at_once(recipe, x.device, plan.samples.shape[2]))
    while first < count:
        rows = slice(first, min(first + most, count))
        order = torch.from_numpy(plan.rows[rows])
        try:
            begun = start if start.dim() == 1 else start[order]
            own = None if rates is None else rates[order]
            trained[order] = _steps(recipe, begun, x, y, plan, rows, tick, own, term)
            first = rows.stop
            continue
        except (RuntimeError, MemoryError) as error:
            if not ran_out(error):
                raise
        if most == 1:
            raise MemoryError(f"one client of {recipe.model.name} does not fit in memory")
        # what was begun is begun anew: every client starts from `start`
        most = -(-min(most, rows.stop - rows.start) // 2)
        give_back(x.device)
    return trained


def _steps(
    recipe: Recipe,
    start: Tensor,
    x: Tensor,
    y: Tensor,
    plan: Batches,
    rows: slice,
    tick: Tick | None,
    rates: Tensor | None,
    term: Term | None,
) -> Tensor:
    """Weights (k, d) after all steps of some rows of the plan, begun at (d,) or (k, d), with rates (k,)."""
    model, optimizer, places = recipe.model, recipe.optimizer, plan.rows[rows]
    weights = start.expand(rows.stop - rows.start, -1).clone()
    weights = weights if recipe.record_clipping is None else weights.double()
    samples = torch.from_numpy(plan.samples[:, rows]).to(x.device)
    shares = torch.from_numpy(plan.weights[:, rows]).to(x.device)
    memory = [torch.zeros_like(weights) for _ in range(optimizer.memories)]

    def step(batch: Tensor, share: Tensor, number: int) -> None:
        count = len(batch)
        views = model.views(weights[:count], recipe.shape, recipe.classes)
        remembered = [model.views(m[:count], recipe.shape, recipe.classes) for m in memory]
        if recipe.record_clipping is None:
            gradients = model.gradients(views, x[batch], y[batch], share)
        else:
            gradients = clipped_gradients(
                model, views, x[batch].double(), y[batch], share, recipe.record_clipping
            )
        if term is not None:
            more = model.views(term(weights[:count], places[:count]), recipe.shape, recipe.classes)
            gradients = {name: gradient + more[name] for name, gradient in gradients.items()}
        for name, gradient in gradients.items():
            shape = (-1, *[1] * (gradient.dim() - 1))
            rate = recipe.learning_rate if rates is None else rates[:count].view(shape)
            optimizer.step(views[name], gradient, [m[name] for m in remembered], number, rate)

    active = [min(one, rows.stop) - rows.start for one in plan.active if one > rows.start]
    for t, count in enumerate(active):
        step(samples[t, :count], shares[t, :count], t + 1)
        if tick is not None:
            tick((rows.start + (rows.stop - rows.start) * (t + 1) / len(plan.active)) / len(plan.rows))
    return weights


def clients_at_once(recipe: Recipe, device: torch.device, batch: int) -> int:
    """Number of clients whose activations fit into memory; constant per kind of machine, for equal bits."""
    memory = CPU_BYTES
    if device.type == "cuda":
        memory = torch.cuda.get_device_properties(device).total_memory // 2
    each = COPIES * 4 * batch * recipe.model.activations(recipe.shape, recipe.classes)
    return max(1, memory // max(1, each))


def train_each(
    recipe: Recipe, start: Tensor, x: Tensor, y: Tensor, plan: Batches, threads: int, tick: Tick | None = None
) -> Tensor:
    """Like `train`, on a CPU with one client a thread. Out of memory, one client is trained at a time."""
    trained = start.new_empty((len(plan.rows), start.shape[-1]))

    def train_row(row: int, stopped: threading.Event) -> None:
        shard = plan.rows[row]
        batches = [plan.samples[t, row, : plan.lengths[t, row]] for t in range(plan.steps[row])]
        going_on = takewhile(lambda _: not stopped.is_set(), batches)
        trained[shard] = train_alone(recipe, start if start.dim() == 1 else start[shard], x, y, going_on)

    while True:
        try:
            in_threads(train_row, len(plan.rows), threads, tick)
            return trained
        except (RuntimeError, MemoryError) as error:
            if not ran_out(error):
                raise
        if threads == 1:  # asked after the error is gone, which holds what its frames do
            raise MemoryError(f"one client of {recipe.model.name} does not fit in memory")
        threads = 1
        give_back(x.device)


def train_alone(recipe: Recipe, start: Tensor, x: Tensor, y: Tensor, batches: Iterable[Indices]) -> Tensor:
    """Weights (d,) of one client after training from `start` (d,). All parameters are views of one vector and
    all gradients of another, so a step is one operation.
    """
    if recipe.record_clipping is not None:
        raise ValueError(NO_RECORD_CLIPPING)
    weights = start.clone()
    gradient = torch.zeros_like(weights)
    memory = [torch.zeros_like(weights) for _ in range(recipe.optimizer.memories)]
    leaves = {name: view.requires_grad_() for name, view in views_alone(recipe, weights).items()}
    for leaf, view in zip(leaves.values(), views_alone(recipe, gradient).values(), strict=True):
        leaf.grad = view  # backward adds to it in place
    for number, batch in enumerate(batches, start=1):
        chosen = torch.from_numpy(batch)
        gradient.zero_()
        scores = recipe.model.scores(leaves, x[chosen])
        torch.autograd.backward(torch.nn.functional.cross_entropy(scores, y[chosen]))
        recipe.optimizer.step(weights, gradient, memory, number, recipe.learning_rate)
    return weights


def scores_each(recipe: Recipe, weights: Tensor, x: Tensor, batch: int, threads: int) -> Tensor:
    """Scores (n, classes) of the model `weights` (d,) on samples x (n, *shape), on a CPU by threads."""
    parts, views = torch.split(x, batch), views_alone(recipe, weights)

    def score(part: int, _: threading.Event) -> Tensor:
        with torch.no_grad():
            return recipe.model.scores(views, parts[part])

    return torch.cat(in_threads(score, len(parts), threads))


def views_alone(recipe: Recipe, vector: Tensor) -> dict[str, Tensor]:
    views = recipe.model.views(vector.unsqueeze(0), recipe.shape, recipe.classes)
    return {name: view[0].detach() for name, view in views.items()}


def in_threads(
    task: Callable[[int, threading.Event], T], count: int, threads: int, tick: Tick | None = None
) -> list[T]:
    """Results of a task for 0 … count - 1; interrupted, running tasks are told by the event."""
    found, stopped = list[T](), threading.Event()
    # asked in a new thread, PyTorch sets its number of threads there
    with ThreadPoolExecutor(threads, initializer=torch.get_num_threads) as pool:
        try:
            for one in pool.map(lambda number: task(number, stopped), range(count)):
                found.append(one)
                if tick is not None:
                    tick(len(found) / count)
        finally:
            stopped.set()
    return found
