"""Clients divided among threads: each thread takes the next few and trains them in one call.

A client's result depends on the client alone, so the number of threads changes no bit. The call releases
Python's global interpreter lock; the calling thread waits, handles signals, and reports progress. An
interrupt stops the threads within a step.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from queue import Empty, SimpleQueue

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ldp_core.engines.batched import Tick
from ldp_core.engines.fused.compiled import Compiled, compiled
from ldp_core.engines.fused.memory import ThreadMemory
from ldp_core.engines.plan import NO_RECORD_CLIPPING, Batches, Indices, Recipe
from ldp_core.errors import StudioError
from ldp_core.models.chain import Layers, layers_of
from ldp_core.optimizers import Optimizer
from ldp_core.optimizers.adam import BETA1, BETA2

AT_ONCE = 2e8
"""Number of multiplications below which a second thread gains nothing."""
PIECES = 8
"""Approximate number of calls per thread, so that all threads end at about the same time."""
WAIT_SECONDS = 0.1
"""Interval between two progress reports."""
SCORED = 500
"""Number of samples scored in one call."""

Call = Callable[[ThreadMemory], None]


def train_fused(
    recipe: Recipe, start: Tensor, x: Tensor, y: Tensor, plan: Batches, threads: int, tick: Tick | None = None
) -> Tensor:
    """Trained weights (K, d) of the rows of a plan, in the order of its shards; ValueError if an index of the
    plan, or a label, is out of range.

    Args:
        recipe: training settings; a model with `layers_of`, and an optimiser of SGD's form or Adam.
        start: initial weights (d,), or (K, d) in the order of the shards; float32 or float64.
        x, y: all samples (n, *shape), of the type of `start`, and labels (n,), on a CPU.
        tick: receives the share of the work done, in [0, 1].
    """
    return train_each([recipe], [start], x, y, plan, threads, tick)[0]


def train_each(
    recipes: Sequence[Recipe],
    starts: Sequence[Tensor],
    x: Tensor,
    y: Tensor,
    plan: Batches,
    threads: int,
    tick: Tick | None = None,
) -> list[Tensor]:
    """Trained weights (K, d) of several runs with one plan, starts and rates of their own (`train_fused`)."""
    recipe, samples, labels = recipes[0], _array(x), _array(y)
    layers = layers_of(recipe.model, recipe.shape, recipe.classes)
    begins = [_array(start) for start in starts]
    _check(recipe, layers, begins, samples, labels, plan)
    dtype, rows, steps, lengths = samples.dtype, len(plan.rows), plan.steps, plan.lengths
    kernel = compiled(layers, plan.samples.shape[2], dtype, is_adam(recipe))
    batches = np.ascontiguousarray(plan.samples)
    found = np.empty((len(starts), rows, layers.dimension), dtype=dtype)
    progress = StepCounters(len(starts) * int(steps.sum()), tick)
    data = [one.ctypes.data for one in (samples, labels, batches, lengths, steps)]
    stop, width = progress.stop.ctypes.data, batches.shape[2]

    def call(place: int, first: int, last: int) -> Call:
        begin, done = begins[place], progress.counter()
        own = begin if begin.ndim == 1 else np.ascontiguousarray(begin[plan.rows])
        one = recipes[place]
        rates, scales = _rates(one.optimizer, one.learning_rate, len(plan.active), dtype)

        def run(work: ThreadMemory) -> None:
            kernel.train(
                own.ctypes.data, own.shape[-1] if own.ndim > 1 else 0, found[place].ctypes.data, *data,
                rates.ctypes.data, scales.ctypes.data, rows, width, first, last, work.address, stop,
                done.ctypes.data,
            )  # fmt: skip

        return run

    work = 3.0 * layers.products * int(lengths.sum())
    others = threads if work >= AT_ONCE else 0
    each = max(1, rows // (others * PIECES)) if others else rows
    pieces = [(first, min(rows, first + each)) for first in range(0, rows, each)]
    _share(kernel, [call(i, *piece) for i in range(len(starts)) for piece in pieces], others, progress)
    ordered = np.empty_like(found)
    ordered[:, plan.rows] = found
    return [*torch.from_numpy(ordered)]


def scores_fused(recipe: Recipe, weights: Tensor, x: Tensor, threads: int) -> Tensor:
    """Scores (n, classes) of the model `weights` (d,) on samples x (n, *shape)."""
    layers = layers_of(recipe.model, recipe.shape, recipe.classes)
    model, samples = _array(weights), _array(x)
    _check_samples(recipe, layers, model, samples)
    kernel = compiled(layers, 1, model.dtype, is_adam(recipe))  # the one that is there
    found = np.empty((len(samples), layers.classes), dtype=model.dtype)

    def call(first: int, last: int) -> Call:
        def run(work: ThreadMemory) -> None:
            places = (one.ctypes.data for one in (model, samples, found))
            kernel.score(*places, first, last, work.address)

        return run

    calls = [call(first, min(len(found), first + SCORED)) for first in range(0, len(found), SCORED)]
    enough = layers.products * len(found) >= AT_ONCE
    _share(kernel, calls, threads if enough else 0, StepCounters(1, None))
    return torch.from_numpy(found)


def is_adam(recipe: Recipe) -> bool:
    return recipe.optimizer.name == "adam"


class StepCounters:
    """Step counters of all threads, with a common stop flag."""

    def __init__(self, total: int, tick: Tick | None) -> None:
        self.stop = np.zeros(1, dtype=np.int64)
        self._total, self._tick = max(1, total), tick
        self._counters: list[Indices] = []
        self._reported = 0.0

    def counter(self) -> Indices:
        """New counter of one call, of shape (1,)."""
        self._counters.append(np.zeros(1, dtype=np.int64))
        return self._counters[-1]

    def tell(self) -> None:
        """Report the share of steps done, if it has grown."""
        share = sum(int(one[0]) for one in self._counters) / self._total
        if self._tick is not None and share > self._reported:
            self._reported = share
            self._tick(share)


def _share(kernel: Compiled, calls: Sequence[Call], threads: int, progress: StepCounters) -> None:
    """Run all calls in this thread (`threads` 0) or in several, while this one waits."""
    waiting = iter(calls)  # taking the next one is a single step of the interpreter
    failures: list[BaseException] = []
    ended: SimpleQueue[None] = SimpleQueue()

    def go_on() -> None:
        try:
            with _workspace(kernel) as work:
                for call in waiting:
                    if progress.stop[0]:
                        return
                    call(work)
        except BaseException as error:
            failures.append(error)
        finally:
            ended.put(None)

    if not threads:
        go_on()
    else:
        others = [threading.Thread(target=go_on, daemon=True) for _ in range(min(threads, len(calls)))]
        try:
            for one in others:
                one.start()
            left = len(others)
            while left:
                # not by join: interrupted there, Python 3.11 takes a thread for ended that goes on
                with suppress(Empty):
                    ended.get(timeout=WAIT_SECONDS)
                    left -= 1
                progress.tell()
        finally:
            progress.stop[0] = 1  # nothing is left to do, or it was interrupted
            for one in others:
                with suppress(RuntimeError):  # it has not begun
                    one.join()
    if failures:
        raise failures[0]
    progress.tell()


@contextmanager
def _workspace(kernel: Compiled) -> Iterator[ThreadMemory]:
    """Workspace for one thread, reused unless the body raised or a guard line was overwritten."""
    try:
        work = kernel.idle.pop()
    except IndexError:
        work = ThreadMemory(kernel.memory)
    yield work
    if not work.intact():
        raise StudioError(
            "the compiled kernel wrote beyond its memory, so nothing that it computed is used; empty the "
            "folder of compiled code (XDG_CACHE_HOME), or try another engine (EPSILON_ENGINE=batched)"
        )
    kernel.idle.append(work)


@lru_cache(maxsize=64)
def _rates(
    optimizer: Optimizer, learning_rate: float, count: int, dtype: np.dtype[np.generic]
) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
    """Step sizes of `count` steps, for Adam with its bias correction, and what Adam divides its second moment
    by. Read-only, as rounds and runs share them.
    """
    steps = 1.0 + np.arange(count)
    sizes = np.array([optimizer.rate(step, learning_rate) for step in range(1, count + 1)], dtype=dtype)
    if optimizer.name == "adam":
        sizes = (sizes.astype(np.float64) / (1 - BETA1**steps)).astype(dtype)
    return sizes, np.sqrt(1 - BETA2**steps).astype(dtype)


def _check(
    recipe: Recipe,
    layers: Layers,
    starts: Sequence[NDArray[np.generic]],
    samples: NDArray[np.generic],
    labels: NDArray[np.generic],
    plan: Batches,
) -> None:
    """Raise ValueError for arguments of a wrong shape, type or index: the kernel checks nothing itself."""
    if recipe.record_clipping is not None:
        raise ValueError(NO_RECORD_CLIPPING)
    for start in starts:
        _check_samples(recipe, layers, start, samples)
        if start.ndim > 1 and len(start) != len(plan.rows):
            raise ValueError("each row of a plan must have a start")
    if plan.fault:
        raise ValueError(plan.fault)
    if labels.dtype != np.int64 or labels.shape != samples.shape[:1]:
        raise ValueError("labels must be whole numbers of 64 bits, one a sample")
    if plan.span[0] < 0 or plan.span[1] >= len(samples):
        raise ValueError("a batch names a sample that is not there")
    if labels.min(initial=0) < 0 or labels.max(initial=0) >= recipe.classes:
        raise ValueError("a sample is of a class that is not there")


def _check_samples(
    recipe: Recipe, layers: Layers, weights: NDArray[np.generic], samples: NDArray[np.generic]
) -> None:
    if weights.dtype not in (np.float32, np.float64) or weights.dtype != samples.dtype:
        raise ValueError("weights and samples must be of the same floating-point numbers")
    if samples.shape[1:] != recipe.shape or weights.shape[-1] != layers.dimension:
        raise ValueError("weights and samples must have the model's shapes")


def _array(tensor: Tensor) -> NDArray[np.generic]:
    found: NDArray[np.generic] = np.ascontiguousarray(tensor.detach().numpy())
    return found
