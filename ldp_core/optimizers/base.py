"""Base class of optimisers: one step in place. Memory begins at zero in every round and is never uploaded."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from ldp_core.component import Component

if TYPE_CHECKING:
    from torch import Tensor

Memory: TypeAlias = "Sequence[Tensor]"
Rate: TypeAlias = "float | Tensor"
"""One rate, or one per row."""


def descend(weights: Tensor, direction: Tensor, rate: float | Tensor) -> None:
    """Move `weights` in place against `direction`, by one rate or by one per row."""
    if isinstance(rate, (int, float)):
        weights.sub_(direction, alpha=rate)
    else:
        weights.sub_(direction * rate)


class Optimizer(Component):
    """A rule for a step; frozen, without memory of its own."""

    memories: ClassVar[int] = 0
    """Number of stored values per weight."""
    has_own_rate: ClassVar[bool] = False
    """True if the experiment's learning rate is ignored."""

    @abstractmethod
    def step(
        self, weights: Tensor, gradient: Tensor, memory: Memory, number: int, learning_rate: Rate
    ) -> None:
        """Update `weights`, whose rows may be different clients', in place by a gradient of the same shape.

        Args:
            memory: `memories` tensors of the same shape, zero before the first step of a round.
            number: number of the step in this round, from 1.
            learning_rate: the experiment's, or a broadcastable tensor with one per row.
        """

    def after(self, steps: int) -> Optimizer:
        """Optimiser for a round after `steps` earlier steps of a client; by default rounds start anew."""
        return self

    def rate(self, number: int, learning_rate: float) -> float:
        return learning_rate

    def first_step(self, gradient: Tensor, learning_rate: float) -> Tensor:
        """Weight change of the first step of a round, shaped like the gradient."""
        change = gradient.new_zeros(gradient.shape)
        memory = [gradient.new_zeros(gradient.shape) for _ in range(self.memories)]
        self.step(change, gradient, memory, 1, learning_rate)
        return change
