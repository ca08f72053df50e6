"""Improved deep leakage from gradients (iDLG): the label is read off, the image is optimised.

For smooth networks without a readable first layer: the candidate image's gradient is computed as the client
did, and its distance to the observed gradient is minimised with second-order derivatives (reference: attacks,
sections 1 and 3). The label of a single image is the class whose last bias increased.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ldp_core.attacks.base import Facts
from ldp_core.attacks.shared.inversion_objective import Distance, Match
from ldp_core.attacks.shared.minimise import Curved, Descent
from ldp_core.attacks.shared.reading import KnownGradients
from ldp_core.attacks.shared.search import Search
from ldp_core.fields import Number
from ldp_core.limits import PRIOR
from ldp_core.models.base import Model, Shape
from ldp_core.models.dense import no_dense_start

if TYPE_CHECKING:
    import torch

ENOUGH = 1e-14
"""Squared relative distance of gradients that float32 uploads cannot distinguish from 0."""


class IDLG(Search):
    label = "iDLG: gradients matched, label read"
    order = 7
    summary = (
        "Reads the label off the last bias, then searches for the image whose gradient comes closest to the "
        "one that was sent: exact for smooth networks without noise, and slower than any closed form."
    )
    formula = (
        r"\hat x=\arg\min_x\frac{\lVert\nabla_w\ell(x,y)-g\rVert^2}{\lVert g\rVert^2}"
        r"+\beta\,\frac{2\sigma^2}{\lVert g\rVert^2}\,\mathrm{TV}(x)"
    )
    reference = "Zhao, Mopuri and Bilen 2020; attacks, sections 1 and 3"

    cannot = (
        "It finds one image in the upload of one step. Of many images or steps the gradient is a sum, which "
        "another image may explain as well; and it follows no kinks, such as ReLU and pooling have."
    )

    distance: ClassVar[Distance] = "squared"
    each = 1.5
    enough = 50  # 12 images of MNIST without noise: 24 dB after 25 steps, 34 after 50, 47 after 100

    prior: Annotated[float, Number(PRIOR)] = Field(
        PRIOR.default, description="how much smooth images are preferred, where noise leaves a choice"
    )

    @classmethod
    def unfit(cls, model: Model, shape: Shape, classes: int) -> str:
        if why := super().unfit(model, shape, classes):
            return why
        if model.smooth or not no_dense_start(model, shape, classes):
            return ""
        return f"“{model.title}” has kinks, where a gradient of a gradient leads nowhere"

    def suits(self, facts: Facts) -> float | None:
        return 0.6 if facts.upload == "audit" else None

    def edges(self, reading: KnownGradients, pixels: int) -> NDArray[np.float64]:
        """As in the posterior: β edges against squares over twice the noise's variance."""
        size = np.maximum((reading.gradients**2).sum(1), 1e-30)
        return np.asarray(2 * self.prior * pixels * reading.variance / size)

    def descent(self, objective: Match, start: torch.Tensor) -> Descent:
        return Curved(objective, start, self.iterations, ENOUGH)
