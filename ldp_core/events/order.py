"""Validation of the order of imported events against the job's request."""

from abc import ABC, abstractmethod
from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, ClassVar

from ldp_core.events.base import Event, Status
from ldp_core.events.run import Attacked, Ended, Frame, RoundDone, Started, Target
from ldp_core.experiment import Experiment, departures

CONTROLS = (None, "clean", "clipped")
LOOKS = 100
"""Largest number of frames of one search."""


class Order(ABC):
    """State machine of one job's valid events."""

    kinds: ClassVar[tuple[type[Event], ...]]
    """Possible events."""

    @abstractmethod
    def take(self, run: int, event: Event) -> Event:
        """Validate the next event; fields that follow from the request are recomputed. Raises ValueError: the
        event is not valid at this point; LookupError: there is no such run.
        """

    @abstractmethod
    def became(self) -> tuple[Status, str]:
        """Status of a job with the events so far, and a remark; “cancelled” if it has not ended."""


def must(holds: bool) -> None:
    """Raise ValueError unless `holds`."""
    if not holds:
        raise ValueError("an event where none can be")


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


class Looks:
    """Frames of searches by what is searched; numbers of steps must increase."""

    def __init__(self) -> None:
        self._steps = dict[Any, list[int]]()

    def take(self, what: Any, steps: int) -> None:
        before = self._steps.setdefault(what, [])
        must(len(before) < LOOKS and before[-1:] < [steps])
        before.append(steps)

    def over(self) -> set[Any]:
        """Searches with frames since the last call."""
        found = set(self._steps)
        self._steps.clear()
        return found


class RunsOrder(Order):
    kinds = (Started, Target, RoundDone, Attacked, Frame, Ended)

    def __init__(self, experiments: Sequence[Experiment]) -> None:
        self._runs = [_Run(one) for one in experiments]

    def take(self, run: int, event: Event) -> Event:
        return self._runs[run].take(event)

    def became(self) -> tuple[Status, str]:
        ends = [one.end for one in self._runs if one.end]
        status, message = counted([end.status for end in ends], len(self._runs), "run")
        return status, ends[0].message if status == "diverged" else message


class _Run:
    def __init__(self, experiment: Experiment) -> None:
        self._experiment, self._count = experiment, experiment.clients.count
        self._start: Started | None = None
        self._targets = set[int]()
        self._round = self._attacked = 0
        self._tried = set[tuple[str, int, str | None]]()
        """Attacks since the last round: kind of upload, client and control."""
        self._looks = Looks()
        self.end: Ended | None = None

    def take(self, event: Event) -> Event:
        if self._start is None or isinstance(event, Started):
            must(self._start is None and isinstance(event, Started))
            self._start = event = self._begun(event)  # type: ignore[arg-type]
        must(self.end is None and _shapes(vars(event)) <= _shapes({"image": self._start.mean_image}))
        if isinstance(event, Target):
            must(len(self._targets) < self._start.targets and event.client not in self._targets)
            must(1 <= event.client <= self._count)
            self._targets.add(event.client)
        elif not isinstance(event, Started):
            must(len(self._targets) == self._start.targets)
            if isinstance(event, Frame | Attacked):
                # those that wait for the end of training are of its first round
                must(event.client in self._targets and event.round in (self._round + 1, 1))
            if isinstance(event, Frame):
                self._looks.take(event.client, event.iterations)
            elif isinstance(event, Attacked):
                self._try(event)
            elif isinstance(event, RoundDone):
                self._count_round(event)
            elif isinstance(event, Ended):
                self._finish(event)
        return event

    def _begun(self, event: Started) -> Started:
        must(event.key == self._experiment.key and event.targets <= self._count)
        must(len(event.accuracy_per_class) == self._experiment.source.classes)
        differences = [one.as_json() for one in departures(self._experiment)]
        return replace(event, experiment=self._experiment.as_json(), departures=differences)

    def _try(self, event: Attacked) -> None:
        one = event.upload, event.client, event.control
        must(one not in self._tried and event.round >= self._attacked + (not self._tried))
        self._tried.add(one)
        self._attacked = event.round

    def _all_tried(self) -> None:
        """Check that each attacked client was attacked under both controls as well."""
        kinds = {upload for upload, _, _ in self._tried}
        must(self._tried == set(product(kinds, self._targets, CONTROLS)))
        must(not self._looks.over() or bool(self._tried))
        self._tried.clear()

    def _count_round(self, event: RoundDone) -> None:
        self._all_tried()
        self._round += 1
        must(event.round == self._round <= self._experiment.rounds and event.participants <= self._count)
        must(len(event.accuracy_per_class) == self._experiment.source.classes)
        must(all(int(client) < self._count for client in event.spent))

    def _finish(self, event: Ended) -> None:
        self._all_tried()
        whole = event.status == "completed" and self._round == self._experiment.rounds
        must(event.round == self._round and (whole or event.status == "diverged"))
        ledger = event.ledger
        must((ledger["clients"] if isinstance(ledger, Mapping) else len(ledger)) == self._count)
        targets = self._targets or range(1, self._count + 1)
        must(all(one["client"] in targets for one in [*event.measured, *event.from_sum, *event.from_heap]))
        must(len(b64decode(event.right)) == (-(-event.held_out // 8) if event.right else 0))
        self.end = event


def _shapes(body: Mapping[str, Any]) -> set[tuple[int, ...]]:
    found = [
        body.get("image"),
        *(one[side] for one in body.get("pairs", ()) for side in ("image", "original")),
    ]
    return {tuple(one["shape"]) for one in found if one}
