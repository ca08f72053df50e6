"""CUDA graphs of training steps: captured once and replayed, one launch per step.

A step of a small model takes less time than launching its operations from Python. A graph needs equal steps
of the same clients; clients that have ended stay in it with samples of weight 0, which change nothing, until
half of them have.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress

import torch
from torch import Tensor

from ldp_core.system.memory import ran_out

LEAST = 16
"""Least number of steps for which capturing a CUDA graph saves time."""

Step = Callable[[Tensor, Tensor], None]
"""Updates the first k rows of weights in place, given samples (k, B) and their weights in the loss (k, B)."""


class Replays:
    """Steps of a plan, replayed from one captured step where possible."""

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
