"""Difference between two variants' final accuracies, by one rule for all pages and the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.bits import unpacked
from ldp_core.paired import Difference, difference
from ldp_core.runs.view.run_progress import RunProgress


def apart(one: Sequence[RunProgress], other: Sequence[RunProgress], variants: int = 2) -> Difference:
    """Difference of two variants' final accuracy over common seeds, paired by held-out sample where recorded.

    Args:
        one: runs of one variant, a seed each.
        other: runs of the other variant.
        variants: number of variants from which these two were picked because they differ most.
    """
    pairs = [(a, b) for a in one for b in other if a.seed == b.seed and _completed(a) and _completed(b)]
    runs = [[pair[side] for pair in pairs] for side in (0, 1)]
    first, second = ([run.curves["accuracy"][-1] for run in side] for side in runs)
    mine, theirs = map(_right, runs)
    right = None
    if mine is not None and theirs is not None and mine.shape == theirs.shape:
        right = mine, theirs
    return difference(first, second, right, variants * (variants - 1) // 2)


def _completed(run: RunProgress) -> bool:
    return run.end is not None and run.end["status"] == "completed"


def _right(runs: Sequence[RunProgress]) -> NDArray[np.bool_] | None:
    """(S, n): whether each of S runs classified each of n held-out samples correctly at its end; None if not
    recorded.
    """
    ends: list[dict[str, Any]] = [run.end or {} for run in runs]
    counts = {end.get("held_out", 0) for end in ends}
    if len(counts) != 1 or not all(end.get("right") for end in ends):
        return None
    return np.stack([unpacked(end["right"], end["held_out"]) for end in ends])
