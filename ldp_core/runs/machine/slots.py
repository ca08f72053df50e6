"""Slots: how many jobs train in parallel, and the resources of each. One slot a GPU; without a GPU one for
every two cores, which leaves a core for child processes and the server. EPSILON_SLOTS overrides this.
"""

import os
from typing import NamedTuple

from ldp_core.runs.storage.locks_and_heartbeats import worker
from ldp_core.settings import MEMORY_GB, SLOT_CORES, SLOTS
from ldp_core.system import resources

MOST = 64


class Slot(NamedTuple):
    """Resources of one training process: cores, bytes of memory, and a GPU if there is one."""

    number: int
    cores: int
    memory: int
    """Bytes that the slot's process may use beyond the program itself."""
    gpu: str | None = None
    """The GPU as in CUDA_VISIBLE_DEVICES; None without one."""

    def enter(self) -> None:
        """Limit this process and its children to the slot's cores and GPU."""
        os.environ[SLOT_CORES.name] = str(self.cores)
        if self.gpu is not None:
            os.environ["CUDA_VISIBLE_DEVICES"] = self.gpu


def count() -> int:
    return SLOTS.value() or len(resources.gpus()) or max(1, resources.cores() // 2)


def at_work() -> int:
    """Number of slots of the running worker, whose environment may be another; else of a new one."""
    who = worker()
    return min(MOST, who.slots) if who and who.slots > 0 else count()


def slots() -> list[Slot]:
    """All slots. Slots share the GPUs if they are more; a fifth of the memory is kept free."""
    number, gpus = count(), resources.gpus()
    cores = max(1, resources.cores() // number)
    asked = MEMORY_GB.value()
    memory = resources.memory() * 4 // 5 // number if asked is None else int(asked * 1e9)
    return [Slot(i, cores, memory, gpus[i % len(gpus)] if gpus else None) for i in range(number)]
