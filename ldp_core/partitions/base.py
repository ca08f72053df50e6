"""Base class of partitions."""

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from ldp_core.component import Component

Indices = NDArray[np.int64]


class Partition(Component):
    """Assigns samples to clients: disjoint shards, none of them empty."""

    @abstractmethod
    def split(self, labels: Indices, count: int, generator: np.random.Generator) -> list[Indices]:
        """`count` disjoint, non-empty arrays of sample indices; `labels` are the classes (n,) of all training
        samples, `generator` that of the stream "partition".
        """

    def among(
        self, owners: Indices | None, labels: Indices, count: int, generator: np.random.Generator
    ) -> list[Indices]:
        """As `split`; `owners` is each sample's client, from 0, or None if the data do not name clients."""
        return self.split(labels, count, generator)

    def held(self, samples: int, count: int) -> float:
        """Number of samples of an average client, of so many in all."""
        return samples / count
