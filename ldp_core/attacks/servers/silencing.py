"""A server that takes the other clients out of a secure sum (Pasquini et al. 2022): their model has dead
units, so that all they send but the last biases is known beforehand. Their noise remains.
"""

import numpy as np
from numpy.typing import NDArray

from ldp_core.attacks.servers.base import Task
from ldp_core.attacks.servers.imprint import Imprint


class Silencing(Imprint):
    label = "Sends the other clients of a sum dead units"
    order = 4
    summary = (
        "The others' units never react, so that they change nothing: the sum is this client's upload, whose "
        "model sorts images into bins, and the noise of all."
    )
    reference = "Pasquini, Francati and Ateniese 2022; Fowl et al. 2022"
    silences = True

    def dead(self, task: Task) -> NDArray[np.float32]:
        """Model (d,) for the other clients, whose first layer lets no image pass."""
        units, features = task.slices[0].shape
        return task.filled(np.zeros((units, features)), np.full(units, -self.room(task)))
