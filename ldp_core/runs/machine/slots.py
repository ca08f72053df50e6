"""How many jobs train at the same time, and what each of them may use.

One a GPU; without a GPU one for every two cores, so that each has a core besides its own for the
processes that it starts, and the server is never without. EPSILON_SLOTS says otherwise.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from ldp_core.runs.storage.locks import worker
from ldp_core.settings.table import CORES, MEMORY_GB, SLOTS
from ldp_core.system import resources

MOST = 64


@dataclass(frozen=True)
class Slot:
    """The share of this machine that one training process may use."""

    number: int
    cores: int
    memory: int
    """Bytes that it may fill, besides the program itself."""
    gpu: str | None = None
    """As CUDA_VISIBLE_DEVICES names it."""

    def enter(self) -> None:
        """Limit this process and its children to the slot's cores and GPU."""
        os.environ[CORES.name] = str(self.cores)
        if self.gpu is not None:
            os.environ["CUDA_VISIBLE_DEVICES"] = self.gpu


def count() -> int:
    """Number of jobs that train at the same time, at least 1."""
    return SLOTS.value() or len(resources.gpus()) or max(1, resources.cores() // 2)


def at_work() -> int:
    """Slots of the running worker, or of one that would be started: it may have other settings than this
    process.
    """
    who = worker()
    return min(MOST, who.slots) if who and who.slots > 0 else count()


def slots() -> list[Slot]:
    """All slots. Slots beyond the GPUs share them; a fifth of the memory is kept free."""
    number, gpus = count(), resources.gpus()
    cores = CORES.value() or max(1, resources.cores() // number)
    asked = MEMORY_GB.value()
    memory = resources.memory() * 4 // 5 // number if asked is None else int(asked * 1e9)
    return [Slot(i, cores, memory, gpus[i % len(gpus)] if gpus else None) for i in range(number)]
