"""Errors with messages for users: what was given, what is wrong, what to do, in one sentence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Self, TypeVar

from ldp_core.hints import hint as hint

T = TypeVar("T")


class StudioError(Exception):
    """Base class of errors that a user can correct; the text is for the user."""


class UnknownName(StudioError, KeyError):
    """A name that is in no registry."""

    def __init__(self, kind: str, given: object, known: Iterable[str], why: str = "") -> None:
        """`why`: reason why a plug-in of that name was left out."""
        self.known, what = sorted(known), f"got {shown(given)}{hint(given, sorted(known))}"
        self.wanted = f"must be {one_of(self.known)}; {why or what}"
        super().__init__(f"{kind} {self.wanted}")

    def __str__(self) -> str:  # KeyError would show the quoted repr
        return str(self.args[0])


def named(kind: str, name: Any, known: Mapping[str, T], why: str = "") -> T:
    """The entry of this name; raises UnknownName."""
    if not isinstance(name, str) or name not in known:
        raise UnknownName(kind, name, known, why)
    return known[name]


class InvalidInput(StudioError, ValueError):
    """A value that a mechanism, an aggregator or a file parser cannot accept."""


@dataclass(frozen=True)
class Problem:
    """One fault of an experiment: dotted path of the field, and a sentence."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path} {self.message}" if self.path else self.message


class InvalidExperiment(StudioError, ValueError):
    """An experiment that cannot run, with all its faults."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(map(str, self.problems)))

    @classmethod
    def at(cls, path: str, message: str) -> Self:
        """Error of a single field."""
        return cls([Problem(path, message)])

    def within(self, place: str) -> InvalidExperiment:
        """The same faults, each with the place where it was found."""
        return InvalidExperiment([Problem(p.path, f"{p.message} (in {place})") for p in self.problems])


class DataUnavailable(StudioError):
    """A data set that is neither on this machine nor downloadable."""


class QueueFull(StudioError):
    """The limit on waiting jobs is reached."""


class NotYours(StudioError):
    """An action that only the job's owner or a teacher may take."""


class NotNow(StudioError):
    """An action that the present state does not allow."""


class StorageFailed(StudioError):
    """The folder of runs, or a database in it, is unusable."""


class DiskFull(StorageFailed):
    """Nothing more can be written to the folder of runs."""

    def __init__(self) -> None:
        super().__init__(
            "the disk is full; delete some runs (on the list of all runs, or by "
            "python -m ldp_core prune --to 1), or make room otherwise"
        )


class KeptLocked(StorageFailed):
    """Another program keeps a file of the folder of runs locked."""


class ReadOnly(StorageFailed):
    """The folder of runs is not writable."""

    def __init__(self) -> None:
        super().__init__(
            "the folder of runs cannot be written to (it is read-only): what is there can be looked at, and "
            "nothing launched or changed; make it writable, or name another folder in EPSILON_RUNS_DIR"
        )


class FolderGone(StorageFailed):
    """The folder of runs was deleted while this process ran."""

    def __init__(self) -> None:
        super().__init__("the folder of runs was removed; what is launched now begins in a new one")


class UnknownJob(StudioError, LookupError):
    """An id that belongs to no job."""

    def __init__(self, given: str) -> None:
        super().__init__(f"there is no job {shown(given)} (any more); an id has twelve hex digits")


class UnknownDraft(StudioError, LookupError):
    """An id that belongs to no draft."""

    def __init__(self) -> None:
        super().__init__("this draft is not on this server (any more); open a scenario from the start page")


class ProcessLost(StudioError):
    """A training process was killed from outside, exited, or crashed twice on one task."""

    def __init__(self, crashed: str = "", code: int = 0) -> None:
        if code > 0:
            super().__init__(
                f"a process that trains ended with exit code {code} before its work was done; what it wrote "
                "to stderr says why"
            )
            return
        super().__init__(
            f"a process that trained crashed ({crashed}) twice at the same task, in a library's own code; "
            "try another engine (EPSILON_ENGINE), and report it with the run"
            if crashed
            else "a process that trained was killed, most likely because the machine ran out of memory; "
            "try a smaller model"
        )


class Diverged(StudioError):
    """Training diverged: weights or loss are not finite or far too large."""


def printable(text: str) -> bool:
    """False for text with lone surrogates, which files and browsers refuse."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def shown(value: object, most: int = 60) -> str:
    """Value as quoted in messages: short, on one line, in JSON's spelling."""
    if isinstance(value, str):
        text = f"“{value}”"
    elif isinstance(value, float) and 1e-12 < abs(value) < 1e16:
        text = f"{Decimal(repr(float(value))):f}"  # without an exponent
    else:
        try:
            text = json.dumps(value, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError):
            text = str(value)
    text = on_one_line(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def on_one_line(text: str) -> str:
    """Text on one line, without lone surrogates and control characters."""
    text = text.encode("utf-8", "replace").decode()
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def one_of(names: Sequence[str]) -> str:
    """Names as `a, b or c`; "null" for none."""
    return listed(names, "or") if names else "null"


def listed(items: Iterable[str], last: str = "and") -> str:
    """Items as `a, b and c`."""
    *first, end = items
    return f"{', '.join(first)} {last} {end}" if first else end
