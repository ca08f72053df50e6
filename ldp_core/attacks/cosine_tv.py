"""Gradient inversion by cosine distance and total variation (Geiping et al. 2020; reference: attacks, section
1): for networks with ReLU and pooling, whose gradients are not smooth.

Only the gradient's direction is matched, smooth images are preferred, and steps use the signs of the slopes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ldp_core.attacks.base import Facts
from ldp_core.attacks.shared.inversion_objective import Distance, Match
from ldp_core.attacks.shared.minimise import Descent, Signed
from ldp_core.attacks.shared.reading import KnownGradients
from ldp_core.attacks.shared.search import Search
from ldp_core.fields import Number, Whole
from ldp_core.limits import PRIOR, SEARCH_STEPS

if TYPE_CHECKING:
    import torch

DEEP = 12
"""Largest number of layers with weights; 41 residual ones take half a minute for nine images of 8 × 8."""
STEPS, EDGES = 300, 0.03
"""Steps, and weight of total variation: of 24 MNIST images through the papers' network 20 are recovered with
20 dB at 0.03, and 12 at 0.01.
"""


class CosineTV(Search):
    label = "Direction of the gradient, smooth images"
    order = 8
    summary = (
        "Searches for a smooth image whose gradient points the same way as the one that was sent: the attack "
        "on networks with ReLU and pooling, where it gets a likeness and seldom a copy."
    )
    formula = (
        r"\hat x=\arg\min_{x\in[0,1]}1-\frac{\langle\nabla_w\ell(x,y),g\rangle}"
        r"{\lVert\nabla_w\ell(x,y)\rVert\,\lVert g\rVert}+\alpha\,\mathrm{TV}(x)"
    )
    reference = "Geiping et al. 2020 (Inverting Gradients); attacks, sections 1 and 8"

    cannot = (
        "Through ReLU and pooling it gets a likeness, and 20 dB only of smooth pictures such as digits: a "
        "unit that is off and a pixel that is no maximum send nothing of themselves. Of many images in one "
        "upload, whose gradients are added up, it finds none."
    )

    distance: ClassVar[Distance] = "cosine"
    enough = 150  # 12 images of MNIST without noise: 15 dB after 100 steps, 17 after 150, 20 after 300

    iterations: Annotated[int, Whole(SEARCH_STEPS)] = Field(STEPS, description="steps of the search")
    prior: Annotated[float, Number(PRIOR)] = Field(EDGES, description="how much smooth images are preferred")

    def suits(self, facts: Facts) -> float | None:
        # a deep network's search runs only where it was chosen
        deep = len(facts.model.layers(facts.shape, facts.classes)) > DEEP
        return 0.4 if facts.upload == "audit" and not deep else None

    def edges(self, reading: KnownGradients, pixels: int) -> NDArray[np.float64]:
        return np.full(len(reading.variance), self.prior)

    def descent(self, objective: Match, start: torch.Tensor) -> Descent:
        return Signed(objective, start, self.iterations)
