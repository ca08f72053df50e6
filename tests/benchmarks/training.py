"""Training, model by model: ours, a plain loop, pfl-research and Flower, on the same two cores.

    python -m tests.benchmarks.training [--turns 3] [--keep FOLDER] [WORD …]

Each contender runs in an environment of its own, made below a temporary folder (or kept in FOLDER),
waits warm, and does a round when its turn comes; turns are interleaved, so that whatever else the
machine does falls on all alike. Seconds of the processor (of all processes of a contender) stay
comparable on a busy machine. With words, the cases whose label has one of them.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
import venv
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import numpy as np
import psutil

from tests.benchmarks.crowd import described
from tests.browser.server import free_port

ROOT = Path(__file__).parents[2]
PACKAGES = {"pfl": "pfl==0.6.0", "flower": "flwr[simulation]==1.41.0"}
CORES = 2
LEAST, SLOW = 0.5, 60.0
"""Processor seconds of a turn at least; seconds of a first one from which on it is the only turn."""
DIGITS, MNIST, CIFAR = (8, 8), (28, 28), (3, 32, 32)
CASES: dict[str, tuple[str, dict[str, int], tuple[int, ...], int, int]] = {
    # model, its parameters, shape of a sample, clients, samples of each
    "logistic regression, digits": ("logistic_regression", {}, DIGITS, 20, 72),
    "logistic regression, MNIST": ("logistic_regression", {}, MNIST, 10, 600),
    "logistic regression, MNIST, 100 clients": ("logistic_regression", {}, MNIST, 100, 600),
    "logistic regression, MNIST, 1 000 clients": ("logistic_regression", {}, MNIST, 1_000, 60),
    "logistic regression, MNIST, 10 000 clients": ("logistic_regression", {}, MNIST, 10_000, 6),
    "32 hidden units, digits": ("mlp", {}, DIGITS, 20, 72),
    "64 and 32 hidden units, MNIST": ("mlp2", {}, MNIST, 20, 600),
    "128 hidden units, MNIST": ("mlp", {"hidden": 128}, MNIST, 20, 600),
    "512 hidden units, MNIST": ("mlp", {"hidden": 512}, MNIST, 10, 600),
    "the papers' network, MNIST": ("cnn", {}, MNIST, 20, 600),
    "the papers' network, 32 × 32 RGB": ("cnn", {}, CIFAR, 20, 300),
    "LeNet, MNIST": ("lenet", {}, MNIST, 20, 300),
    "ResNet-18, width 8, 32 × 32 RGB": ("resnet18", {"width": 8}, CIFAR, 4, 100),
}


@dataclass
class Contender:
    """A program that does a round on request."""

    name: str
    processes: list[subprocess.Popen[str]]
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    rounds: int = 1
    """Rounds of a turn, once one has been timed."""
    moved: str = ""
    megabytes: float = 0.0
    """Memory that its processes share with no other, at most."""

    def turn(self) -> None:
        """As many rounds as take half a second of the processor, whose time is read in hundredths."""
        if self.wall and self.wall[0] > SLOW:
            return
        while True:
            before, began = self._cpu(), time.perf_counter()
            for process in self.processes:
                print(self.rounds, file=process.stdin, flush=True)
            self.moved = self.hear("moved")
            cpu, wall = self._cpu() - before, time.perf_counter() - began
            if self.wall or cpu >= LEAST or wall > SLOW:
                break
            self.rounds = math.ceil(self.rounds * min(20, 1.2 * LEAST / max(cpu, 0.01)))
        self.wall.append(wall / self.rounds)
        self.cpu.append(cpu / self.rounds)
        self.megabytes = max(self.megabytes, sum(one.memory_full_info().uss for one in self._family()) / 1e6)

    def hear(self, word: str) -> str:
        """The next line that begins with a word, of each process; the first one's."""
        lines = []
        for process in self.processes:
            assert process.stdout is not None
            line = ""
            while not line.startswith(word):
                line = process.stdout.readline()
                if not line:
                    raise SystemExit(f"{self.name} ended before it said {word}")
            lines.append(line.strip())
        return lines[0]

    def _family(self) -> list[psutil.Process]:
        found = [psutil.Process(process.pid) for process in self.processes]
        return [*found, *(child for one in found for child in one.children(recursive=True))]

    def _cpu(self) -> float:
        """Seconds that its processes and their children have computed so far."""
        total = 0.0
        for one in self._family():
            with suppress(psutil.NoSuchProcess):
                total += sum(one.cpu_times()[:2])
        return total

    def end(self) -> None:
        for process in self.processes:
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
            process.kill()
            process.wait()


