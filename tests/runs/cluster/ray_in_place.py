"""In place of Ray, for tests of what is done with what it says: one batch after another, some of it lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any


class Lost(Exception):
    """A process or its machine."""


class Broken(Lost):
    """The program itself."""

    def __init__(self, cause: Exception) -> None:
        self.cause = cause


class Process:
    """What one process of the cluster does; it is lost once it has said so much."""

    def __init__(self, said: Iterator[Sequence[Any]], lost_after: int | None) -> None:
        self._said, self._lost_after = (one for parcel in said for one in parcel), lost_after

    def __next__(self) -> Any:
        if self._lost_after == 0:
            return Lost()
        try:
            one = next(self._said)
            if self._lost_after is not None:
                self._lost_after -= 1
            return [one]
        except StopIteration:
            raise
        except Exception as error:
            return Broken(error)


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

        def made(function: Any) -> Any:
            def remote(left: Mapping[int, Any]) -> Process:
                self.begun.append([*left])
                return Process(function(left), self._losses.pop(0) if self._losses else None)

            return SimpleNamespace(remote=remote)

        return made

    def wait(self, waiting: list[Process], num_returns: int, timeout: float) -> tuple[list[Any], list[Any]]:
        return waiting[:num_returns], waiting[num_returns:]

    def get(self, said: Any) -> Any:
        if isinstance(said, Exception):
            raise said
        return said

    def cancel(self, process: Process, force: bool) -> None:
        assert force
        self.cancelled += 1
