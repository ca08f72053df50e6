"""Partition of the training samples over clients, and what depends on it alone. Runs of equal seed and
partition have the same one, whatever their mechanism; trained together they share it, and each round's plan
of batches.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from ldp_core.engines.plan import Batches
from ldp_core.experiment import Plan
from ldp_core.mechanisms.base import Floats
from ldp_core.partitions.base import Indices

OVERHEAD = 2000
"""Bytes of a plan besides its arrays."""
PLANS_BYTES = 2**23
"""Largest size of a deal's cached plans; the oldest are dropped. The default experiment's take 0.6 MB."""

_deals: WeakValueDictionary[Hashable, Deal] = WeakValueDictionary()
"""Partitions in use by some run."""


class Deal:
    """Sample indices of each of the K clients (`shards`), and the labels (n,) of all training samples;
    read-only, as runs may share it.
    """

    def __init__(self, shards: list[Indices], labels: NDArray[np.int64]) -> None:
        self.shards, self.labels = shards, labels
        self._plans: dict[Hashable, Batches] = {}
        self._bytes = 0

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        return np.array([len(shard) for shard in self.shards])

    def mix(self, members: NDArray[np.bool_], classes: int) -> Floats:
        """Shares of the classes among the samples of the clients in a mask, (classes,); 0 without samples."""
        shards = [self.shards[i] for i in np.flatnonzero(members)]
        if not shards:
            return np.zeros(classes)
        labels = self.labels[np.concatenate(shards)]
        return np.bincount(labels, minlength=classes) / len(labels)

    def plan(self, key: Hashable, make: Callable[[], Batches]) -> Batches:
        """Cached result of `make`, which depends on these shards and on `key` alone."""
        found = self._plans.get(key)
        if found is None:
            found = make()
            if _bytes(found) <= PLANS_BYTES:
                self._plans[key] = found
                self._bytes += _bytes(found)
            while self._bytes > PLANS_BYTES:
                self._bytes -= _bytes(self._plans.pop(next(iter(self._plans))))
        return found


def _bytes(plan: Batches) -> int:
    return plan.nbytes + OVERHEAD


def deal(plan: Plan, labels: NDArray[np.int64], owned: int = 0) -> Deal:
    """Partition of samples with these labels over an experiment's clients; each of the first `owned` belongs
    to the client of its number. InvalidInput if a client would have no sample.
    """
    experiment = plan.experiment
    partition, count, seed = experiment.partition, experiment.clients.count, experiment.seed
    # its own as long as the deal, which has the labels, is there
    key = (id(labels), partition, count, seed, owned)
    found = _deals.get(key)
    if found is None:
        shards = plan.split(labels[owned:])
        if owned:
            own = np.arange(owned).tolist()
            shards = [np.array([*own[i : i + 1], *(shard + owned)]) for i, shard in enumerate(shards)]
        found = Deal(shards, labels)
        _deals[key] = found
    return found
