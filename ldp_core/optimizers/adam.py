"""Adam (Kingma and Ba 2015, algorithm 1)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ldp_core.optimizers.base import Memory, Optimizer, Rate, descend

if TYPE_CHECKING:
    from torch import Tensor

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8


class Adam(Optimizer):
    """Decay rates 0.9 and 0.999. The first step of a round has the size of the learning rate whatever the
    gradient's size, so an upload after one step reveals the gradient's signs and little else.
    """

    label = "Adam"
    order = 2
    summary = "Each weight gets a step size of its own, from the recent gradients; try 0.001."
    formula = r"w\leftarrow w-\eta\,\frac{m/(1-0.9^t)}{\sqrt{v/(1-0.999^t)}+10^{-8}}"
    reference = "Paper 002 (learning rate 0.001); Kingma and Ba 2015, algorithm 1"

    memories = 2

    def step(
        self, weights: Tensor, gradient: Tensor, memory: Memory, number: int, learning_rate: Rate
    ) -> None:
        mean, square = memory
        mean.lerp_(gradient, 1 - BETA1)
        square.mul_(BETA2).addcmul_(gradient, gradient, value=1 - BETA2)
        scale = square.sqrt().div_(math.sqrt(1 - BETA2**number)).add_(EPSILON)
        rate = learning_rate / (1 - BETA1**number)
        if isinstance(rate, float):
            weights.addcdiv_(mean, scale, value=-rate)
        else:
            descend(weights, mean / scale, rate)
