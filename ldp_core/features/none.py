"""No features: pixels as they are."""

import math

from ldp_core.features.base import Features, Images


class Nothing(Features):
    label = "the pixels themselves"
    order = 1
    summary = "A client trains on its image as it is."

    @property
    def identity(self) -> bool:
        return True

    def width(self, shape: tuple[int, ...]) -> int:
        return math.prod(shape)

    def numbers(self, images: Images) -> Images:
        return images.reshape(len(images), -1)
