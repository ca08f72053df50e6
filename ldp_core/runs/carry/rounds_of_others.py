"""Rounds measured by other programs, parsed from tables or JSON lines, validated, and grouped by run."""

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ldp_core.errors import InvalidInput, printable, shown
from ldp_core.runs.carry.round_columns import COLUMNS, FIGURES, Row, cells, chosen
from ldp_core.tables import is_no_number
from ldp_core.tables.notation import value

MOST_BYTES = 500_000
MOST_ROUND, MOST_SEED = 100_000, 2**53 - 1
MOST_LINES = 60
"""Largest number of (label, seed) pairs in a file."""
MOST_NAME = 60


@dataclass(frozen=True)
class Line:
    label: str
    seed: int
    figures: Mapping[str, tuple[tuple[int, float | None], ...]]
    """Rounds, ascending, and values by figure; None where the file has NaN."""


def read(content: bytes) -> tuple[Line, ...]:
    """Runs of a file with a round a line, by `label` and `seed`; raises InvalidInput that names the line."""
    if len(content) > MOST_BYTES:
        raise InvalidInput(f"it has more than {MOST_BYTES // 1000} kB, which is the most taken")
    begins = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")
    rows = _objects(content) if begins else cells(content)
    found: dict[tuple[str, int], dict[str, dict[int, float | None]]] = {}
    for place, row in rows:
        label = "" if row.get("label") is None else str(row["label"]).strip()[:MOST_NAME]
        if not printable(label):
            raise InvalidInput(f"line {place}: its label holds half a character")
        seed = _whole(row.get("seed") or 0, "seed", place, MOST_SEED)
        run = found.setdefault((label, seed), {name: {} for name in FIGURES})
        if len(found) > MOST_LINES:
            raise InvalidInput(f"it has more than {MOST_LINES} labels and seeds")
        number = _whole(row.get("round"), "round", place, MOST_ROUND)
        for name in (name for name in FIGURES if row.get(name) is not None):
            if number in run[name]:
                who = f" of {shown(label)}" if label else ""
                raise InvalidInput(f"line {place}: round {number}{who} is there twice")
            run[name][number] = _figure(row[name], name, place)
    if all(value is None for run in found.values() for of in run.values() for value in of.values()):
        raise InvalidInput(f"it has no rounds: a line needs round and one of {', '.join(FIGURES)}")
    figures = {
        who: {n: tuple(sorted(of.items())) for n, of in run.items() if of} for who, run in found.items()
    }
    return tuple(Line(*who, of) for who, of in figures.items() if of)


def _objects(content: bytes) -> Iterator[tuple[int, Row]]:
    """Number and figures of each JSON line, or of each object in one list; of this program's own events only
    those of rounds.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput("it is no text in UTF-8; save it as CSV or as JSON lines") from None
    known: dict[tuple[str, ...], dict[str, str]] = {}
    lines = text.splitlines()
    with suppress(ValueError, RecursionError):  # what is no list is refused below, by its line
        lines = [json.dumps(row) for row in json.loads(text)] if text.lstrip()[:1] == "[" else lines
    for place, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise InvalidInput(f"line {place} is no JSON: {shown(line, 40)}") from None
        if not isinstance(row, dict):
            raise InvalidInput(f"line {place} is no JSON object: {shown(line, 40)}")
        if row.get("event", "round") in ("start", "round"):
            names = tuple(name for name in row if name in COLUMNS or "event" not in row)
            if names not in known:
                known[names] = {name: names[i] for name, i in chosen(dict(enumerate(names))).items()}
            yield place, {name: row[own] for name, own in known[names].items()}


def _whole(given: Any, name: str, place: int, most: int) -> int:
    found = _number(given)
    if found is None or found != int(found) or not 0 <= found <= most:
        raise InvalidInput(
            f"line {place}: {name} must be a whole number from 0 to {most}; got {_shown(given)}"
        )
    return int(found)


def _figure(given: Any, name: str, place: int) -> float | None:
    """Value of a figure; None for NaN and infinity."""
    most, found = FIGURES[name], _number(given)
    if isinstance(given, str):
        if is_no_number(given):
            return None
        if given.endswith("%") and most == 1 and (share := _number(given.removesuffix("%"))) is not None:
            found = share / 100
    elif isinstance(given, float) and not math.isfinite(given):
        return None
    if found is None or not 0 <= found <= most:
        asked = "a share from 0 to 1 (or a percentage with its sign)"
        asked = asked if most == 1 else "a number of at least 0"
        raise InvalidInput(f"line {place}: {name} must be {asked}; got {_shown(given)}")
    return found


def _shown(given: Any) -> str:
    return shown(f"{given:g}" if isinstance(given, float) else given, 40)


def _number(given: Any) -> float | None:
    """A finite number; None for anything else."""
    if isinstance(given, str):
        given = value(given, ".")
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    try:
        return float(given) if math.isfinite(given) else None
    except OverflowError:
        return None
