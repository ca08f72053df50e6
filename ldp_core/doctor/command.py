"""Execution of all checks of `doctor`, one printed line each, whatever fails."""

import sys
import textwrap
from typing import TextIO

from ldp_core.doctor import machine, openness, program, storage
from ldp_core.doctor.finding import Finding, Look, wrong
from ldp_core.errors import StudioError, on_one_line

LOOKS: tuple[tuple[str, Look], ...] = (
    ("Python", program.python),
    ("packages", program.packages),
    ("parts", program.parts),
    ("compiled kernel", program.kernel),
    ("cores, memory", machine.cores),
    ("GPU", machine.gpu),
    ("speed", machine.speed),
    ("folder of runs", storage.runs),
    ("locks", storage.locks),
    ("disk, quota", storage.disk),
    ("queue", storage.queue),
    ("worker", storage.worker),
    ("folder of data", storage.data),
    ("data sets", storage.sets),
    ("settings", openness.settings),
    ("teacher", openness.teacher),
    ("cluster", openness.cluster),
    ("visitors", openness.addresses),
    ("answers to", openness.hosts),
    ("connections", machine.connections),
)
NAME, WIDTH = 16, 110


def doctor(out: TextIO | None = None) -> int:
    """Print the result of each check; 1 if one is "wrong", else 0."""
    failed = False
    for name, look in LOOKS:
        found = looked(look)
        failed |= found.grade == "wrong"
        print(_line(name, found), file=out or sys.stdout)
    return int(failed)


def looked(look: Look) -> Finding:
    """Result of one check; an exception counts as "wrong"."""
    try:
        return look()
    except StudioError as error:
        return wrong(str(error))
    except Exception as error:  # a report that breaks off tells nothing of what follows
        return wrong(f"cannot be looked at ({type(error).__name__}: {error})")


def _line(name: str, found: Finding) -> str:
    todo = f" → {found.todo}" if found.todo else ""
    text = on_one_line(f"{found.found}{todo}")
    first = f"{found.grade:<6}{name:<{NAME}}"
    return textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent=" " * len(first))
