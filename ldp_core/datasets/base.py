"""The contract of a data set: what is known of it before it is loaded, and how to load it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ldp_core.component import Component


@dataclass(frozen=True)
class Data:
    """Samples in memory: pixels in [0, 1] as float32 (n, *shape), labels as int64 (n,)."""

    train_x: NDArray[np.float32]
    train_y: NDArray[np.int64]
    test_x: NDArray[np.float32]
    test_y: NDArray[np.int64]
    classes: int

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one sample."""
        return tuple(self.train_x.shape[1:])


class Dataset(Component):
    """A source of data. The sizes are known without loading anything."""

    shape: ClassVar[tuple[int, ...]]
    """Of one sample: (height, width) or (channels, height, width)."""
    classes: ClassVar[int]
    train_size: ClassVar[int]
    test_size: ClassVar[int]

    @abstractmethod
    def load(self, root: Path) -> Data:
        """The data, from `root` or the library that carries it; downloaded to `root` if need be.

        Raises:
            DataUnavailable: it is not there and cannot be fetched; the message says what to do.
        """

    @property
    def features(self) -> int:
        """How many numbers one sample has."""
        return int(np.prod(self.shape))
