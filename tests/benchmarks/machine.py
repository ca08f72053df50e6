"""What a benchmark ran on, and its figures in a few words."""

import os
import platform
from collections.abc import Sequence

import numpy as np


def described() -> str:
    chip = platform.processor() or platform.machine()
    return f"{chip}, {os.cpu_count()} cores, Python {platform.python_version()}"


def quantiles(seconds: Sequence[float]) -> str:
    """Median, 95th percentile and largest."""
    if not seconds:
        return "never"
    values = np.array(seconds)
    median, high = np.median(values), np.quantile(values, 0.95)
    return f"median {median:.3f} s, p95 {high:.3f} s, most {values.max():.3f} s over {len(values)}"
