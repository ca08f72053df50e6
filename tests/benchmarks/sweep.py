"""What many small runs take, folded and one after another: `python -m tests.benchmarks.sweep [SETTINGS]`.

Default runs without attack, three seeds a setting: other budgets under two mechanisms. In each of three
turns, with seeds of its own, so that nothing is known before:

- a sweep of all of them through the real queue, by a worker that is warm;
- some of them as single jobs through the same queue, each launched when the one before has ended;
- the same ones, and a fold of all, within this process on one thread; by PyTorch and by the fused kernel.

A run's seconds by the clock and of the processor: of the worker and whatever that has begun, or of this
process.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from ldp_core.events import Ended
from ldp_core.experiment import Draft, Experiment, Variant
from ldp_core.experiment.sweep import Sweep, parse_sweep
from ldp_core.many import run_many
from ldp_core.runs import jobs
from ldp_core.runs.lockstep import one_thread
from ldp_core.simulate import simulate
from tests.benchmarks.machine import described
from tests.data import digits
from tests.runs.processes import end_workers, workers

TURNS, ALONE = 3, 10
"""Runs of each turn that are made one after another, too."""
LOOKS = 0.05
"""Seconds between two looks at whether a job has ended."""


def asked(count: int, first: int) -> Sweep:
    """`count` settings under three seeds each, from the seed `first` on."""
    budgets = [0.25 + 0.25 * i for i in range((count + 1) // 2)]
    grid = {"clients.epsilon": budgets, "mechanism.name": ["piecewise", "duchi"]}
    return parse_sweep({"base": {"seed": first, "attack": None}, "grid": grid, "seeds": 3})


def processor(folder: Path | None) -> float:
    """Seconds that the workers of a folder and all that they have begun have computed; without one, this
    process. Who only waits looks for the end again and again, which is no part of a job.
    """
    if folder is None:
        return time.process_time()
    found = 0.0
    for process in workers(folder):  # what they have begun and lives is among them
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            found += times.user + times.system + times.children_user + times.children_system
    return found


def ended(identity: str) -> None:
    while jobs.look(identity).live:
        time.sleep(LOOKS)


def by_queue(kind: str, what: Any) -> None:
    identity = jobs.launch(kind, what) if kind == "sweep" else jobs.submit(what)
    ended(identity)


def within(runs: Sequence[Experiment], engine: str, all_of_them: bool) -> dict[str, Ended]:
    """Runs in this process, folded or one after another."""
    os.environ["EPSILON_ENGINE"] = engine
    try:
        if all_of_them:
            emitted = run_many(enumerate(runs), {"digits": digits()})
            return {runs[i].key: event for i, event in emitted if isinstance(event, Ended)}
        found = {run.key: list(simulate(run, digits()))[-1] for run in runs}
        return {key: event for key, event in found.items() if isinstance(event, Ended)}
    finally:
        del os.environ["EPSILON_ENGINE"]


def print_table(taken: dict[str, list[tuple[float, float]]], more: str) -> None:
    print("\n| what | turns | s a run | CPU s a run | by the clock, times a sweep's | of the processor |")
    print("|" + "---|" * 6)
    base = [median(column) for column in zip(*taken["a sweep, by the queue"], strict=True)]
    for label, turns in taken.items():
        clock, cpu = (median(column) for column in zip(*turns, strict=True))
        ratios = f"{clock / base[0]:.1f} | {cpu / base[1]:.1f}"
        print(f"| {label} | {len(turns)} | {clock:.3f} | {cpu:.3f} | {ratios} |")
    print(more, "load average", *(f"{one:.1f}" for one in os.getloadavg()), flush=True)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    one_thread()
    print(described(), "load average", *(f"{one:.1f}" for one in os.getloadavg()), flush=True)
    taken: dict[str, list[tuple[float, float]]] = {}
    same, pairs = 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["EPSILON_RUNS_DIR"] = name

        def timed(label: str, runs: int, what: Callable[[], Any]) -> Any:
            where = folder if "queue" in label else None
            began = time.perf_counter(), processor(where)
            found = what()
            clock, cpu = time.perf_counter() - began[0], processor(where) - began[1]
            taken.setdefault(label, []).append((clock / runs, cpu / runs))
            return found

        by_queue("run", Draft(asked(4, 10**6).cells[0].experiment, (Variant("warm"),)))
        within([asked(4, 10**6).cells[0].experiment], "auto", all_of_them=False)
        for turn in range(TURNS):
            sweep = asked(count, 1000 * turn)
            runs = [cell.experiment for cell in sweep.cells]
            some = runs[:: len(runs) // ALONE][:ALONE]
            # those of the single jobs are no cells of the sweep: what is known is not trained again
            others = [cell.experiment for cell in asked(count, 1000 * turn + 500).cells]
            others = others[:: len(others) // ALONE][:ALONE]
            timed("a sweep, by the queue", len(runs), lambda: by_queue("sweep", sweep))  # noqa: B023
            for one in others:
                draft = Draft(one, (Variant("run"),))
                timed("single jobs, by the queue", 1, lambda: by_queue("run", draft))  # noqa: B023
            for engine in ("batched", "auto"):
                alone = timed(
                    f"one after another here, {engine}",
                    len(some),
                    lambda: within(some, engine, all_of_them=False),  # noqa: B023
                )
                folded = timed(
                    f"folded here, {engine}",
                    len(runs),
                    lambda: within(runs, engine, all_of_them=True),  # noqa: B023
                )
                if engine == "auto":
                    pairs += len(alone)
                    same += sum(
                        folded[key].weights_sha256 == end.weights_sha256 for key, end in alone.items()
                    )
            print_table(taken, f"the same bits, folded and alone, auto: {same} of {pairs}")
        end_workers(folder)


if __name__ == "__main__":
    main()
