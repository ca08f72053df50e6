"""What a promise of so many seconds becomes while the machine is busy with other things."""

from __future__ import annotations

import os

OWN_LOAD = 2.0
"""Runnable processes for each core that these tests and what they start make by themselves."""


def busy() -> float:
    """By how much a measured time may be longer than promised: 1 unless others crowd this machine.

    Training gives way to everything else, so it slows down by more than the crowd alone would explain: the
    square of it.
    """
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    return max(1.0, load / OWN_LOAD) ** 2


def within(seconds: float) -> float:
    """Seconds that are allowed where so many are promised."""
    return seconds * busy()
