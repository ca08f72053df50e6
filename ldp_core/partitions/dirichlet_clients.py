"""A mixture of classes for each client, from a Dirichlet distribution (Hsu, Qi and Brown 2019)."""

from typing import Annotated

import numpy as np
from pydantic import Field

from ldp_core.fields import Number
from ldp_core.limits import ALPHA
from ldp_core.partitions.base import Indices, Partition


class DirichletClients(Partition):
    """Each client's mixture has the overall mixture as mean; the smaller alpha, the more uneven."""

    label = "uneven mixtures, equal amounts"
    order = 3
    summary = "Clients hold different mixtures of classes, and all the same amount of data."
    formula = (
        r"q_i\sim\operatorname{Dir}(\alpha p)\ \text{for each client }i,\ p\text{: the shares of all classes}"
    )
    reference = "Hsu, Qi and Brown 2019"

    alpha: Annotated[float, Number(ALPHA)] = Field(
        ALPHA.default, description="concentration α: small is uneven"
    )

    def split(self, labels: Indices, count: int, generator: np.random.Generator) -> list[Indices]:
        classes, counts = np.unique(labels, return_counts=True)
        left = [list(generator.permutation(np.flatnonzero(labels == one))) for one in classes]
        mixtures = generator.dirichlet(self.alpha * counts / counts.sum(), count)
        sizes = np.diff(np.linspace(0, len(labels), count + 1).astype(np.int64))
        shards: list[Indices] = []
        for mixture, size in zip(mixtures, sizes, strict=True):
            shard: list[int] = []
            while len(shard) < size:  # a class that has run out leaves its share to the others
                rest = np.array([len(one) for one in left])
                open_ = np.where(rest > 0, mixture, 0.0)
                chances = open_ / open_.sum() if open_.sum() > 0 else rest / rest.sum()
                drawn = np.minimum(generator.multinomial(size - len(shard), chances), rest)
                for members, number in zip(left, drawn, strict=True):
                    shard += [members.pop() for _ in range(number)]
            shards.append(np.array(sorted(shard), dtype=np.int64))
        return shards
