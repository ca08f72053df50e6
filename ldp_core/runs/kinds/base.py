"""Base class of the kinds of job."""

import json
import logging
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from typing import Any, ClassVar, NamedTuple

from ldp_core.behaviour import version_for
from ldp_core.component import Component
from ldp_core.cost.estimate import Cost, refuse_what_cannot_fit
from ldp_core.datasets import Report, quiet
from ldp_core.errors import StorageFailed, StudioError
from ldp_core.events import Event
from ldp_core.experiment import Draft, Experiment, Run, amended
from ldp_core.runs import queue
from ldp_core.runs.queue.job import ASIDE, Job, Status
from ldp_core.runs.record import computations
from ldp_core.runs.record.checkpoints import Recorder, leave_out_what_is_not_its_own
from ldp_core.runs.record.computations import Computation, StoredEnd, key_of
from ldp_core.runs.record.events import StoredEvent
from ldp_core.system.preemption import Preempted

Request = Mapping[str, Any]
"""JSON values of a request, as stored in the queue."""
UNREADABLE = (StudioError, LookupError, TypeError, ValueError, OverflowError)
"""Exceptions that a damaged request or record, or one of another program version, may raise."""


class JobEnd(NamedTuple):
    """Status that a job ended with, or `queued` if it returns to the queue, and a message."""

    status: Status = "completed"
    message: str = ""


class Words(NamedTuple):
    """A job in words, for lists; empty if its request cannot be read."""

    name: str
    size: str = ""
    """What the job does, and how much of it."""
    compared: str = ""
    asked: str = ""


