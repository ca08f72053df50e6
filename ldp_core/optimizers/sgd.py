"""Plain stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ldp_core.optimizers.base import Optimizer, descend

if TYPE_CHECKING:
    import torch


class SGD(Optimizer):
    """Without momentum and weight decay, as in the papers."""

    label = "SGD"
    order = 1
    summary = "Each step goes against the gradient, by the learning rate."
    formula = r"w\leftarrow w-\eta\,g"
    reference = "Papers 000, 003 and 004"

    def step(
        self,
        weights: torch.Tensor,
        gradient: torch.Tensor,
        memory: Sequence[torch.Tensor],
        number: int,
        learning_rate: float | torch.Tensor,
    ) -> None:
        descend(weights, gradient, learning_rate)
