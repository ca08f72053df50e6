"""A real Ray cluster of two nodes here: `python -m tests.benchmarks.ray_cluster [CELLS]`

Needs what tests/requirements-ray.txt pins. The same cells without a cluster, on one node and on two: by the
clock, and in seconds of the processors. Then jobs of the queue: a sweep that is cancelled, of which
nothing may go on, and which is taken up and trains no stored cell again; one that is killed outright. What a
process and a node lose is `tests/runs/cluster/test_real.py`.
"""

import os
import sys
import tempfile
import time

import psutil

from ldp_core.experiment import Experiment, parse
from ldp_core.runs import jobs, kinds, queue
from ldp_core.runs.batch import Figures
from ldp_core.runs.cluster.connection import ADDRESS, TOKEN
from ldp_core.runs.lockstep import one_thread
from ldp_core.runs.train_all import train_all
from tests.benchmarks.machine import described
from tests.runs.cluster.nodes import SECRET, Cluster
from tests.runs.in_process import bodies
from tests.runs.processes import ended, wait_for


def cells(count: int, first: float) -> list[Experiment]:
    """Default runs without attack, of different budgets."""
    return [parse({"attack": None, "clients": {"epsilon": first + 0.1 * i}}) for i in range(count)]


def swept(wanted: list[Experiment], machines: Cluster | None = None) -> dict[int, Figures]:
    found: dict[int, Figures] = {}
    began, here = time.perf_counter(), time.process_time()
    before = machines.cpu_seconds() if machines else []
    for place, figures in train_all(wanted):
        if not found:
            print(f"  the first cell after {time.perf_counter() - began:.1f} s,", end=" ")
        found[place] = figures
    used = f"{time.process_time() - here:.2f} s of a core here"
    if machines:
        there = [now - then for now, then in zip(machines.cpu_seconds(), before, strict=True)]
        used += " and " + " + ".join(f"{one:.2f}" for one in there) + " s there"
    print(f"{len(found)} after {time.perf_counter() - began:.1f} s; {used}", flush=True)
    assert all(one.status == "completed" for one in found.values()), "a cell is missing"
    return found


def measured(count: int) -> None:
    """The same cells here, on one node and on two, each twice: at first it is all imported."""
    one_thread()
    os.environ.pop(ADDRESS, None)
    print("without a cluster:")
    swept(cells(2, 90.0))
    here = swept(cells(count, 0.5))
    machines = Cluster(1)
    try:
        os.environ.update({ADDRESS: machines.address, TOKEN: SECRET})
        for nodes in (1, 2):
            print(f"{nodes} of one core:")
            if nodes > 1:
                machines.add()
            swept(cells(count, 90.0), machines)
            far = swept(cells(count, 0.5), machines)
            same = sum(far[i].weights_sha256 == here[i].weights_sha256 for i in here)
            print(f"  the same bits as without: {same} of {count}", flush=True)
        print("jobs of the queue, on two:")
        queued(machines, count)
    finally:
        import ray

        ray.shutdown()
        machines.end()


def queued(machines: Cluster, count: int) -> None:
    """A sweep of runs of ten times the length that is cancelled, one whose process is killed; taken up."""
    for end, first in (("cancelled", 0.5), ("interrupted", 40.0)):
        grid = {"clients.epsilon": [round(first + 0.1 * i, 2) for i in range(count)]}
        file = {"base": {"attack": None, "rounds": 150}, "grid": grid}
        identity = jobs.launch("sweep", kinds.get("sweep").read(file, {}))
        wait_for(lambda: bodies(queue.get(identity)) and machines.trains())  # noqa: B023
        began = time.perf_counter()
        if end == "cancelled":
            jobs.cancel(identity)
        else:
            psutil.Process(queue.get(identity).pid).kill()
        assert ended(identity).status == end
        wait_for(lambda: not machines.trains())
        before = bodies(queue.get(identity))
        print(f"  {end} with {len(before)} cells; nothing trains after {time.perf_counter() - began:.1f} s")
        jobs.resume(identity)
        assert ended(identity).status == "completed"
        numbers = [one["cell"] for one in bodies(queue.get(identity))]
        assert len({*numbers}) == len(numbers) == count, "a cell was trained twice, or is missing"
        print(f"  taken up: {count - len(before)} cells trained, and all {count} are there once", flush=True)


if __name__ == "__main__":
    os.environ["EPSILON_WORKER_IDLE_SECONDS"] = "1"
    print(described(), f"load average {os.getloadavg()[0]:.0f}", flush=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as room:
        os.environ["EPSILON_RUNS_DIR"] = room
        measured(int(sys.argv[1]) if len(sys.argv) > 1 else 64)
    print(f"load average {os.getloadavg()[0]:.0f}")
