"""What a promise of so many seconds becomes while the machine is busy with other things."""

from __future__ import annotations

import os

import pytest

MOST = 4.0
"""What is measured on a machine that is slower than this by others' work proves nothing."""
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
    """Seconds that are allowed where so many are promised.

    On a machine that is far too busy the test is skipped as inconclusive: neither passed nor failed.
    """
    if (slower := busy()) > MOST:
        pytest.skip(f"inconclusive: others' work makes this machine about {slower:.0f} times slower")
    return seconds * slower
