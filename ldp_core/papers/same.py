"""Which older version's figures the present one repeats, as it was proved by running some of them again.

What trains is refactored more often than its figures change. A pair of versions in `assets/papers/same.json`
says that runs of the older came out again in the newer to the last stored digit, when and which; it is made
by `ldp_core.runs.recheck` alone. It holds for exactly those two, and says nothing about how long a run takes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from ldp_core.papers.stored import SHIPPED, Figure
from ldp_core.papers.version import version
from ldp_core.system.json_file import read_json, write_json

NAME = "same.json"
NOT_COMPARED = ("seconds", "version", "date")
"""Of a figure: when and by whom it was measured, and how long that took."""


@dataclass(frozen=True)
class Rerun:
    """One run of the older version that came out again."""

    system: str
    claim: str
    arm: str
    seed: int
    key: str


@dataclass(frozen=True)
class Repeat:
    """The older version's figures are the newer one's."""

    old: str
    new: str
    date: str
    """YYYY-MM-DD"""
    runs: tuple[Rerun, ...]

    @property
    def digest(self) -> str:
        """Of all that it says: what was altered by hand counts for nothing."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


def differing(kept: Figure, again: Figure) -> list[str]:
    """What of a run did not come out again, in words; what nobody had stored of it does not count."""
    ours, theirs = (_flat(one) for one in (again, kept))
    return [
        f"{name} was {stored!r} and is now {ours.get(name)!r}"
        for name, stored in theirs.items()
        if ours.get(name) != stored
    ]


def _flat(figure: Figure) -> dict[str, Any]:
    """Every figure of it by name, as its file holds it; None only for a run without a value."""
    own = {one.name: getattr(figure, one.name) for one in fields(Figure) if one.name not in NOT_COMPARED}
    also = own.pop("also")
    flat = {name: value for name, value in (own | dict(also)).items() if name == "value" or value is not None}
    found: dict[str, Any] = json.loads(json.dumps(flat))
    return found


def note(path: Path, repeat: Repeat) -> None:
    """Write a pair beside those that are there, whole or not at all.

    Raises:
        OSError: no room, or no such folder.
    """
    others = [one for one in read(path) if (one.old, one.new) != (repeat.old, repeat.new)]
    write_json(path, {"repeats": [asdict(one) | {"digest": one.digest} for one in [*others, repeat]]})


def read(path: Path) -> list[Repeat]:
    """The pairs of a file; none of what is damaged, empty or altered."""
    found: list[Repeat] = []
    try:
        for row in read_json(path)["repeats"]:
            with suppress(TypeError, LookupError, AttributeError):
                digest = row.pop("digest")
                one = Repeat(**row | {"runs": tuple(Rerun(**run) for run in row["runs"])})
                found += [one] if one.runs and one.digest == digest else []
    except (OSError, ValueError, TypeError, LookupError):
        return found
    return found


def repeated(folder: Path | None = None) -> Mapping[str, Repeat]:
    """The versions whose figures the present one repeats, and how that is known."""
    path = (folder or SHIPPED) / NAME
    try:
        state = path.stat()
    except OSError:
        return {}
    found = _read_once(path, state.st_mtime_ns, state.st_size)
    return {one.old: one for one in found if one.new == version()}


@lru_cache(maxsize=8)
def _read_once(path: Path, changed: int, size: int) -> Sequence[Repeat]:
    return read(path)


def current(one: str, timed: bool = False) -> bool:
    """Whether figures of a version count as the present one's; of times only its own do."""
    return one == version() or (not timed and one in repeated())


def words(versions: Iterable[str], timed: bool = False) -> str:
    """Who has measured figures of these versions, as a sentence; "" where the present one did by itself."""
    others = [one for one in versions if one != version()]
    if not others:
        return ""
    known = {} if timed else repeated()
    said = [_proved(known[one]) for one in others if one in known]
    if unknown := [one for one in others if one not in known]:
        trained = f"measured with version {', '.join(unknown)} of what trains"
        said.append(f"{trained}; this is {version()}: its figures may differ")
    told = "; ".join(said)
    return f"{told[0].upper()}{told[1:]}."


def _proved(one: Repeat) -> str:
    runs = "1 run of it was" if len(one.runs) == 1 else f"{len(one.runs)} runs of it were"
    repeated_by = f"{runs} repeated bit for bit with this version, {version()}, on {one.date}"
    return f"measured with version {one.old}; {repeated_by}"
