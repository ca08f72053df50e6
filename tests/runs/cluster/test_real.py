"""A real cluster of two nodes on this machine loses a process and a node, and nothing that it was given."""

import logging
from collections.abc import Iterator
from importlib.util import find_spec

import psutil
import pytest

from ldp_core.experiment import parse
from ldp_core.runs.cluster.connection import ADDRESS, TOKEN
from ldp_core.runs.train_all import train_all
from tests.runs.cluster.nodes import SECRET, Cluster, Node
from tests.runs.processes import wait_for

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
