"""Reconstruction of many images from one upload, unit by unit (reference: attacks, section 9).

A ReLU unit of the first layer learns only from images that activate it. If that is a single image, the unit's
weight gradient over its bias gradient is that image, whatever the others are. So a wide layer reveals as many
images as have a unit of their own.
"""

import numpy as np

from ldp_core.attacks.base import Facts, Reconstructor
from ldp_core.attacks.observation import Image, Observation
from ldp_core.attacks.shared.first_layer import Mask, trimmed
from ldp_core.mechanisms.base import Floats


class PerNeuron(Reconstructor):
    label = "Closed form, unit by unit"
    order = 5
    summary = "Divides each unit's weight gradient by its bias gradient: units that saw one image show it."
    formula = r"\hat x^{(r)}=\nabla W_r\,/\,\nabla b_r"
    reference = "Fowl et al. 2022; Boenisch et al. 2023; attacks, section 9"
    also_knows = "public images of the same kind: how large a step one image can cause"
    many = True

    def suits(self, facts: Facts) -> float | None:
        return 1.0 if facts.upload == "real" else None

    def reconstruct(self, seen: Observation, *, generator: np.random.Generator) -> Image:
        rows, kept = self.units(seen)
        weight, bias = rows[..., :-1], rows[..., -1:]
        usable = kept[..., -1:] & (np.abs(bias) > 1e-12)
        images = np.where(usable, weight / np.where(usable, bias * seen.white, 1.0), np.nan)
        blank = 0.0 if seen.public is None else seen.public.x.mean(0).ravel()
        images = np.where(kept[..., :-1] | ~usable, images, blank)
        # a mixture with weights of both signs, or noise, leaves the range of pixels
        beyond = np.nan_to_num(np.clip(images - 1, 0, None) ** 2 + np.clip(-images, 0, None) ** 2, nan=np.inf)
        order = np.lexsort((-np.abs(bias[..., 0]), np.round(beyond.mean(axis=-1), 6)), axis=-1)
        ordered = np.take_along_axis(images, order[..., None], axis=1)
        return ordered.reshape(*ordered.shape[:2], *seen.shape)

    def units(self, seen: Observation) -> tuple[Floats, Mask]:
        """Gradients of the units that may show an image, (V, R, F + 1), and mask of the known ones."""
        return trimmed(seen)
