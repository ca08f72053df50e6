"""The same number of samples for every client, however many there are in all."""

from typing import Annotated

import numpy as np
from pydantic import Field

from ldp_core.fields import Whole
from ldp_core.limits import RECORDS_EACH
from ldp_core.partitions.base import Indices, Partition


class RecordsEach(Partition):
    label = "so many each"
    order = 7
    summary = "Every client holds as many random samples as are set; the others are left out."

    records: Annotated[int, Whole(RECORDS_EACH)] = Field(
        int(RECORDS_EACH.default), description="samples of each client"
    )

    def split(self, labels: Indices, count: int, generator: np.random.Generator) -> list[Indices]:
        each = int(self.held(len(labels), count))
        return np.split(generator.permutation(len(labels))[: each * count], count)

    def held(self, samples: int, count: int) -> float:
        return min(self.records, samples // count)
