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
from collections.abc import Callable, Mapping
from typing import Any

import psutil

from ldp_core.experiment import Experiment, parse
from ldp_core.runs import jobs, kinds, queue
from ldp_core.runs.batch import Figures
from ldp_core.runs.cluster.connection import ADDRESS, TOKEN
from ldp_core.runs.lockstep import one_thread
from ldp_core.runs.record.events import events_of
from ldp_core.runs.train_all import train_all
from tests.benchmarks.machine import described
from tests.runs.cluster.nodes import SECRET, Cluster

GONE_SECONDS = 300.0


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
    """A sweep that is cancelled and taken up, one whose process is killed."""
    identity = launched("sweep", sweep(count))
    until(lambda: stored(identity) and machines.trains())
    began = time.perf_counter()
    jobs.cancel(identity)
    until(lambda: jobs.status(identity)["status"] == "cancelled")
    until(lambda: not machines.trains())
    kept = stored(identity)
    print(f"  cancelled with {kept} cells; nothing trains after {time.perf_counter() - began:.1f} s")
    taken_up(identity, kept, count)

    identity = launched("sweep", sweep(count, 40.0))
    until(lambda: stored(identity) and machines.trains())
    began = time.perf_counter()
    psutil.Process(queue.get(identity).pid).kill()
    until(lambda: jobs.status(identity)["status"] == "interrupted")
    until(lambda: not machines.trains())
    kept = stored(identity)
    print(f"  killed with {kept} cells; nothing trains after {time.perf_counter() - began:.1f} s")
    taken_up(identity, kept, count)


def taken_up(identity: str, kept: int, count: int) -> None:
    """It trains what is left, and nothing that is stored."""
    last = events_of(queue.get(identity))[-1].seq
    jobs.resume(identity)
    until(lambda: jobs.status(identity)["status"] == "completed")
    new = [one.body["cell"] for one in events_of(queue.get(identity)) if one.seq > last]
    assert len(new) == len({*new}) == count - kept, "a cell was trained twice, or is missing"
    print(f"  taken up: {len(new)} cells trained, and all {count} are there once", flush=True)


def sweep(count: int, first: float = 0.5) -> dict[str, Any]:
    """Runs of ten times the length."""
    base = {"attack": None, "rounds": 150}
    return {"base": base, "grid": {"clients.epsilon": [round(first + 0.1 * i, 2) for i in range(count)]}}


def launched(kind: str, file: Mapping[str, Any]) -> str:
    return jobs.launch(kind, kinds.get(kind).read(file, {}))


def stored(identity: str) -> int:
    return len(events_of(queue.get(identity)))


def until(done: Callable[[], object]) -> None:
    deadline = time.monotonic() + GONE_SECONDS
    while not done():
        assert time.monotonic() < deadline, "it does not come"
        time.sleep(0.05)


if __name__ == "__main__":
    os.environ["EPSILON_WORKER_IDLE_SECONDS"] = "1"
    print(described(), f"load average {os.getloadavg()[0]:.0f}", flush=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as room:
        os.environ["EPSILON_RUNS_DIR"] = room
        measured(int(sys.argv[1]) if len(sys.argv) > 1 else 64)
    print(f"load average {os.getloadavg()[0]:.0f}")