def environment(folder: Path, name: str) -> Path:
    """The interpreter of an environment with one framework, beside this one's torch."""
    place = folder / name
    python = place / "bin" / "python"
    if not python.exists():
        print(f"installing {PACKAGES[name]} below {place}", flush=True)
        venv.create(place, with_pip=True)
        library = next(place.glob("lib/python*/site-packages"))
        # numpy and torch are ours, so that all compute with the same
        (library / "zz_studio.pth").write_text(f"{Path(np.__file__).parents[1]}\n")
        subprocess.run([python, "-m", "pip", "install", "-q", PACKAGES[name]], check=True)
    return python


def start(name: str, python: Path, module: str, *arguments: str, ranks: int = 1) -> Contender:
    """Start a contender, in several ranks of torch.distributed if it wants that."""
    port, given = str(free_port()), {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    if ranks > 1:
        given |= {"WORLD_SIZE": str(ranks), "LOCAL_WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1"}
        given |= {"MASTER_PORT": port, "TORCHELASTIC_RUN_ID": port}  # so pfl knows that it is one of several
    processes = [
        subprocess.Popen(
            [python, "-m", f"tests.benchmarks.contenders.{module}", *arguments],
            cwd=ROOT,
            env=os.environ | given | ({"RANK": str(rank), "LOCAL_RANK": str(rank)} if ranks > 1 else {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for rank in range(ranks)
    ]
    contender = Contender(name, processes)
    contender.hear("ready")
    return contender


def compared(label: str, folder: Path, turns: int) -> str:
    """A row of the table: each contender's time over ours, by turn."""
    name, parameters, shape, clients, each = CASES[label]
    case = {"model": name, "parameters": parameters, "shape": shape, "clients": clients, "each": each}
    os.environ["BENCH_CASE"] = json.dumps(case)
    here, contenders = Path(sys.executable), list[Contender]()
    try:
        contenders += [start("ours", here, "ours", str(CORES)), start("plain", here, "plain")]
        contenders += [start("pfl", environment(folder, "pfl"), "with_pfl", ranks=CORES)]
        contenders += [start("Flower", environment(folder, "flower"), "with_flower", str(CORES))]
        for _ in range(turns):
            for one in contenders:
                one.turn()
    finally:
        for one in contenders:
            one.end()
    ours = contenders[0]
    assert len({f"{float(one.moved.split()[1]):.4f}" for one in contenders}) == 1, "all train the same models"
    rate = clients * each / median(ours.cpu)
    cells = [f"{rate:,.0f} a CPU second, {ours.megabytes:.0f} MB"]
    for one in contenders[1:]:
        cpu = [theirs / mine for theirs, mine in zip(one.cpu, ours.cpu, strict=False)]
        wall = median(theirs / mine for theirs, mine in zip(one.wall, ours.wall, strict=False))
        cells.append(
            f"{median(cpu):.1f} ({min(cpu):.1f} to {max(cpu):.1f}), {wall:.1f}, {one.megabytes:.0f} MB"
        )
    return f"| {label} | {clients} × {each} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="where environments are made, or are already")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    print(f"{described()}; {time.strftime('%Y-%m-%d')}; load average {os.getloadavg()[0]:.1f}\n")
    print("| model, data | clients × samples | ours | plain: CPU over ours, by the clock, memory ", end="")
    print(f"| pfl-research 0.6.0, {CORES} processes | Flower 1.41.0, {CORES} actors |")
    print("|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        for label in CASES:
            if not options.words or any(word in label for word in options.words):
                print(compared(label, options.keep or Path(temporary), options.turns), flush=True)
    print(f"\nload average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
