"""A server whose units each react to few images (after Boenisch et al. 2023).

A unit adds up the pixels with random signs, and its threshold lets one image of an upload pass on average. A
unit that one image alone has passed shows that image, whatever else was trained on.
"""

import numpy as np

from ldp_core.attacks.servers.base import Server, Task
from ldp_core.mechanisms.base import Floats


class Trap(Server):
    label = "Sends a model whose units each catch an image"
    order = 3
    summary = (
        "Every unit has random signs, and a threshold that one of the client's images passes on average."
    )
    formula = r"W_r\in\{\pm1\}^n,\quad b_r=-F_r^{-1}\big(1-\tfrac1N\big)"
    reference = "After Boenisch et al. 2023 (When the curious abandon honesty)"
    reader = "per_neuron"
    sends = (
        "the model that the client started from, which it made for this upload: every unit reacts to one of "
        "the client's images on average"
    )

    def first_layer(self, task: Task) -> tuple[Floats, Floats]:
        weight = task.generator.choice([-1.0, 1.0], (task.units, task.public.shape[1]))
        passing = np.quantile(task.public @ weight.T, 1 - 1 / max(task.images, 2), axis=0)
        return weight, -passing
