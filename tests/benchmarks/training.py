"""Training the papers' network: ours, a plain loop, pfl-research and Flower, on the same two cores.

    python -m tests.benchmarks.training [--repeats 5] [--paper] [--keep FOLDER]

Each contender runs in an environment of its own, made below a temporary folder (or kept in FOLDER),
waits warm, and does a round when its turn comes; turns are interleaved, so that whatever else the
machine does falls on all alike. Wall time is only worth something on a quiet machine; CPU time (of
all processes of a contender) stays comparable on a busy one.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import numpy as np
import psutil

from tests.benchmarks.machine import described

ROOT = Path(__file__).parents[2]
PACKAGES = {"pfl": "pfl==0.6.0", "flower": "flwr[simulation]==1.41.0"}
CORES = 2


@dataclass
class Contender:
    """A program that does a round on request."""

    name: str
    processes: list[subprocess.Popen[str]]
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    moved: str = ""

    def one_round(self) -> None:
        before, began = self._cpu(), time.perf_counter()
        for process in self.processes:
            print("go", file=process.stdin, flush=True)
        self.moved = self.hear("moved")
        self.wall.append(time.perf_counter() - began)
        self.cpu.append(self._cpu() - before)

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

    def _cpu(self) -> float:
        """Seconds that its processes and their children have computed so far."""
        total = 0.0
        for process in self.processes:
            family = [psutil.Process(process.pid)]
            family += family[0].children(recursive=True)
            for one in family:
                try:
                    total += sum(one.cpu_times()[:2])
                except psutil.NoSuchProcess:
                    continue
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
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    processes = []
    for rank in range(ranks):
        distributed = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(ranks)}
        distributed |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "LOCAL_WORLD_SIZE": str(ranks)}
        distributed["TORCHELASTIC_RUN_ID"] = port  # so pfl knows that it is one of several
        quiet = {"OMP_NUM_THREADS": "1"} if module != "plain" else {}
        processes.append(
            subprocess.Popen(
                [python, "-m", f"tests.benchmarks.contenders.{module}", *arguments],
                cwd=ROOT,
                env=os.environ | quiet | {"PYTHONPATH": str(ROOT)} | (distributed if ranks > 1 else {}),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        )
    contender = Contender(name, processes)
    contender.hear("ready")
    print(f"{name} is ready", flush=True)
    return contender


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--paper", action="store_true", help="the paper's round: 70 clients, 5 epochs")
    parser.add_argument("--keep", type=Path, help="where environments are made, or are already")
    parser.add_argument("--only", nargs="*", help="contenders whose name holds one of these")
    options = parser.parse_args()
    clients, epochs = (70, 5) if options.paper else (20, 1)
    os.environ |= {"BENCH_CLIENTS": str(clients), "BENCH_EPOCHS": str(epochs)}
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        here = Path(sys.executable)
        every: dict[str, Callable[[str], Contender]] = {
            f"ours, fused, {CORES} threads": lambda name: start(name, here, "ours", str(CORES)),
            f"ours, PyTorch, {CORES} processes": lambda name: start(
                name, here, "ours", str(CORES), "processes"
            ),
            "plain loop, 1 thread": lambda name: start(name, here, "plain", "1"),
            f"plain loop, {CORES} threads": lambda name: start(name, here, "plain", str(CORES)),
            f"pfl-research 0.6.0, {CORES} processes": lambda name: start(
                name, environment(folder, "pfl"), "with_pfl", ranks=CORES
            ),
            f"Flower 1.41.0, {CORES} actors": lambda name: start(
                name, environment(folder, "flower"), "with_flower", str(CORES)
            ),
        }
        only = options.only or [""]
        wanted = {name: begin for name, begin in every.items() if any(part in name for part in only)}
        contenders: list[Contender] = []
        try:
            for name, begin in wanted.items():
                contenders.append(begin(name))
            loads = [os.getloadavg()[0]]
            for _ in range(options.repeats):
                for contender in contenders:
                    contender.one_round()
                loads.append(os.getloadavg()[0])
        finally:
            for contender in contenders:
                contender.end()
    table(contenders, clients * epochs * 600, loads)


def table(contenders: list[Contender], images: int, loads: list[float]) -> None:
    """Medians, and the median over turns of each one's time over ours."""
    print(f"\n{described()}; {time.strftime('%Y-%m-%d')}; {images:,} images a round, ", end="")
    print(f"{len(contenders[0].wall)} turns; load average {min(loads):.1f} to {max(loads):.1f}\n")
    print("| contender | wall, s | over ours | CPU, s | over ours | images per CPU second | model moved by |")
    print("|---|---|---|---|---|---|---|")
    ours = contenders[0]
    for one in contenders:
        wall = median(a / b for a, b in zip(one.wall, ours.wall, strict=True))
        cpu = median(a / b for a, b in zip(one.cpu, ours.cpu, strict=True))
        print(
            f"| {one.name} | {median(one.wall):.2f} | {wall:.2f} | {median(one.cpu):.2f} | {cpu:.2f} "
            f"| {images / median(one.cpu):,.0f} | {one.moved.split()[1]} |"
        )


if __name__ == "__main__":
    main()
