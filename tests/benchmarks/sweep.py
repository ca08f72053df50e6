"""What many small runs take, one after another and folded: `python -m tests.benchmarks.sweep [SETTINGS]`.

Default runs without attack, three seeds a setting: other budgets under two mechanisms. CPU time of one
process on one thread, so that it may be taken on a busy machine; wall time is beside it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from ldp_core.events import Ended
from ldp_core.experiment import Experiment, parse
from ldp_core.fold import fold
from ldp_core.runs.lockstep import one_thread
from ldp_core.simulate import simulate
from tests.data import digits

ALONE = 30
"""Of the runs are also made one after another."""


def settings(count: int) -> list[Experiment]:
    """`count` settings under three seeds each."""
    changes: list[dict[str, Any]] = [
        {"clients": {"epsilon": 0.25 + 0.25 * i}, "mechanism": ("piecewise", "duchi")[i % 2]}
        for i in range(count)
    ]
    return [parse(change | {"seed": seed, "attack": None}) for seed in range(3) for change in changes]


def timed(what: Callable[[], Any]) -> tuple[float, float, Any]:
    """CPU and wall seconds, and what came of it."""
    began = time.process_time(), time.perf_counter()
    found = what()
    return time.process_time() - began[0], time.perf_counter() - began[1], found


def main() -> None:
    """Print a table."""
    one_thread()
    runs, data = settings(int(sys.argv[1]) if len(sys.argv) > 1 else 100), digits()
    list(simulate(runs[0], data))  # warm
    some = runs[:: max(1, len(runs) // ALONE)]
    cpu, wall, alone = timed(lambda: {run.key: list(simulate(run, data))[-1] for run in some})
    print(
        f"one after another: {len(some)} runs, each {cpu / len(some):.3f} s of CPU, {wall / len(some):.3f} s"
    )
    cpu, wall, ends = timed(
        lambda: {
            runs[i].key: event
            for i, event in fold(dict(enumerate(runs)), {"digits": data})
            if isinstance(event, Ended)
        }
    )
    print(f"folded: {len(runs)} runs in {wall:.1f} s, {cpu:.1f} s of CPU, each {cpu / len(runs):.3f} s")
    same = sum(ends[key].weights_sha256 == end.weights_sha256 for key, end in alone.items())
    off = max(abs(ends[key].accuracy - end.accuracy) for key, end in alone.items())
    print(f"the same bits: {same} of {len(alone)}; accuracy differs by {off:.4f} at most")


if __name__ == "__main__":
    main()
