"""Low frequencies of an image: the discrete cosine transform of JPEG."""

from typing import Annotated

import numpy as np
from pydantic import Field

from ldp_core.features._straight import Straighten, straightened
from ldp_core.features.base import Features, Images, on_both_axes, planes
from ldp_core.fields import Whole
from ldp_core.limits import Limit


class Dct(Features):
    """side² − 1 numbers per channel: the constant is left out, as it would dominate the length."""

    label = "low frequencies (DCT)"
    order = 3
    summary = "How strongly the image follows slow waves, as JPEG takes it apart; without its brightness."
    formula = r"z_{ij}=\sum_{y,x}\cos\tfrac{\pi i(y+\frac12)}h\cos\tfrac{\pi j(x+\frac12)}w\,I_{yx}"
    reference = "Ahmed, Natarajan and Rao 1974; honest-frontier, section 1"
    assumed = "Nothing beyond the number of waves."

    side: Annotated[int, Whole(Limit(2, 16, 8, "waves"))] = Field(8, description="waves on each axis")
    straighten: Straighten = "no"

    def width(self, shape: tuple[int, ...]) -> int:
        down, across = (min(self.side, one) for one in shape[-2:])
        return int(np.prod(shape[:-2])) * (down * across - 1)

    def numbers(self, images: Images) -> Images:
        images = planes(straightened(images) if self.straighten == "yes" else images)
        waves = (_waves(min(self.side, one), one) for one in images.shape[-2:])
        found = on_both_axes(next(waves), images, next(waves))
        return found.reshape(*found.shape[:2], -1)[..., 1:].reshape(len(images), -1)


def _waves(count: int, side: int) -> np.ndarray:
    waves = np.cos(np.pi * np.arange(count)[:, None] * (np.arange(side) + 0.5) / side)
    waves[0] *= np.sqrt(0.5)
    found: np.ndarray = waves * np.sqrt(2 / side)
    return found
