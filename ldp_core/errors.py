"""What can go wrong, worded for the person who can mend it.

Each message says what is wrong, what was given and what to do, in one sentence.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ldp_core.hints import hint as hint


class StudioError(Exception):
    """Anything that the person at the keyboard can mend; its text is meant for them."""


class UnknownName(StudioError, KeyError):
    """A name that no registry holds."""

    def __init__(self, kind: str, given: object, known: Iterable[str], why: str = "") -> None:
        """`why` a part of that name is left out, where there is one."""
        self.known, what = sorted(known), f"got {shown(given)}{hint(given, sorted(known))}"
        self.wanted = f"must be {one_of(self.known)}; {why or what}"
        super().__init__(f"{kind} {self.wanted}")

    def __str__(self) -> str:  # KeyError would show the quoted repr
        return str(self.args[0])


class InvalidInput(StudioError, ValueError):
    """A value that a mechanism, an aggregator or a file reader cannot accept."""


@dataclass(frozen=True)
class Problem:
    """One thing wrong with an experiment: the dotted path of the field, and a sentence about it."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path} {self.message}" if self.path else self.message


class InvalidExperiment(StudioError, ValueError):
    """An experiment that cannot run, with everything that is wrong with it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(map(str, self.problems)))


class DataUnavailable(StudioError):
    """A data set that is neither on this machine nor to be had."""


class QueueFull(StudioError):
    """More jobs wait than may."""


class NotYours(StudioError):
    """Raised for an action that only the job's owner or a teacher may take."""


class NotNow(StudioError):
    """Raised for an action that the job's state does not allow."""


class StorageFailed(StudioError):
    """The folder of runs, or a database in it, cannot be used."""


class DiskFull(StorageFailed):
    """Nothing more can be written to the folder of runs."""

    def __init__(self) -> None:
        super().__init__(
            "the disk is full; delete some runs (on the list of all runs, or by "
            "python -m ldp_core prune --to 1), or make room otherwise"
        )


class KeptLocked(StorageFailed):
    """Another program keeps a file of the folder of runs locked for now."""


class ReadOnly(StorageFailed):
    """Raised for a write to a folder of runs that can only be read."""

    def __init__(self) -> None:
        super().__init__(
            "the folder of runs cannot be written to (it is read-only): what is there can be looked at, and "
            "nothing launched or changed; make it writable, or name another folder in EPSILON_RUNS_DIR"
        )


class FolderGone(StorageFailed):
    """The folder of runs was removed while this process was at work."""

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
    """A process that trained was killed from outside, ended by itself, or crashed twice at one task."""

    def __init__(self, crashed: str = "", code: int = 0) -> None:
        if code > 0:
            super().__init__(
                f"a process that trains ended with exit code {code} before its work was done; what it wrote "
                'to stderr says why (a program of its own needs `if __name__ == "__main__":` where '
                "processes are spawned)"
            )
            return
        super().__init__(
            f"a process that trained crashed ({crashed}) twice at the same task, in a library's own code; "
            "try another engine (EPSILON_ENGINE), and report it with the run"
            if crashed
            else "a process that trained was killed, most likely because the machine ran out of memory; "
            "try a smaller model, or fewer processes at a time (EPSILON_CORES)"
        )


class Diverged(StudioError):
    """Training left the numbers: weights or loss beyond any use."""


def printable(text: str) -> bool:
    """False for half characters (lone surrogates), which no file and no browser takes."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def shown(value: object, most: int = 60) -> str:
    """A value as quoted in messages: short, on one line, in JSON's spelling."""
    if isinstance(value, str):
        text = f"“{value}”"
    else:
        try:
            text = json.dumps(value, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError):
            text = str(value)
    text = on_one_line(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def on_one_line(text: str) -> str:
    """Text that can be printed anywhere: half characters are replaced, and nothing steers a terminal."""
    text = text.encode("utf-8", "replace").decode()
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def one_of(names: Sequence[str]) -> str:
    """`a, b or c`; null, where there is none to choose."""
    if not names:
        return "null"
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]
