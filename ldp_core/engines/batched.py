"""Local training of all clients at once, as one (K, d) matrix."""

from collections.abc import Callable, Sequence
from contextlib import suppress

import torch
from torch import Tensor

from ldp_core.engines.plan import Plan, Recipe
from ldp_core.optimizers import Optimizer
from ldp_core.system.memory import give_back, ran_out

CPU_BYTES = 2**30
"""Largest size of all clients' activations on a CPU, where memory is not refused: processes are killed."""
COPIES = 3
"""Copies of an activation at its peak: the kept one, its gradient, and a temporary one."""

Tick = Callable[[float], None]
"""Receives the share of the work done, in [0, 1]."""
LEAST = 16
"""Least number of steps for which capturing a CUDA graph saves time."""

Step = Callable[[Tensor, Tensor], None]
"""Updates the first k rows of weights in place, given samples (k, B) and their weights in the loss (k, B)."""


def train(
    recipe: Recipe,
    start: Tensor,
    x: Tensor,
    y: Tensor,
    plan: Plan,
    tick: Tick | None = None,
    rates: Tensor | None = None,
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
    trained = start.new_empty((count, start.shape[-1]))
    first, most = 0, min(count, clients_at_once(recipe, x.device, plan.samples.shape[2]))
    while first < count:
        rows = slice(first, min(first + most, count))
        order = torch.from_numpy(plan.rows[rows])
        try:
            begun = start if start.dim() == 1 else start[order]
            own = None if rates is None else rates[order]
            trained[order] = _steps(recipe, begun, x, y, plan, rows, tick, own)
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
    plan: Plan,
    rows: slice,
    tick: Tick | None,
    rates: Tensor | None,
) -> Tensor:
    """Weights (k, d) after all steps of some rows of the plan, begun at (d,) or (k, d), with rates (k,)."""
    model, optimizer = recipe.model, recipe.optimizer
    weights = start.expand(rows.stop - rows.start, -1).clone()
    samples = torch.from_numpy(plan.samples[:, rows]).to(x.device)
    shares = torch.from_numpy(plan.weights[:, rows]).to(x.device)
    memory = [torch.zeros_like(weights) for _ in range(optimizer.memories)]

    def step(batch: Tensor, share: Tensor, number: int = 1) -> None:
        count = len(batch)
        views = model.views(weights[:count], recipe.shape, recipe.classes)
        remembered = [model.views(m[:count], recipe.shape, recipe.classes) for m in memory]
        gradients = model.gradients(views, x[batch], y[batch], share)
        for name, gradient in gradients.items():
            shape = (-1, *[1] * (gradient.dim() - 1))
            rate = recipe.learning_rate if rates is None else rates[:count].view(shape)
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
    return weights


def replayed(optimizer: Optimizer, device: torch.device) -> bool:
    """Whether steps are captured once as a CUDA graph and replayed."""
    return device.type == "cuda" and optimizer.steady


def clients_at_once(recipe: Recipe, device: torch.device, batch: int) -> int:
    """Number of clients whose activations fit into memory; constant per kind of machine, for equal bits."""
    memory = CPU_BYTES
    if device.type == "cuda":
        memory = torch.cuda.get_device_properties(device).total_memory // 2
    each = COPIES * 4 * batch * recipe.model.activations(recipe.shape, recipe.classes)
    return max(1, memory // max(1, each))


class Replays:
    """Steps of a plan, replayed from one captured step where possible: launching a small model's operations
    from Python takes longer than they do. A graph needs equal steps of the same clients; those that have
    ended stay in it with samples of weight 0, which change nothing, until half of them have.
    """

    def __init__(self, step: Step, samples: Tensor, shares: Tensor, active: Sequence[int]) -> None:
        """Replay a step on `samples` and `shares` (T, K, B); of step t the first `active[t]` rows train."""
        self._step, self._samples, self._shares, self._active = step, samples, shares, active
        self._replay: Step | None = None
        self._rows = 0
        self._has_room = True

    def take(self, t: int) -> None:
        """Execute step `t`, counted from 0."""
        active = self._active[t]
        if self._replay and 2 * active <= self._rows:
            self._replay = None  # what was recorded is given back before another one is
        if not self._replay and self._has_room and t and self._alike(t) >= LEAST:
            self._record(t, active)  # not of the first step, which loads what it calls
        if self._replay:
            self._replay(self._samples[t, : self._rows], self._shares[t, : self._rows])
        else:
            self._step(self._samples[t, :active], self._shares[t, :active])

    def _alike(self, t: int) -> int:
        return sum(2 * active > self._active[t] for active in self._active[t:])

    def _record(self, t: int, rows: int) -> None:
        """Capture the step for the first `rows` rows, unless memory is short: a graph holds as much as a step
        takes.
        """
        try:
            self._replay = recorded(self._step, self._samples[t, :rows], self._shares[t, :rows])
            self._rows = rows
        except RuntimeError as error:
            if not ran_out(error):
                raise
            self._has_room = False


def recorded(step: Step, samples: Tensor, shares: Tensor) -> Step:
    """Captured step that is replayed on other samples; weights are not changed by capturing."""
    samples, shares = samples.clone(), shares.clone()
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()  # type: ignore[no-untyped-call]
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        graph.capture_begin()
        try:
            step(samples, shares)
        except BaseException:
            with suppress(RuntimeError):  # it says only that there is nothing to end
                graph.capture_end()
            raise
        graph.capture_end()
    torch.cuda.current_stream().wait_stream(stream)

    def replay(others: Tensor, theirs: Tensor) -> None:
        samples.copy_(others)
        shares.copy_(theirs)
        graph.replay()

    return replay
