"""Base class of features: fixed public programs from an image to numbers."""

from abc import abstractmethod
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ldp_core.component import Component
from ldp_core.datasets import Data, Dataset
from ldp_core.datasets.base import Report, quiet

Images = NDArray[np.float32]
AT_ONCE = 1000
"""Number of images converted at a time, so that their numbers stay in the cache."""


class Features(Component):
    """A fixed public program from an image to numbers, independent of any data."""

    assumed: ClassVar[str] = ""
    """Facts assumed to be public, in a sentence."""

    @property
    def identity(self) -> bool:
        return False

    @abstractmethod
    def width(self, shape: tuple[int, ...]) -> int:
        """Numbers per image of shape (h, w) or (channels, h, w)."""

    @abstractmethod
    def numbers(self, images: Images) -> Images:
        """Features (n, width) of images (n, *shape) with pixels in [0, 1], of any length."""

    def of(self, images: Images) -> Images:
        """Features (n, width) scaled to a mean square of 1; all 0 for a blank image."""
        found = np.empty((len(images), self.width(images.shape[1:])), np.float32)
        for first in range(0, len(images), AT_ONCE):
            some = slice(first, first + AT_ONCE)
            found[some] = self.numbers(images[some])
        length = np.linalg.norm(found, axis=1, keepdims=True)
        return found * (np.sqrt(np.float32(found.shape[1])) / np.maximum(length, 1e-12))

    def of_data(self, data: Data) -> Data:
        if self.identity:
            return data
        return replace(data, train_x=self.of(data.train_x), test_x=self.of(data.test_x))

    def seen(self, source: Dataset) -> Dataset:
        return source if self.identity else _seen(self, type(source))


@lru_cache(maxsize=64)
def _seen(features: Features, kind: type[Dataset]) -> Dataset:
    source = kind()

    def load(self: Dataset, root: Path, report: Report = quiet) -> Data:
        """Samples of the source; a run turns them into features itself."""
        return source.load(root, report)

    shape = (features.width(source.shape),)
    size = source.memory + 4 * shape[0] * (source.train_size + source.test_size)
    own: dict[str, Any] = {
        "__module__": __name__, "shape": shape, "images": False, "load": load,
        "memory": property(lambda self: size),
    }  # fmt: skip
    made: Any = type(kind)("Seen", (kind,), own)  # type: ignore[misc]
    found: Dataset = made()
    return found


def planes(images: Images) -> Images:
    """Images as (n, channels, h, w)."""
    return images[:, None] if images.ndim == 3 else images


def grey(images: Images) -> Images:
    """Mean over channels, (n, h, w)."""
    return images if images.ndim == 3 else images.mean(1)


def on_both_axes(down: NDArray[Any], images: Images, across: NDArray[Any]) -> Images:
    """down · image · acrossᵀ for images (…, h, w)."""
    found: Images = down.astype(np.float32) @ (images @ across.astype(np.float32).T)
    return found
