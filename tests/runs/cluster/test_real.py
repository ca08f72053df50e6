"""A real cluster of two nodes on this machine loses a process and a node, and nothing that it was given."""

import logging
import time
from collections.abc import Iterator
from importlib.util import find_spec

import psutil
import pytest

from ldp_core.experiment import parse
from ldp_core.runs.cluster.connection import ADDRESS, TOKEN
from ldp_core.runs.train_all import train_all
from tests.runs.cluster.nodes import PATIENCE_SECONDS, SECRET, Cluster, Node

# looked for and not imported: Ray must find its token in the environment then
WITHOUT = "Ray is not installed: pip install -r tests/requirements-ray.txt" * (find_spec("ray") is None)
pytestmark = [pytest.mark.alone, pytest.mark.skipif(bool(WITHOUT), reason=WITHOUT)]
CELLS = [parse({"attack": None, "rounds": 60 if seed % 2 else 4, "seed": seed}) for seed in range(10)]
"""By twos they go to a process, which has far to go when the even one has ended."""


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    made = Cluster(2)
    monkeypatch.setenv(ADDRESS, made.address)
    monkeypatch.setenv(TOKEN, SECRET)
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN"):  # which connecting sets
        monkeypatch.setenv(name, "")
    yield made
    import ray

    ray.shutdown()
    made.end()


def at_work(node: Node) -> psutil.Process:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (found := node.trains()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    found[0].suspend()
    return found[0]


def test_what_is_lost_on_a_real_cluster_is_done_once_more_to_the_same_bits(
    cluster: Cluster, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    caplog.set_level(logging.WARNING)
    whole, head, found = [*cluster.nodes], cluster.nodes[0], {}
    for place, figures in train_all(CELLS):
        assert place not in found, "no cell comes twice"
        found[place] = figures.weights_sha256
        if place % 2 == 0 and whole:
            node = whole.pop(0)
            at_work(node).kill()
            if node is not head:
                node.lose()
    monkeypatch.delenv(ADDRESS)
    assert found == {place: figures.weights_sha256 for place, figures in train_all(CELLS)}
    # how many of its two cells had come by then, and which loss is heard of first, is for the machine to say:
    # of a process that dies right before its node only the node's end may be logged
    logged = {one.message.rpartition(":")[0] for one in caplog.records if "once more" in one.message}
    assert logged and logged <= {
        "lost on the cluster (WorkerCrashedError), begun once more",
        "lost on the cluster (NodeDiedError), begun once more",
    }
