"""What many small runs take: `python -m tests.benchmarks.sweep [SETTINGS] [FOLDER …]`.

Default runs without attack, three seeds a setting: other budgets under two mechanisms; a sweep of all of them
through the real queue, by a worker that is warm, then some as single jobs, each launched when the one before
has ended. Seconds of the processor of the worker and whatever that has begun. With folders, which hold other
versions of this repository, those take turns with this one; EPSILON_ENGINE is for them.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from ldp_core.experiment import Draft, Variant
from ldp_core.experiment.sweep import Sweep, parse_sweep
from ldp_core.runs import jobs
from tests.benchmarks.machine import described
from tests.runs.processes import end_workers, workers

TURNS, ALONE = 3, 10
"""Turns, and runs of each that are made as single jobs."""
LOOKS = 0.05
"""Seconds between two looks at whether a job has ended."""


def asked(count: int, first: int) -> Sweep:
    """`count` settings under three seeds each, from the seed `first` on."""
    budgets = [0.25 + 0.25 * i for i in range((count + 1) // 2)]
    grid = {"clients.epsilon": budgets, "mechanism.name": ["piecewise", "duchi"]}
    return parse_sweep({"base": {"seed": first, "attack": None}, "grid": grid, "seeds": 3})


def processor(folder: Path) -> float:
    """Seconds that the workers of a folder and all that they have begun have computed."""
    found = 0.0
    for process in workers(folder):  # what they have begun and lives is among them
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            found += times.user + times.system + times.children_user + times.children_system
    return found


def by_queue(kind: str, what: Any) -> None:
    identity = jobs.launch(kind, what) if kind == "sweep" else jobs.submit(what)
    while jobs.look(identity).live:
        time.sleep(LOOKS)


def turn(count: int, seed: int) -> tuple[float, float]:
    """CPU seconds of a run of a sweep, and of a single job."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["EPSILON_RUNS_DIR"] = name
        try:
            by_queue("run", Draft(asked(4, 10**6).cells[0].experiment, (Variant("warm"),)))
            # those of the single jobs are no cells of the sweep: what is known is not trained again
            sweep, others = asked(count, seed), asked(count, seed + 500).cells
            before = processor(folder)
            by_queue("sweep", sweep)
            between = processor(folder)
            some = others[:: max(1, len(others) // ALONE)][:ALONE]
            for cell in some:
                by_queue("run", Draft(cell.experiment, (Variant("run"),)))
            return (between - before) / len(sweep.cells), (processor(folder) - between) / len(some)
        finally:
            end_workers(folder)


def main() -> None:
    words = sys.argv[1:]
    if words[:1] == ["--turn"]:
        print(json.dumps(turn(int(words[1]), int(words[2]))))
        return
    count, folders = int(words[0]) if words else 100, [str(Path(__file__).parents[2]), *words[1:]]
    print(described(), "load average", *(f"{one:.1f}" for one in os.getloadavg()), flush=True)
    found: dict[str, list[list[float]]] = {folder: [] for folder in folders}
    for number in range(TURNS):
        for folder in folders:
            command = [sys.executable, __file__, "--turn", str(count), str(1000 * number)]
            engine = {"EPSILON_ENGINE": ""} if folder == folders[0] else {}
            environment = os.environ | {"PYTHONPATH": folder} | engine
            done = subprocess.check_output(command, env=environment, cwd=folder)
            found[folder].append(json.loads(done.splitlines()[-1]))
    print("| version | CPU s a run of a sweep | of this one | CPU s a single job | of this one |")
    print("|---|---|---|---|---|")
    for folder, turns in found.items():
        cells = []
        for kind, base in enumerate(zip(*found[folders[0]], strict=True)):
            mine = [one[kind] for one in turns]
            cells.append(f"{median(mine):.4f} | {median(a / b for a, b in zip(mine, base, strict=True)):.2f}")
        print(f"| {folder} | {' | '.join(cells)} |")
    print("load average", *(f"{one:.1f}" for one in os.getloadavg()))


if __name__ == "__main__":
    main()
