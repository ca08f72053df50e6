"""Cores, memory and GPUs of this machine, within a container's limits; without torch."""

import os
from functools import cache
from pathlib import Path

import psutil

CGROUP = Path("/sys/fs/cgroup")
DEVICES = Path("/dev")


def cores() -> int:
    """Cores that this process may use, at least 1."""
    counted = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = (CGROUP / "cpu.max").read_text().split()
        counted = min(counted, int(quota) // int(period))
    except (OSError, ValueError):  # no container, or one without a quota ("max")
        pass
    return max(1, counted)


def memory() -> int:
    """Bytes of memory for all processes together."""
    physical = psutil.virtual_memory().total
    try:
        return min(physical, int((CGROUP / "memory.max").read_text()))
    except (OSError, ValueError):
        return physical


def gpus() -> list[str]:
    """NVIDIA devices of this machine, as in CUDA_VISIBLE_DEVICES."""
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    if chosen is not None:
        # what follows a -1 is hidden, as CUDA has it
        names = chosen.partition("-1")[0].split(",")
        return [name.strip() for name in names if name.strip()]
    return [*_listed(DEVICES)]


@cache  # each cell of a sweep asks, and each scenario's runs on Start
def _listed(folder: Path) -> tuple[str, ...]:
    try:
        names = [one.name.removeprefix("nvidia") for one in folder.iterdir() if one.name.startswith("nvidia")]
    except OSError:
        return ()
    return tuple(map(str, sorted(int(name) for name in names if name.isdigit())))
