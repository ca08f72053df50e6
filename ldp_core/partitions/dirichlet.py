"""Each class split over the clients in proportions from a Dirichlet distribution (Yurochkin et al. 2019)."""

from typing import Annotated

import numpy as np
from pydantic import Field

from ldp_core.fields import Number
from ldp_core.limits import ALPHA
from ldp_core.partitions.base import Indices, Partition


class Dirichlet(Partition):
    """Each class is split in random proportions; the smaller alpha, the more uneven."""

    label = "uneven"
    order = 2
    summary = "Clients hold different mixtures of classes and different amounts of data."
    formula = r"p_c\sim\operatorname{Dir}(\alpha,\dots,\alpha)\ \text{over the clients, for each class }c"
    reference = "Yurochkin et al. 2019; papers 001 and 003, their non-IID setting"

    alpha: Annotated[float, Number(ALPHA)] = Field(
        ALPHA.default, description="concentration α: small is uneven"
    )

    def split(self, labels: Indices, count: int, generator: np.random.Generator) -> list[Indices]:
        owner = np.empty(len(labels), dtype=np.int64)
        for label in np.unique(labels):
            members = generator.permutation(np.flatnonzero(labels == label))
            shares = generator.dirichlet(np.full(count, self.alpha))
            cuts = np.round(np.cumsum(shares) * len(members)).astype(np.int64)[:-1]
            owner[members] = np.searchsorted(cuts, np.arange(len(members)), side="right")
        _feed_the_empty(owner, count, generator)
        order = np.argsort(owner, kind="stable")
        return np.split(order, np.searchsorted(owner[order], np.arange(1, count)))


def _feed_the_empty(owner: Indices, count: int, generator: np.random.Generator) -> None:
    """Move a sample to every client without one, from a client with the most."""
    held = np.bincount(owner, minlength=count)
    for client in np.flatnonzero(held == 0):
        richest = int(held.argmax())
        sample = generator.choice(np.flatnonzero(owner == richest))
        owner[sample] = client
        held[richest] -= 1
        held[client] = 1
