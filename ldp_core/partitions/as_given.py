"""Partition by the clients that the data set names."""

import numpy as np

from ldp_core.partitions.base import Indices
from ldp_core.partitions.iid import IID


class AsGiven(IID):
    """Each client holds its own samples; data without client names are split evenly at random."""

    label = "as the data say"
    order = 6
    summary = "Each client holds the rows that carry its name in the data; without such names, all alike."
    reference = ""

    def among(
        self, owners: Indices | None, labels: Indices, count: int, generator: np.random.Generator
    ) -> list[Indices]:
        if owners is None:
            return self.split(labels, count, generator)
        order = np.argsort(owners, kind="stable")
        return np.split(order, np.searchsorted(owners[order], np.arange(1, count)))