class Kind(Component):
    """A kind of job. `asked` stands for a parsed request, of a type of the kind's own."""

    smallest: ClassVar[Mapping[str, Any]]
    """A request that takes about a second, for contract tests."""
    part: ClassVar[str]
    """Key of the request's main part in stored JSON."""
    events: ClassVar[tuple[type[Event], ...]]
    """Possible events of a record, by which a copied one is checked."""
    listed: ClassVar[bool] = True
    """Whether its jobs stand in lists; those that a page launches by itself do not."""
    fresh: ClassVar[bool] = False
    """Whether each job computes its request anew, even if results are stored."""

    @abstractmethod
    def read(self, data: Any, changes: Mapping[str, Any]) -> Any:
        """Request parsed from JSON, some fields set by dotted names; InvalidExperiment names wrong ones."""

    def request(self, asked: Any) -> dict[str, Any]:
        return {self.part: asked.as_json()}

    def parse(self, request: Request) -> Any:
        """Request parsed from its stored form; StudioError if this program cannot compute it."""
        return self.read(self.stored(request), {})

    def stored(self, request: Request) -> Any:
        """JSON values of a stored request; StorageFailed if they are gone."""
        if not request.get(self.part):
            raise StorageFailed("what it was asked to do cannot be read any more; launch it again")
        return request[self.part]

    def base(self, request: Request) -> Mapping[str, Any]:
        """Base experiment of a stored request as JSON; LookupError or TypeError if there is none."""
        base: Mapping[str, Any] = request[self.part]["base"]
        return base

    @abstractmethod
    def cost(self, asked: Any) -> Cost:
        """Estimated cost before the launch."""

    @abstractmethod
    def drafts(self, asked: Any) -> Sequence[Draft]:
        """What a request trains at once, of which each must fit."""

    def refuse_what_cannot_fit(self, asked: Any) -> None:
        """Raise InvalidExperiment for a request that exceeds the memory or the disk of this machine."""
        for draft in self.drafts(asked):
            refuse_what_cannot_fit(draft)

    def computations(self, asked: Any, job: str, room: str = "") -> list[Computation]:
        """Computations of a job; those of equal keys are done once for all jobs of the same room."""
        what = json.dumps(self.request(asked))
        key = key_of(self.name, what, version_for(what), job if self.fresh else "", room)
        return [Computation(key, self.name, what)]

    def run(self, job: Job, report: Report = quiet) -> JobEnd:
        """Compute what is left of a job, in this process, or raise StudioError. A killed call is continued by
        the same call; the outcome is `queued` while other processes compute all that is left, or if this
        process was asked to make room for others.
        """
        asked = self.parse(job.request)
        every = self.computations(asked, job.id, job.room)
        keys = [one.key for one in every]
        if (*keys,) != job.keys:  # another version of the program has launched it
            queue.update(job.id, keys=keys)
        try:
            while left := computations.left(keys):
                with ExitStack() as stack:
                    mine = dict[int, Computation]()
                    for key in left:
                        if (held := computations.hold(key, beats=not mine)) is not None:
                            stack.callback(held.close, remove=True)
                            mine[keys.index(key)] = every[keys.index(key)]
                    if not mine:
                        return JobEnd("queued")
                    leave_out_what_is_not_its_own(mine.values(), self.events)
                    computations.note_begun(mine.values())
                    recorders = dict[int, Recorder]()
                    for number, one in mine.items():
                        recorder = stack.enter_context(closing(Recorder(one, len(mine))))
                        if not recorder.has_ended():
                            recorders[number] = recorder
                    if recorders:
                        self.compute(asked, recorders, job.room, report)
        except Preempted:
            return JobEnd("queued", ASIDE)
        finally:  # of what was stopped, too
            with suppress(StudioError):
                note_figures(self, queue.get(job.id))
        ended = computations.ended(keys)
        return self.outcome([ended[key] for key in keys])

    @abstractmethod
    def compute(self, asked: Any, recorders: Mapping[int, Recorder], room: str, report: Report) -> None:
        """Compute what has a recorder, by its number among the job's, and note each end there. Where all that
        was computed is recorded, at least every few seconds, room is made if asked for (`preemption`).
        """

    def outcome(self, ended: Sequence[StoredEnd]) -> JobEnd:
        """Outcome of a job from the ends of its computations, in the request's order."""
        status, message = counted([one.status for one in ended], len(ended), "run")
        if len(ended) > 1 and status == "completed":
            return JobEnd("completed", message)
        status = ended[0].status if ended[0].status in ("completed", "diverged") else "failed"  # type: ignore[assignment]
        return JobEnd(status, str(ended[0].figures.get("message", "")))

    def recorded(self, asked: Any) -> Iterable[Run]:
        """Runs that an export describes, one a computation; by default the base experiment alone."""
        return [Run(0, self.part, asked.base)]

    def figures(self, job: Job) -> list[dict[str, Any]]:
        """Final figures for the list of runs (`Job.noted`)."""
        return []

    def cells(self, asked: Any) -> int:
        """Number of cells of a request; 0 for a kind without cells."""
        return 0

    def status(self, job: Job, events: Sequence[StoredEvent]) -> dict[str, Any]:
        """Fields of `status --json` of this kind; there are no `events` if they cannot be read."""
        try:
            every = self.cells(self.parse(job.request))
        except UNREADABLE:
            every = 0
        return {"cells": sum(one.body["event"] == "cell" for one in events), "cells_in_all": every}

    @abstractmethod
    def describe(self, asked: Any) -> Words:
        """The request in words, for the list of jobs."""


def counted(statuses: Iterable[str], every: int, what: str) -> tuple[Status, str]:
    """Status and remark of a job whose ended parts have these `statuses`, out of `every` parts."""
    ended = list(statuses)
    diverged, failed = ended.count("diverged"), ended.count("failed")
    if len(ended) < every:
        return "cancelled", ""
    if diverged == every:
        return "diverged", f"diverged in every {what}"
    counts = [f"{n} of {every} {what}s {how}" for n, how in ((diverged, "diverged"), (failed, "failed")) if n]
    return "completed", ", ".join(counts)


def rebased(data: Any, changes: Mapping[str, Any]) -> Any:
    """JSON of a request with changes to its base experiment."""
    if not changes or not isinstance(data, Mapping):
        return data
    return {**data, "base": amended(data.get("base", {}), changes).as_json()}


def derived(base: Experiment) -> str:
    """Name of a job that changes its base experiment: `from “Two volunteers”`; "" if that has no name."""
    return f"from “{base.name}”" if base.name else ""


def note_figures(kind: Kind, job: Job) -> None:
    """Store a job's final figures for lists; nothing if its record is damaged."""
    try:
        queue.update(job.id, figures=kind.figures(job))
    except UNREADABLE:
        logging.exception("job %s has no figures for lists", job.id)
