"""A real cluster of two nodes on this machine, each a session of processes that `ray start` has begun, loses
a process and a node, and nothing that it was given.
"""

import json
import logging
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from ldp_core.experiment import parse
from ldp_core.runs.cluster.connection import ADDRESS, TOKEN
from ldp_core.runs.train_all import train_all
from tests.runs.processes import wait_for

SECRET = "0123456789abcdef" * 4
SMALL = ["--num-cpus", "1", "--object-store-memory", "100000000", "--include-log-monitor", "false", "--block"]
CHECKS = {
    "health_check_period_ms": 1000,
    "health_check_timeout_ms": 1000,
    "health_check_failure_threshold": 3,
}
"""So that a node that is lost is missed within seconds; by itself Ray waits for half a minute."""
HEAD = ["--head", "--no-monitor", "--include-dashboard", "false", "--disable-usage-stats"]
HEAD += ["--system-config", json.dumps(CHECKS)]
QUIET = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": SECRET, "RAY_prestart_worker_first_driver": "0"}


class Node:
    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", *arguments, *SMALL]
        self._output = tempfile.NamedTemporaryFile("w+")  # noqa: SIM115 (it goes with the node)
        self._process = subprocess.Popen(
            command, env=os.environ | QUIET, stdout=self._output, stderr=self._output, start_new_session=True
        )

    def is_up(self) -> bool:
        recorded = Path(self._output.name).read_text()
        assert self._process.poll() is None, recorded
        return "Ray runtime started" in recorded

    def trains(self) -> list[psutil.Process]:
        found = []
        for one in self._processes():
            with suppress(psutil.Error):  # it may end at any moment
                if "".join(one.cmdline()).startswith("ray::far_parcels"):
                    found.append(one)
        return found

    def cpu_seconds(self) -> float:
        """That all its processes have used which are there."""
        used = 0.0
        for one in self._processes():
            with suppress(psutil.Error):
                used += sum(one.cpu_times()[:2])
        return used

    def lose(self) -> None:
        """End it like a machine that has lost its power."""
        every = self._processes()
        for one in every:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        psutil.wait_procs(every)
        self._process.wait()
        self._output.close()

    def _processes(self) -> list[psutil.Process]:
        found = []
        for pid in psutil.pids():
            with suppress(OSError, psutil.NoSuchProcess):
                if os.getsid(pid) == self._process.pid:
                    found.append(psutil.Process(pid))
        return found


class Cluster:
    def __init__(self, nodes: int) -> None:
        with socket.socket() as door:
            door.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{door.getsockname()[1]}"
        self._room = Path(tempfile.mkdtemp(prefix="ray"))  # its sockets would not bear a longer name
        port = self.address.partition(":")[2]
        self.nodes = [Node(*HEAD, "--port", port, "--temp-dir", str(self._room))]
        try:
            wait_for(self.nodes[0].is_up)
            for _ in range(nodes - 1):
                self.add()
        except BaseException:
            self.end()
            raise

    def add(self) -> None:
        self.nodes.append(Node("--address", self.address))
        wait_for(self.nodes[-1].is_up)

    def cpu_seconds(self) -> list[float]:
        """Of the processors, that each node has used."""
        return [node.cpu_seconds() for node in self.nodes]

    def trains(self) -> list[psutil.Process]:
        return [one for node in self.nodes for one in node.trains()]

    def end(self) -> None:
        for node in self.nodes:
            node.lose()
        shutil.rmtree(self._room, ignore_errors=True)


# looked for and not imported: Ray must find its token in the environment then
WITHOUT = "Ray is not installed: pip install -r tests/requirements-ray.txt" * (find_spec("ray") is None)
pytestmark = [pytest.mark.alone, pytest.mark.skipif(bool(WITHOUT), reason=WITHOUT)]
CELLS = [parse({"attack": None, "rounds": rounds}) for rounds in (4, 1000, 1001)]
"""The first two are one batch, the third another: when the first has ended, both have far to go."""


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    made = Cluster(2)
    monkeypatch.setenv(ADDRESS, made.address)
    monkeypatch.setenv(TOKEN, SECRET)
    monkeypatch.setenv("RAY_AUTH_MODE", "")  # which connecting sets
    yield made
    import ray

    ray.shutdown()
    made.end()


def suspended_at_work(node: Node) -> psutil.Process:
    (found,) = wait_for(node.trains)
    found.suspend()
    return found


def test_lost_node_is_recomputed_to_the_same_bits(
    cluster: Cluster, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    caplog.set_level(logging.WARNING)
    found = dict[int, str | None]()
    for place, figures in train_all(CELLS):
        assert place not in found, "no cell comes twice"
        if not found:
            assert place == 0
            at_head, _ = map(suspended_at_work, cluster.nodes)
            at_head.kill()
            cluster.nodes[1].lose()
        found[place] = figures.weights_sha256
    monkeypatch.delenv(ADDRESS)
    assert found == {place: figures.weights_sha256 for place, figures in train_all(CELLS)}
    said = [one.message for one in caplog.records if "once more" in one.message]
    lost = {
        f"lost on the cluster ({why}Error), begun once more: 1 left" for why in ("NodeDied", "WorkerCrashed")
    }
    assert said and lost.issuperset(said), "a killed worker's cell may have been done by then"
