"""What of a cluster needs no Ray: what comes of what is sent there, and of what is lost."""

from collections.abc import Iterator
from typing import Any

import pytest

from ldp_core import many
from ldp_core.errors import StudioError
from ldp_core.experiment import Experiment, parse
from ldp_core.runs.batch import Figures
from ldp_core.runs.cluster import connection
from ldp_core.runs.train_all import train_all
from tests.runs.cluster.ray_in_place import RayInPlace

SHORT = {"attack": None, "rounds": 1, "clients": {"count": 5}}
EIGHT = [parse(SHORT | {"seed": seed}) for seed in range(8)]


@pytest.fixture
def cells(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Train experiments where this Ray says."""

    def trained(ray: RayInPlace, experiments: list[Experiment]) -> Iterator[tuple[int, Figures]]:
        monkeypatch.setenv(connection.ADDRESS, "10.0.0.5:6379")
        monkeypatch.setattr(connection, "connected", lambda address: ray)
        return train_all(experiments)

    return trained


def test_of_what_is_lost_only_the_rest_is_begun_once_more(cells: Any):
    ray = RayInPlace(None, 2)  # a round, and what one came to
    found = [place for place, one in cells(ray, EIGHT) if one.status == "completed"]
    assert sorted(found) == list(range(8))
    first, second, *_, again = ray.begun
    assert (first, second, again, len(ray.begun)) == ([0, 1], [2, 3], [3], 5)


def test_what_was_lost_twice_is_told_and_the_rest_goes_on(cells: Any):
    ray = RayInPlace(None, 0, None, None, 0)
    found = dict(cells(ray, EIGHT))
    assert sorted(found) == list(range(8))
    assert [i for i, one in found.items() if one.status == "failed"] == ray.begun[1] == ray.begun[4]
    assert found[2].message == "lost twice on the cluster (Lost)"


def test_whoever_stops_ends_what_is_under_way_there(cells: Any):
    ray = RayInPlace()
    run = cells(ray, EIGHT)
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
def test_what_goes_wrong_there_is_said_here(
    cells: Any, error: Exception, said: str, monkeypatch: pytest.MonkeyPatch
):
    def fails(*_: Any, **__: Any) -> Any:
        raise error

    monkeypatch.setattr(many, "run_many", fails)
    with pytest.raises(StudioError, match=said):
        list(cells(RayInPlace(), EIGHT))
