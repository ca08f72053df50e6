"""In place of Ray, for tests of what is done with what it says: one batch after another, some of it lost."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from types import SimpleNamespace
from typing import Any


class Lost(Exception):
    """A process or its machine."""


class Broken(Lost):
    """The program itself."""

    def __init__(self, cause: Exception) -> None:
        self.cause = cause


def process(parcels: Iterator[Sequence[Any]], most: int | None) -> Iterator[Any]:
    """What one process of the cluster says; it is lost once it has said so much."""
    said = (one for parcel in parcels for one in parcel)
    try:
        yield from ([one] for one in islice(said, most))
    except Exception as error:
        yield Broken(error)
    if most is not None:
        yield Lost()


class RayInPlace:
    """Args:
    losses: how much each process says before it is lost, in the order in which they begin; those after them
        are not.
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
        return process(function(left), self._losses.pop(0) if self._losses else None)

    def wait(self, waiting: list[Any], num_returns: int, timeout: float) -> tuple[list[Any], list[Any]]:
        return waiting[:num_returns], waiting[num_returns:]

    def get(self, said: Any) -> Any:
        if isinstance(said, Exception):
            raise said
        return said

    def cancel(self, process: Any, force: bool) -> None:
        assert force
        self.cancelled += 1
