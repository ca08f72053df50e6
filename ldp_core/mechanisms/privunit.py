"""PrivUnitG: one ε for a whole upload of any size (Asi, Feldman and Talwar 2022).

The law of `shared.caps` with a single block. A vector inside the ball is a mean of the two opposite
directions along it: one is drawn, which preserves mean and guarantee.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtr, ndtri_exp

from ldp_core.mechanisms.shared.ball import lengths, shortened
from ldp_core.mechanisms.shared.blocks import on_grid
from ldp_core.mechanisms.shared.caps import LEAST, CapLaw, CapMechanism, Caps, grid_of
from ldp_core.mechanisms.shared.law import Floating, Floats


class DirectionLaw(CapLaw["PrivUnit"]):
    def answers(self, xp: Any, flat: Any, caps: Caps, generator: Any) -> Any:
        (rows, d), norm = flat.shape, self.mechanism.norm
        # two more draws a row: how far the answer lies along x, and which of its two ends it leans to
        if xp is np:
            drawn, wide = generator.standard_normal((rows, d + 2)), flat.astype(np.float64)
            length = lengths(wide)
            extra = drawn[:, d:]
        else:
            wide = flat.double()
            drawn = xp.randn((rows, d + 2), generator=generator, dtype=wide.dtype, device=flat.device)
            length = xp.linalg.vector_norm(wide, dim=1).cpu().numpy()
            extra = drawn[:, d:].cpu().numpy()
        nearer = (1 + np.minimum(length / norm, 1.0)) / 2
        along = np.where(ndtr(extra[:, 1]) < nearer, 1.0, -1.0) * _along(caps, extra[:, 0])

        def column(numbers: Floats) -> Any:
            return numbers[:, None] if xp is np else xp.as_tensor(numbers[:, None], device=flat.device)

        nothing = length < LEAST
        unit = wide / column(np.where(nothing, 1.0, length))
        unit[np.flatnonzero(nothing), 0] = 1.0
        z = drawn[:, :d]
        sent = z + (column(along) - (z * unit).sum(-1)[:, None]) * unit
        spread = norm / caps.scale
        rounded = on_grid(xp, sent * column(spread), column(grid_of(spread)))
        return rounded.astype(flat.dtype) if xp is np else rounded.to(flat.dtype)


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
