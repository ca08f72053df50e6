"""What many small runs take together: `python -m tests.benchmarks.folds [SETTINGS] [FOLDER …]`.

Default runs without attack, three seeds a setting, in one process: seconds of the processor of each, least of
the turns, and whether weights are equal. With folders, which hold other versions of this repository, those
take turns with this one; EPSILON_ENGINE is for them.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from ldp_core.experiment.sweep import Sweep, parse_sweep
from ldp_core.runs.train_all import train_all

TURNS = 3


def asked(count: int, first: int) -> Sweep:
    """`count` settings under three seeds each, from the seed `first` on."""
    budgets = [0.25 + 0.25 * i for i in range((count + 1) // 2)]
    grid = {"clients.epsilon": budgets, "mechanism.name": ["piecewise", "duchi"]}
    return parse_sweep({"base": {"seed": first, "attack": None}, "grid": grid, "seeds": 3})


def turn(count: int, seed: int) -> tuple[float, list[str | None]]:
    """CPU seconds of a run, and the hash of each one's weights."""
    runs = [cell.experiment for cell in asked(count, seed).cells]
    began = time.process_time()
    found = dict(train_all(runs))
    took = time.process_time() - began
    return took / len(runs), [found[place].weights_sha256 for place in range(len(runs))]


def main() -> None:
    words = sys.argv[1:]
    if words[:1] == ["--turn"]:
        print(json.dumps(turn(int(words[1]), int(words[2]))))
        return
    here = str(Path(__file__).parents[2])
    count, folders = words[0] if words else "50", [here, *words[1:]]
    print("load average", *(f"{one:.1f}" for one in os.getloadavg()), flush=True)
    took, weights = dict[str, list[float]](), dict[tuple[str, int], list[str | None]]()
    for number in range(TURNS):
        for folder in folders:
            command = [sys.executable, __file__, "--turn", count, str(1000 * number)]
            alone = {"PYTHONPATH": folder, "EPSILON_CORES": "1"}
            alone |= {"EPSILON_ENGINE": ""} if folder == here else {}
            done = subprocess.check_output(command, env=os.environ | alone, cwd=folder)
            seconds, weights[folder, number] = json.loads(done.splitlines()[-1])
            took.setdefault(folder, []).append(seconds)
    for folder, mine in took.items():
        ratio = median(a / b for a, b in zip(mine, took[here], strict=True))
        same = all(weights[folder, number] == weights[here, number] for number in range(TURNS))
        print(f"{folder}: {1e3 * median(mine):.1f} ms of CPU a run, {ratio:.2f} of ours, same bits: {same}")


if __name__ == "__main__":
    main()
