"""Rank-1 reconstruction after trimming outputs outside Piecewise's window (attacks, sections 4 and 9).

Most of Piecewise's variance comes from rare outputs far away. A server that knows the law recognises them,
drops them, and completes the rank-1 matrix from the rest.
"""

import numpy as np

from ldp_core.attacks.base import Facts, Reconstructor
from ldp_core.attacks.observation import Image, Observation
from ldp_core.attacks.shared.first_layer import leading_of_known, scaled, trimmed


class Trimmed(Reconstructor):
    label = "Trimmed rank 1"
    order = 3
    summary = "Drops the answers that are visibly noise, and finds the image whose multiples fit the rest."
    formula = r"\min_{\delta,z}\sum_{(r,i)\,\in\,\text{window}}(\nabla_{ri}-\delta_r z_i)^2"
    reference = "Wang et al. 2019, algorithm 2, read backwards; attacks, sections 4 and 9"
    many_models = True
    also_knows = "public images of the same kind: how large a step one image can cause"

    def suits(self, facts: Facts) -> float | None:
        return 1.0 if facts.upload == "audit" else None

    def reconstruct(self, seen: Observation, *, generator: np.random.Generator) -> Image:
        z = leading_of_known(*trimmed(seen))
        return scaled(z, seen.white).reshape(-1, 1, *seen.shape)
