"""PrivUnitG: one ε for a whole upload of any size (Asi, Feldman and Talwar 2022).

The law of `shared.caps` with a single block. A vector inside the ball is a mean of the two opposite
directions along it: one is drawn, which preserves mean and guarantee.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtr, ndtri_exp

from ldp_core.mechanisms.shared.ball import lengths, shortened
from ldp_core.mechanisms.shared.blocks import on_grid
from ldp_core.mechanisms.shared.caps import LEAST, CapLaw, CapMechanism, Caps, grid_of
from ldp_core.mechanisms.shared.law import Floating, Floats


class DirectionLaw(CapLaw["PrivUnit"]):
    def answers(self, flat: Floats, caps: Caps, generator: np.random.Generator) -> Floats:
        (rows, d), norm = flat.shape, self.mechanism.norm
        # two more draws a row: how far the answer lies along x, and which of its two ends it leans to
        drawn, length = generator.standard_normal((rows, d + 2)), lengths(flat)
        nearer = (1 + np.minimum(length / norm, 1.0)) / 2
        along = np.where(ndtr(drawn[:, d + 1]) < nearer, 1.0, -1.0) * _along(caps, drawn[:, d])
        nothing = length < LEAST
        unit = flat / np.where(nothing, 1.0, length)[:, None]
        unit[nothing, 0] = 1.0
        z = drawn[:, :d]
        sent = z + (along - (z * unit).sum(-1))[:, None] * unit
        spread = (norm / caps.scale)[:, None]
        return on_grid(sent * spread, grid_of(spread))


class PrivUnit(CapMechanism):
    law = DirectionLaw
    label = "PrivUnit"
    order = 12
    summary = (
        "Answers with a random direction that leans towards the true one: a whole upload for one ε, and "
        "noise that only many clients average out. Made for updates and for thousands of clients."
    )
    formula = (
        r"\tilde w=\tfrac{\tau}{m}\big(\alpha x+(I-xx^\top)Z\big),\quad Z\sim\mathcal N(0,\tfrac1dI),\quad "
        r"\Pr[\alpha\ge\gamma]=p,\quad \tfrac{p\,(1-q)}{q\,(1-p)}=e^{\varepsilon}"
    )
    reference = "Asi, Feldman and Talwar 2022; Bhowmick et al. 2018; mathematics, section 8"

    def clip(self, values: Floating, low: ArrayLike, high: ArrayLike) -> Floating:
        return shortened(values, self.norm)


def _along(caps: Caps, z: Floats) -> Floats:
    """√d times the component along x, from standard normal z by inverse transform; exact in the far tail."""
    above = log_ndtr(-z)  # ln of the probability of a larger one
    beyond = above < caps.log_p
    far = -ndtri_exp(np.minimum(above - caps.log_p, 0.0) + caps.log_q)
    near = ndtri_exp(np.minimum(log_ndtr(z) - caps.log_not_p, 0.0) + caps.log_not_q)
    return np.where(beyond, far, near)
