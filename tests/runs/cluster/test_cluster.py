"""What of a cluster needs no Ray: what comes of what is sent there, and of what is lost."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from types import SimpleNamespace
from typing import Any

import pytest

from ldp_core import many
from ldp_core.errors import StudioError
from ldp_core.experiment import parse
from ldp_core.runs.batch import Figures
from ldp_core.runs.cluster import connection
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


def test_of_what_is_lost_only_the_rest_is_begun_once_more(cells: Any):
    ray = RayInPlace(None, 2)  # a round, and what one came to
    found = [place for place, one in cells(ray) if one.status == "completed"]
    assert sorted(found) == list(range(8))
    first, second, *_, again = ray.begun
    assert (first, second, again, len(ray.begun)) == ([0, 1], [2, 3], [3], 5)


def test_what_was_lost_twice_is_told_and_the_rest_goes_on(cells: Any):
    ray = RayInPlace(None, 0, None, None, 0)
    found = dict(cells(ray))
    assert sorted(found) == list(range(8))
    assert [i for i, one in found.items() if one.status == "failed"] == ray.begun[1] == ray.begun[4]
    assert found[2].message == "lost twice on the cluster (Lost)"


def test_whoever_stops_ends_what_is_under_way_there(cells: Any):
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
def test_what_goes_wrong_there_is_said_here(
    cells: Any, error: Exception, said: str, monkeypatch: pytest.MonkeyPatch
):
    def fails(*_: Any, **__: Any) -> Any:
        raise error

    monkeypatch.setattr(many, "run_many", fails)
    with pytest.raises(StudioError, match=said):
        list(cells(RayInPlace()))
