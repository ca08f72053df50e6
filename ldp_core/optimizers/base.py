"""The contract of an optimiser: one step in place, on weights of any shape.

Whatever it remembers belongs to one client and one round: it begins at zero in every round, as a
client begins anew from the model that it is sent, and it is never uploaded.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from ldp_core.component import Component

if TYPE_CHECKING:
    import torch


def descend(weights: torch.Tensor, direction: torch.Tensor, rate: float | torch.Tensor) -> None:
    """Move `weights` in place against `direction`, by one rate or by one for each row."""
    if isinstance(rate, (int, float)):
        weights.sub_(direction, alpha=rate)
    else:
        weights.sub_(direction * rate)


class Optimizer(Component):
    """A rule for a step; frozen, without memory of its own."""

    memories: ClassVar[int] = 0
    """How many numbers it remembers for each weight."""
    has_own_rate: ClassVar[bool] = False
    """True where the learning rate of the experiment is idle."""

    @property
    def steady(self) -> bool:
        """True where every step of a round is the same rule: nothing is remembered, and the rate stays."""
        return not self.memories and not self.has_own_rate

    @abstractmethod
    def step(
        self,
        weights: torch.Tensor,
        gradient: torch.Tensor,
        memory: Sequence[torch.Tensor],
        number: int,
        learning_rate: float | torch.Tensor,
    ) -> None:
        """Move `weights` in place.

        Args:
            weights: of any shape; rows may belong to different clients.
            gradient: of the same shape.
            memory: `memories` tensors of the same shape, zero before the first step of a round.
            number: of the step in this round, from 1.
            learning_rate: the experiment's; or a tensor that holds one for each row, to broadcast.
        """

    def after(self, steps: int) -> Optimizer:
        """Optimiser for a round after so many steps of a client; by default rounds start afresh."""
        return self

    def rate(self, number: int, learning_rate: float) -> float:
        """The step size of step `number`."""
        return learning_rate

    def first_step(self, gradient: torch.Tensor, learning_rate: float) -> torch.Tensor:
        """Weight change of the first step of a round, shaped like the gradient."""
        change = gradient.new_zeros(gradient.shape)
        memory = [gradient.new_zeros(gradient.shape) for _ in range(self.memories)]
        self.step(change, gradient, memory, 1, learning_rate)
        return change
