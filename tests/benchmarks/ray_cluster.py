"""A sweep on a real Ray cluster of two nodes here: `python -m tests.benchmarks.ray_cluster [CELLS]`

Needs what tests/requirements-ray.txt pins. The same cells without a cluster, on one node and on two; then one
of the processes that train is killed, then a whole node, and every cell must be there nevertheless; then the
sweep itself is stopped, and nothing of it may go on.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import psutil

from ldp_core.experiment import Experiment, parse
from ldp_core.runs import cluster
from ldp_core.runs.lockstep import one_thread
from ldp_core.runs.train_all import Figures
from tests.benchmarks.machine import described
from tests.conftest import ROOT

SECRET = "0123456789abcdef" * 4
GONE_SECONDS = 30.0


def cells(count: int, first: float) -> list[Experiment]:
    """Default runs without attack, of different budgets."""
    return [parse({"attack": None, "clients": {"epsilon": first + 0.1 * i}}) for i in range(count)]


def swept(wanted: list[Experiment], after_first: Callable[[], None] | None = None) -> dict[int, Figures]:
    """All that comes of them; something may happen once the first is there."""
    found: dict[int, Figures] = {}
    began = time.perf_counter()
    for place, figures in cluster.train_all(wanted):
        if not found:
            print(f"  first cell after {time.perf_counter() - began:.1f} s", flush=True)
            if after_first:
                after_first()
        found[place] = figures
    print(f"  {len(found)} cells after {time.perf_counter() - began:.1f} s", flush=True)
    return found


def at_work() -> list[psutil.Process]:
    """The processes that train a batch now."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        if (process.info["cmdline"] or [""])[0].startswith("ray::_batch"):
            found.append(process)
    return found


def all_there(found: dict[int, Figures], count: int) -> str:
    """That no cell is missing."""
    done = sum(one.status == "completed" for one in found.values())
    assert (len(found), done) == (count, count), f"{done} of {count}"
    return f"all {count} cells are there"


def main() -> None:
    """Print what was measured, and what was held."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 64
    os.environ.update({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": SECRET, cluster.TOKEN: SECRET})
    os.environ.pop(cluster.ADDRESS, None)
    from ray.cluster_utils import Cluster

    one_thread()
    print(described(), f"load average {os.getloadavg()[0]:.0f}", flush=True)
    print("here, in one process:", flush=True)
    here = swept(cells(count, 0.5))
    machines = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    os.environ[cluster.ADDRESS] = machines.address
    try:
        print("one node:", flush=True)
        one = swept(cells(count, 0.5))
        same = sum(one[i].weights_sha256 == here[i].weights_sha256 for i in here)
        print(f"  the same bits as here: {same} of {count}", flush=True)
        machines.add_node(num_cpus=1)
        print("two nodes:", flush=True)
        swept(cells(count, 0.5))
        print("a process that trains is killed:", flush=True)
        print(" ", all_there(swept(cells(count, 20.5), lambda: at_work()[0].kill()), count), flush=True)
        print("a node is lost:", flush=True)
        lost = machines.list_all_nodes()[-1]
        found = swept(cells(count, 40.5), lambda: machines.remove_node(lost, allow_graceful=False))
        print(" ", all_there(found, count), flush=True)
        print("the sweep is stopped:", flush=True)
        stop(count)
    finally:
        machines.shutdown()


def stop(count: int) -> None:
    """Stop a sweep in a process of its own, as a job is stopped; nothing of it may go on."""
    grid = ",".join(f"{60.5 + 0.1 * i:g}" for i in range(count))
    command = [sys.executable, "-m", "ldp_core", "sweep", "-", "--grid", f"clients.epsilon={grid}"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        process.stdin.write(b"{}")
        process.stdin.close()
        assert process.stdout.readline(), "a cell has come"
        while not at_work():  # between two batches
            assert process.poll() is None, "it has ended before it could be stopped"
        process.send_signal(signal.SIGKILL)
        began = time.perf_counter()
        process.wait()
        while at_work():
            assert time.perf_counter() - began < GONE_SECONDS, "it goes on"
            time.sleep(0.05)
        print(f"  killed outright, nothing trains any more after {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
