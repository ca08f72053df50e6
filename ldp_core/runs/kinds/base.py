"""What every kind of job can do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from ldp_core.component import Component
from ldp_core.cost.estimate import Cost
from ldp_core.errors import StorageFailed, StudioError
from ldp_core.events.order import Order
from ldp_core.experiment import Run
from ldp_core.runs.queue.job import Job
from ldp_core.runs.queue.states import Status
from ldp_core.runs.record.store import Stored

Rows = Sequence[Mapping[str, Any]]
Request = Mapping[str, Any]
"""What the queue holds: JSON values."""
UNREADABLE = (StudioError, LookupError, TypeError, ValueError, OverflowError)
"""What a request or a record raises that is damaged, or of another version of the program."""


@dataclass(frozen=True)
class Outcome:
    """How a job has ended, or why it goes back to the queue."""

    status: Status = "completed"
    message: str = ""
    waits_for: str | None = None
    """The job that is to end first, if it goes back to the queue."""


class Reached(NamedTuple):
    """How far a job is."""

    done: int
    in_all: int
    """0 where that cannot be told."""
    words: str
    """“round 3 of 15”."""


class Words(NamedTuple):
    """What a job is, in words; empty where its request cannot be read any more."""

    name: str
    size: str = ""
    """What is done, and how much of it."""
    compared: str = ""
    asked: str = ""


class Kind(Component):
    """A kind of job. What it is asked for has a type of its own, here called `asked`."""

    smallest: ClassVar[Mapping[str, Any]]
    """A file of this kind that takes a second: what the contract tests submit."""
    shared: ClassVar[bool] = False
    """Whether what one job of this kind has found is shown to others that ask for the same."""

    @abstractmethod
    def read(self, data: Any, changes: Mapping[str, Any]) -> Any:
        """What a JSON file asks for, with some of its fields set by dotted names.

        Raises:
            InvalidExperiment: with all problems, each at its field.
        """

    @abstractmethod
    def request(self, asked: Any) -> dict[str, Any]:
        """What the queue is to hold."""

    @abstractmethod
    def parse(self, request: Request) -> Any:
        """What a stored request asks for; one of any version before is understood.

        Raises:
            StudioError: nothing that this version can do.
        """

    @abstractmethod
    def base(self, request: Request) -> Mapping[str, Any]:
        """The experiment that it starts from, as JSON: so that a request that only another version of the
        program can do still has a name.

        Raises:
            LookupError, TypeError: it cannot be read any more.
        """

    @abstractmethod
    def cost(self, asked: Any) -> Cost:
        """What it takes, before it is launched."""

    @abstractmethod
    def refuse_what_cannot_fit(self, asked: Any) -> None:
        """Do nothing for what fits.

        Raises:
            InvalidExperiment: with the numbers that say why it cannot.
        """

    @abstractmethod
    def recorded(self, asked: Any) -> Iterable[Run]:
        """What stands in its record's table of runs, each made as it is asked for; of what trains none to be
        looked at, one that says what it begins from.
        """

    @abstractmethod
    def telling(self, asked: Any, runs: Sequence[Run]) -> Order:
        """What a record of these runs may tell, and after what: a file from outside is held against it."""

    def figures(self, folder: Path) -> list[dict[str, Any]]:
        """What the list of runs says of its record (`Job.noted`).

        Raises:
            StorageFailed: it cannot be read.
        """
        return []

    @abstractmethod
    def run(self, asked: Any, folder: Path) -> Outcome:
        """Do it, or what is left of it, in this process; what comes of it is stored in the job's folder.

        Whatever is stored may be cut off at any moment, and is taken up by the same call.

        Raises:
            StudioError: it cannot be done, in a sentence.
        """

    @abstractmethod
    def status(self, job: Job, runs: Rows, events: Sequence[Stored]) -> dict[str, Any]:
        """What `status --json` says of it besides what all kinds say.

        Args:
            job: as the queue has it; its request may be of any version, or unreadable.
            runs: as its record lists them.
            events: all that is stored of it. Both are empty where its record cannot be read.
        """

    @abstractmethod
    def progress(self, job: Job) -> Reached:
        """How far it is.

        Raises:
            StorageFailed: its record cannot be read.
        """

    @abstractmethod
    def seconds_left(self, job: Job) -> float | None:
        """How long it still takes, by its own pace; None before it has one.

        Raises:
            StorageFailed: its record cannot be read.
        """

    @abstractmethod
    def describe(self, asked: Any) -> Words:
        """What it is, for the list of jobs."""

    def complete(self, identity: str) -> bool:
        """Complete a queued job here and now if all that it asks for is known: it needs no process then."""
        return False

    def estimate(self, request: Request) -> Cost | None:
        """What a stored request takes; None if that cannot be told."""
        try:
            return self.cost(self.parse(request))
        except UNREADABLE:
            return None


def readable(request: Request, part: str) -> Any:
    """A part of a stored request.

    Raises:
        StorageFailed: it is not there any more.
    """
    if not request.get(part):
        raise StorageFailed("what it was asked to do cannot be read any more; launch it again")
    return request[part]
