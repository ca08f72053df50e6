"""Independent and identically distributed shards: shuffle, then split."""

import numpy as np

from ldp_core.partitions.base import Indices, Partition


class IID(Partition):
    """Shards of equal size (up to one sample), drawn at random."""

    label = "alike"
    order = 1
    summary = "Every client holds a random sample of the same size: all see the same kinds of data."
    reference = "Papers 000, 001 and 004, their IID setting"

    def split(self, labels: Indices, count: int, generator: np.random.Generator) -> list[Indices]:
        return np.array_split(generator.permutation(len(labels)), count)
