"""What of a cluster needs no Ray: what comes of what is sent there, and of what is lost; what is refused at
its door, in a sentence.
"""

import socket
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from types import SimpleNamespace
from typing import Any

import pytest

from ldp_core import many, mechanisms
from ldp_core.errors import StudioError
from ldp_core.experiment import parse
from ldp_core.runs.batch import Figures
from ldp_core.runs.cluster import connection
from ldp_core.runs.cluster.connection import ADDRESS, TOKEN, knock, own, refuse_open, refuse_others
from ldp_core.runs.train_all import train_all

EIGHT = [parse({"attack": None, "rounds": 1, "clients": {"count": 5}, "seed": seed}) for seed in range(8)]


class Lost(Exception):
    """A process or its machine."""


class Broken(Lost):
    """The program itself."""

    def __init__(self, cause: Exception) -> None:
        self.cause = cause


class RayInPlace:
    """In place of Ray: one batch after another. In the order in which they begin, processes are lost after
    they have said so much; those after them are not.
    """

    exceptions = SimpleNamespace(RayError=Lost, RayTaskError=Broken)

    def __init__(self, *losses: int | None) -> None:
        self._losses = [*losses]
        self.begun, self.cancelled = list[list[int]](), 0

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 2.0}

    def remote(self, **options: Any) -> Any:
        assert options["max_retries"] == 0, "or it would be begun from its beginning"
        return lambda function: SimpleNamespace(remote=partial(self._begin, function))

    def _begin(self, function: Any, left: Mapping[int, Any]) -> Iterator[Any]:
        self.begun.append([*left])
        return self._process(function, left, self._losses.pop(0) if self._losses else None)

    def _process(self, function: Any, left: Mapping[int, Any], most: int | None) -> Iterator[Any]:
        try:
            for said in islice((one for parcel in function(left) for one in parcel), most):
                yield [said]
        except Exception as error:
            yield Broken(error)
        if most is not None:
            yield Lost()

    def wait(self, waiting: list[Any], num_returns: int, timeout: float) -> tuple[list[Any], list[Any]]:
        return waiting[:num_returns], waiting[num_returns:]

    def get(self, said: Any) -> Any:
        if isinstance(said, Exception):
            raise said
        return said

    def cancel(self, process: Any, force: bool) -> None:
        assert force
        self.cancelled += 1


@pytest.fixture
def cells(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Train eight experiments where this Ray says."""

    def trained(ray: RayInPlace) -> Iterator[tuple[int, Figures]]:
        monkeypatch.setenv(connection.ADDRESS, "10.0.0.5:6379")
        monkeypatch.setattr(connection, "connected", lambda address: ray)
        return train_all(EIGHT)

    return trained


def test_lost_batch_restarts_unfinished_cells_only(cells: Any):
    ray = RayInPlace(None, 2)  # a round, and what one came to
    found = [place for place, one in cells(ray) if one.status == "completed"]
    assert sorted(found) == list(range(8))
    first, second, *_, again = ray.begun
    assert (first, second, again, len(ray.begun)) == ([0, 1], [2, 3], [3], 5)


def test_cell_lost_twice_fails_and_others_continue(cells: Any):
    ray = RayInPlace(None, 0, None, None, 0)
    found = dict(cells(ray))
    assert sorted(found) == list(range(8))
    assert [i for i, one in found.items() if one.status == "failed"] == ray.begun[1] == ray.begun[4]
    assert found[2].message == "lost twice on the cluster (Lost)"


def test_stopped_sweep_cancels_remote_batches(cells: Any):
    ray = RayInPlace()
    run = cells(ray)
    next(run)
    run.close()
    assert ray.cancelled == 4


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (StudioError("mnist is not on this machine"), "on the cluster: mnist is not on this machine"),
        (KeyError("x"), "an error in the program, on the cluster: KeyError"),
    ],
)
def test_remote_error_is_raised_locally(
    cells: Any, error: Exception, said: str, monkeypatch: pytest.MonkeyPatch
):
    def fails(*_: Any, **__: Any) -> Any:
        raise error

    monkeypatch.setattr(many, "run_many", fails)
    with pytest.raises(StudioError, match=said):
        list(cells(RayInPlace()))


SHORT = parse({"attack": None, "rounds": 1, "clients": {"count": 5}})


@pytest.mark.parametrize("address", ["auto", "here:", ":6379", "10.0.0.5:99999", "10.0.0.5:ray"])
def test_invalid_cluster_address_is_refused(address: str):
    with pytest.raises(StudioError, match="must be HOST:PORT, as `ray start` prints it"):
        knock(address)


OWN = ("127.0.0.1", "10.0.0.5", "192.168.7.7", "172.16.0.1", "[::1]", "[fd00::1]")
OPEN = ("8.8.8.8", "172.32.0.1", "[2606:4700::1]", "[::ffff:8.8.8.8]", "100.64.0.1")


@pytest.mark.parametrize("host", OWN + OPEN)
def test_a_cluster_on_an_open_network_needs_a_token(host: str, monkeypatch: pytest.MonkeyPatch):
    for name in (TOKEN, "RAY_AUTH_MODE", "RAY_USE_TLS"):
        monkeypatch.delenv(name, raising=False)
    address = f"{host}:6379"
    if host in OWN:
        refuse_open(address)
        return
    monkeypatch.setenv(ADDRESS, address)
    words = f"is on no private network .* set {TOKEN} to it, or reach it by a private address"
    with pytest.raises(StudioError, match=words):
        list(train_all([SHORT]))
    monkeypatch.setenv(TOKEN, "a secret")
    refuse_open(address)


def test_unreachable_cluster_is_refused():
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        with pytest.raises(StudioError, match="no cluster answers at"):
            knock(f"127.0.0.1:{door.getsockname()[1]}")


def test_machines_with_other_packages_are_refused_by_name():
    mine = {"Python": "3.11.7", "torch": "2.13.0", "llvmlite": "none"}
    refuse_others(mine, {"10.0.0.5:1": dict(mine)})
    other = {"10.0.0.5:1": dict(mine), "10.0.0.6:1": mine | {"torch": "2.12.0", "llvmlite": "0.50.0"}}
    words = r"machine 10.0.0.6:1 .* would give other bits.*torch 2.12.0 \(here 2.13.0\), llvmlite 0.50.0 \(h"
    with pytest.raises(StudioError, match=words):
        refuse_others(mine, other)


def test_other_plugin_version_on_a_node_is_refused(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(mechanisms.registry.kind("duchi"), "plugin", "two-points 1.0 0123")
    assert own()["the part duchi"] == "two-points 1.0 0123"
    mine = {"torch": "2.13.0", "the part duchi": "two-points 1.0 0123"}
    refuse_others(mine, {"10.0.0.5:1": {"torch": "2.13.0"}})
    with pytest.raises(StudioError, match=r"it has the part duchi two-points 0\.9 4567 \(here two"):
        refuse_others(mine, {"10.0.0.5:1": mine | {"the part duchi": "two-points 0.9 4567"}})


def test_missing_ray_names_the_installation(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(ADDRESS, "127.0.0.1:1")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(StudioError, match="Ray is not installed here: pip install -r"):
        list(train_all([SHORT]))
    monkeypatch.setenv(ADDRESS, " ")
    assert [place for place, _ in train_all([SHORT])] == [0]
