"""Reconstruction of many images from the differences of neighbouring units.

In a model whose units measure one quantity at rising thresholds, a unit's gradient adds up all images above
its threshold. What a unit has more than the next one is then the image, if it is one, between the two.
"""

import numpy as np

from ldp_core.attacks.base import Facts
from ldp_core.attacks.observation import Observation
from ldp_core.attacks.per_neuron import PerNeuron
from ldp_core.attacks.shared.first_layer import Mask
from ldp_core.mechanisms.base import Floats


class Differences(PerNeuron):
    label = "Closed form, by differences of units"
    order = 6
    summary = (
        "As unit by unit, of the difference of each two neighbouring units: for a model made to be read so."
    )
    formula = r"\hat x^{(r)}=(\nabla W_r-\nabla W_{r+1})\,/\,(\nabla b_r-\nabla b_{r+1})"
    reference = "Fowl et al. 2022"

    def suits(self, facts: Facts) -> float | None:
        return None  # honest models have no order of units

    def units(self, seen: Observation) -> tuple[Floats, Mask]:
        rows, kept = super().units(seen)
        nothing = np.zeros_like(rows[:, :1])
        beside, known = np.append(rows[:, 1:], nothing, 1), np.append(kept[:, 1:], nothing == 0, 1)
        return rows - beside, kept & known
