"""Plain stochastic gradient descent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_core.optimizers.base import Memory, Optimizer, Rate, descend

if TYPE_CHECKING:
    from torch import Tensor


class SGD(Optimizer):
    """Without momentum and weight decay, as in the papers."""

    label = "SGD"
    order = 1
    summary = "Each step goes against the gradient, by the learning rate."
    formula = r"w\leftarrow w-\eta\,g"
    reference = "Papers 000, 003 and 004"

    def step(
        self, weights: Tensor, gradient: Tensor, memory: Memory, number: int, learning_rate: Rate
    ) -> None:
        descend(weights, gradient, learning_rate)

    def first_step(self, gradient: Tensor, learning_rate: float) -> Tensor:
        return gradient * -learning_rate
