"""Attack on personal layers: a client's private layer is inferred from its uploads.

A client that trains ax + b before a fully connected layer W begins with public a and b. The loss moves b by
Wᵀ times the change of the layer's bias, and that change is sent. So the server accumulates b over a client's
uploads (`ldp_core.systems.pd_ldpfl`), subtracts it from the first layer's gradient δ(ax + b)ᵀ, and
obtains δ·ax: the image up to its contrast.
"""

import numpy as np

from ldp_core.attacks.base import Facts, Reconstructor
from ldp_core.attacks.observation import Image, Observation
from ldp_core.attacks.shared.first_layer import leading_of_known, trimmed
from ldp_core.attacks.up_to_contrast import stretched
from ldp_core.models._extended import OFFSET
from ldp_core.models.base import Model, Shape


class PersonalLayers(Reconstructor):
    label = "Solves for personal layers"
    order = 9
    summary = "Works out each client's own b from all that it has sent so far, and takes it out of the image."
    formula = r"\hat b\leftarrow\hat b+\overline W^\top\Delta b_1,\quad \hat x\propto\hat z-\hat b"
    reference = "attacks, section 9: personal layers; the rule for b follows from the chain rule"
    also_knows = "all earlier uploads of the client, and where its personal layers began"

    @classmethod
    def unfit(cls, model: Model, shape: Shape, classes: int) -> str:
        why = super().unfit(model, shape, classes)
        if not why or len(model.slices(shape, classes)[0].shape) != 4:
            return why
        return f"{why}, and of a convolution's slopes only sums over positions are sent: b follows from none"

    def suits(self, facts: Facts) -> float | None:
        if not facts.kept or facts.upload != "audit":
            return None
        return 2.1 if facts.mechanism.role == "identity" else 1.1

    def reconstruct(self, seen: Observation, *, generator: np.random.Generator) -> Image:
        rows, known = trimmed(seen)
        if OFFSET in seen.noted:
            offset = seen.noted[OFFSET][:, None, :]
            rows = np.concatenate([rows[..., :-1] - offset * rows[..., -1:], rows[..., -1:]], axis=-1)
        z = leading_of_known(rows, known)
        one = np.where(np.abs(z[:, -1:]) > 0, z[:, -1:], 1.0)
        return stretched(z[:, :-1] / one).reshape(-1, 1, *seen.shape)
