"""What of a cluster needs no Ray: how cells are dealt out, what is refused, and what comes of what was lost.

On a real cluster of two nodes: `python -m tests.benchmarks.ray_cluster`.
"""

from __future__ import annotations

import socket
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from ldp_core.errors import StudioError
from ldp_core.experiment import parse
from ldp_core.runs import cluster
from ldp_core.runs.cluster import _batch, _trained, batches, knock, refuse_others
from ldp_core.runs.train_all import train_all

SHORT = {"attack": None, "rounds": 1, "clients": {"count": 5}}


class Lost(Exception):
    """In place of Ray's error for what was lost."""


class OneByOne:
    """In place of Ray: does what it is asked for when it is asked what came of it; some of it is lost."""

    exceptions = SimpleNamespace(RayError=Lost)

    def __init__(self, lost: int = -1) -> None:
        self.lost, self.tasks, self.cancelled = lost, list[Any](), list[int]()

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 1.0}

    def remote(self, **options: Any) -> Any:
        assert options == {"num_cpus": 1, "max_retries": 1}, "what is lost is done once more, and not twice"

        def made(function: Any) -> Any:
            def remote(wanted: Any) -> int:
                self.tasks.append((function, wanted))
                return len(self.tasks) - 1

            return SimpleNamespace(remote=remote)

        return made

    def wait(self, waiting: list[int], num_returns: int) -> tuple[list[int], list[int]]:
        return waiting[:num_returns], waiting[num_returns:]

    def get(self, number: int) -> Any:
        if number == self.lost:
            raise Lost
        function, wanted = self.tasks[number]
        return function(wanted)

    def cancel(self, number: int, force: bool) -> None:
        assert force
        self.cancelled.append(number)


def test_cells_are_dealt_out_in_batches_that_are_worth_training_together():
    small = [parse({"seed": seed}) for seed in range(40)]
    dealt = batches(small, 2)
    assert sorted(place for batch in dealt for place in batch) == list(range(40))
    assert [len(batch) for batch in dealt] == [5] * 8
    assert max(map(len, batches(small, 1)[:2])) == 10
    large = [parse({"clients": {"count": 400}, "seed": seed}) for seed in range(3)]
    assert batches(large, 1) == [[0], [1], [2]], "each fills a product by itself"
    assert batches([], 4) == []


def test_what_comes_back_is_what_the_same_cells_come_to_here():
    """Each of these fills a product by itself, so that nothing was folded: to the last bit."""
    alone = [parse(SHORT | {"clients": {"count": 400}, "seed": seed}) for seed in range(2)]
    here = {place: one.weights_sha256 for place, one in train_all(alone)}
    there = {place: one.weights_sha256 for place, one in _trained(OneByOne(), alone)}
    assert there == here and None not in here.values()


def test_what_was_lost_twice_is_told_and_the_rest_goes_on():
    wanted = [parse(SHORT | {"seed": seed}) for seed in range(8)]
    found = dict(_trained(OneByOne(lost=1), wanted))
    assert sorted(found) == list(range(8))
    assert [i for i, one in found.items() if one.status == "failed"] == batches(wanted, 1)[1]
    assert found[2].message == "lost twice on the cluster (Lost)"


def test_whoever_stops_ends_what_is_under_way_there():
    ray = OneByOne()
    run: Any = _trained(ray, [parse(SHORT | {"seed": seed}) for seed in range(8)])
    next(run)
    run.close()
    assert ray.cancelled == [1, 2, 3]


def test_what_goes_wrong_there_is_said_here(monkeypatch: pytest.MonkeyPatch):
    def no_data(*_: Any) -> Any:
        raise StudioError("mnist is not on this machine")

    monkeypatch.setattr(cluster, "train_here", no_data)
    assert _batch([parse(SHORT).as_json()]) == ([], "mnist is not on this machine")
    with pytest.raises(StudioError, match="on the cluster: mnist is not on this machine"):
        list(_trained(OneByOne(), [parse(SHORT)]))


@pytest.mark.parametrize("address", ["auto", "here:", ":6379", "10.0.0.5:99999", "10.0.0.5:ray"])
def test_what_is_no_address_is_refused(address: str):
    with pytest.raises(StudioError, match="must be HOST:PORT, as `ray start` prints it"):
        knock(address)


def test_where_nobody_answers_is_refused():
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        where = f"127.0.0.1:{door.getsockname()[1]}"
        with pytest.raises(StudioError, match="no cluster answers at"):
            knock(where)
        door.listen()
        knock(where)


def test_machines_with_other_packages_are_refused_by_name():
    own = {"Python": "3.11.7", "torch": "2.13.0", "llvmlite": "none"}
    refuse_others(own, {"10.0.0.5:1": dict(own)})
    other = {"10.0.0.5:1": dict(own), "10.0.0.6:1": own | {"torch": "2.12.0", "llvmlite": "0.50.0"}}
    with pytest.raises(StudioError) as caught:
        refuse_others(own, other)
    assert "the machine 10.0.0.6:1 of the cluster would give other bits" in str(caught.value)
    assert "torch 2.12.0 (here 2.13.0), llvmlite 0.50.0 (here none)" in str(caught.value)


def test_without_ray_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(cluster.ADDRESS, "127.0.0.1:1")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(StudioError, match="Ray is not installed here: pip install -r"):
        list(cluster.train_all([parse(SHORT)]))
    monkeypatch.setenv(cluster.ADDRESS, " ")
    assert [place for place, _ in cluster.train_all([parse(SHORT)])] == [0]
