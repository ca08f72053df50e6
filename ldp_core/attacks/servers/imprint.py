"""A server whose model sorts images by brightness into bins (Fowl et al. 2022).

All units of the first layer measure brightness, each against a quantile of public images. A unit's gradient
adds up all images above its quantile, so the difference of two neighbours is that of the images in between.
"""

import numpy as np

from ldp_core.attacks.servers.base import Server, Task
from ldp_core.mechanisms.base import Floats


class Imprint(Server):
    label = "Sends a model that sorts images into bins"
    order = 2
    summary = "Every unit measures brightness, at another threshold: neighbours differ by the image between."
    formula = r"W_r=\tfrac1n\mathbf 1,\quad b_r=-F^{-1}\big(\tfrac{r-1/2}{R}\big)"
    reference = "Fowl et al. 2022 (Robbing the Fed)"
    reader = "differences"
    sends = (
        "the model that the client started from, which it made for this upload: every unit measures "
        "brightness, at another threshold"
    )

    def first_layer(self, task: Task) -> tuple[Floats, Floats]:
        levels = (np.arange(task.units) + 0.5) / task.units
        weight = np.ones((task.units, task.public.shape[1]))
        return weight, -np.quantile(task.public.sum(axis=1), levels)
