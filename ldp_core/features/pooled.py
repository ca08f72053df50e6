"""A smaller image: mean over squares of pixels."""

from typing import Annotated

import numpy as np
from pydantic import Field

from ldp_core.features._straight import Straighten, straightened
from ldp_core.features.base import Features, Images, on_both_axes, planes
from ldp_core.fields import Whole
from ldp_core.limits import Limit


class Pooled(Features):
    """Squares at the edge may hold fewer pixels."""

    label = "smaller image"
    order = 2
    summary = "The image in larger pixels: each is the mean of a square of the old ones."
    formula = r"z_{ij}=\tfrac1{s^2}\sum_{a,b<s}x_{si+a,\,sj+b}"
    reference = "honest-frontier, section 1"
    assumed = "Nothing beyond the size of a square."

    size: Annotated[int, Whole(Limit(2, 16, 2, "pixels"))] = Field(
        2, description="side of a square, in pixels"
    )
    straighten: Straighten = "no"

    def width(self, shape: tuple[int, ...]) -> int:
        return int(np.prod([*shape[:-2], *(-(-side // self.size) for side in shape[-2:])]))

    def numbers(self, images: Images) -> Images:
        images = planes(straightened(images) if self.straighten == "yes" else images)
        found = on_both_axes(_means(images.shape[-2], self.size), images, _means(images.shape[-1], self.size))
        return found.reshape(len(images), -1)


def _means(side: int, size: int) -> np.ndarray:
    held = (np.arange(side) // size == np.arange(-(-side // size))[:, None]).astype(float)
    return held / held.sum(1, keepdims=True)
