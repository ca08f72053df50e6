"""Rounds that others have measured: out of tables, exports of trackers and frameworks, or JSON lines.

Columns are known by their headings. Where there are several accuracies, the one on held-out images is taken,
which is what accuracy means here; where that leaves two, none.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ldp_core.errors import InvalidExperiment, InvalidInput, printable, shown
from ldp_core.tables import Column, Table, find, is_gap, is_no_number, read_table
from ldp_core.tables.headings import words
from ldp_core.tables.notation import value

FIGURES = {"accuracy": 1.0, "loss": math.inf, "noise_variance": math.inf}
"""What is kept of a round, and the most that it can be; the least is 0."""
TEST = {"test", "testing"}
HELD_OUT = {"val", "valid", "validation", "eval", "evaluation", "held", "heldout"}
_OF = (
    f"{' '.join(TEST | HELD_OUT)} out of the global server central centralized centralised distributed "
    "federated aggregated mean average avg weighted final model metric metrics score percent pct"
)
COLUMNS = {
    "round": Column.of(
        "round rounds rnd step epoch iteration iter t", "server communication comm global number no nr index"
    ),
    "accuracy": Column.of("accuracy acc top1 genauigkeit", f"{_OF} top 1"),
    "loss": Column.of("loss entropy", f"{_OF} log cross"),
    "noise_variance": Column.of("variance var", "noise"),
    "seed": Column.of("seed state", "random rng"),
    "label": Column.of("label run name experiment method algorithm mechanism strategy variant", "id"),
}
OF_A_RUN = re.compile(r"(?P<label>.+) - (?P<figure>[^-]+?)(?P<rest>__MIN|__MAX)?")
"""A heading of Weights & Biases: a run's figure, and the ends of its band."""
MOST_BYTES = 500_000
MOST_ROUND, MOST_SEED = 100_000, 2**53 - 1
MOST_LINES = 60
"""Labels and seeds in a file."""
MOST_NAME = 60
Row = dict[str, Any]


@dataclass(frozen=True)
class Line:
    """One run as it was measured."""

    label: str
    seed: int
    figures: Mapping[str, tuple[tuple[int, float | None], ...]]
    """By name: rounds in their order, each with its value; None where the file says that it is no number."""


def read(content: bytes) -> tuple[Line, ...]:
    """The runs of a file: a round a line, told apart by `label` and `seed` where it has them.

    Raises:
        InvalidInput: in a sentence that names the line.
    """
    if len(content) > MOST_BYTES:
        raise InvalidInput(f"it has more than {MOST_BYTES // 1000} kB, which is the most taken")
    begins = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"
    rows = _objects(content) if begins else _cells(content)
    found: dict[tuple[str, int], dict[int, dict[str, float | None]]] = {}
    for place, row in rows:
        given = row.get("label")
        label = "" if given is None else str(given).strip()[:MOST_NAME]
        if not printable(label):
            raise InvalidInput(f"line {place}: its label holds half a character")
        run = found.setdefault((label, _whole(row.get("seed") or 0, "seed", place, MOST_SEED)), {})
        if len(found) > MOST_LINES:
            raise InvalidInput(f"it has more than {MOST_LINES} labels and seeds")
        number = _whole(row.get("round"), "round", place, MOST_ROUND)
        figures = {name: _figure(row[name], name, place) for name in FIGURES if row.get(name) is not None}
        if figures.keys() & run.get(number, {}).keys():
            who = f" of {shown(label)}" if label else ""
            raise InvalidInput(f"line {place}: round {number}{who} is there twice")
        run.setdefault(number, {}).update(figures)
    values = (value for run in found.values() for figures in run.values() for value in figures.values())
    if all(value is None for value in values):
        raise InvalidInput(f"it has no rounds: a line needs round and one of {', '.join(FIGURES)}")
    return tuple(_line(label, seed, run) for (label, seed), run in found.items() if any(run.values()))


def _line(label: str, seed: int, run: Mapping[int, Mapping[str, float | None]]) -> Line:
    names = [name for name in FIGURES if any(name in figures for figures in run.values())]
    every = sorted(run.items())
    return Line(label, seed, {name: tuple((n, of[name]) for n, of in every if name in of) for name in names})


def _objects(content: bytes) -> Iterator[tuple[int, Row]]:
    """JSON lines; of our own events those that tell of a round."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput("it is no text in UTF-8; save it as CSV or as JSON lines") from None
    known: dict[tuple[str, ...], dict[str, str]] = {}
    for place, line in enumerate(text.splitlines(), start=1):
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
                known[names] = {name: names[i] for name, i in _chosen(dict(enumerate(names))).items()}
            yield place, {name: row[own] for name, own in known[names].items()}


def _cells(content: bytes) -> Iterator[tuple[int, Row]]:
    """A table with a line of headings."""
    try:
        table = read_table(content)
    except InvalidExperiment as error:
        raise InvalidInput(str(error)) from None
    if table.problems:
        raise InvalidInput(str(table.problems[0]))
    layout = _layout(table.headings)
    tag, values = _tags(table)
    for line, row in zip(table.lines, table.rows, strict=True):
        for label, places in layout:
            figure = values.get(row[tag].strip()) if values and tag < len(row) else None
            here = places | ({figure: table.headings.index("value")} if figure else {})
            told: Row = {} if label is None else {"label": label}
            for name, i in here.items():
                cell = row[i].strip() if i < len(row) else ""
                told[name] = _read(
                    table, name, f"{cell}%" if _in_percent(table.headings[i], cell) else cell, line
                )
            yield line, told


def _layout(headings: Sequence[str]) -> list[tuple[str | None, dict[str, int]]]:
    """Where the columns stand; for each run, where each has columns of its own."""
    runs: dict[str, dict[int, str]] = {}
    common_ones = dict(enumerate(headings))
    for i, heading in enumerate(headings):
        one = OF_A_RUN.fullmatch(heading)
        if one and find([one["figure"]], COLUMNS)[0] in FIGURES:
            runs.setdefault(one["label"], {}).update({} if one["rest"] else {i: one["figure"]})
            del common_ones[i]
    common = _chosen(common_ones)
    have = shown(", ".join(headings), 60)
    if "round" not in common:
        raise InvalidInput(
            f"its first line names no column “round”: {have}; call one of them round and another one of "
            f"{', '.join(FIGURES)}"
        )
    if not runs and not common.keys() & FIGURES.keys() and "value" not in headings:
        raise InvalidInput(f"it has no rounds: in {have}, no column is called one of {', '.join(FIGURES)}")
    if not runs:
        return [(None, common)]
    return [(label, common | _chosen(columns)) for label, columns in runs.items()]


def _tags(table: Table) -> tuple[int, dict[str, str]]:
    """Of a table with a figure a line, as MLflow exports it: where their names stand, and which is which."""
    tag = next((i for i, heading in enumerate(table.headings) if heading in ("key", "metric", "tag")), -1)
    if tag < 0 or "value" not in table.headings:
        return tag, {}
    names = list(dict.fromkeys(row[tag].strip() for row in table.rows if tag < len(row)))
    return tag, {names[i]: name for name, i in _chosen(dict(enumerate(names))).items() if name in FIGURES}


def _chosen(headings: Mapping[int, str]) -> dict[str, int]:
    """The column of each name that there is.

    Raises:
        InvalidInput: it is not clear which.
    """
    found: dict[str, list[int]] = {}
    for i, name in zip(headings, find([*headings.values()], COLUMNS), strict=True):
        if name:
            found.setdefault(name, []).append(i)
    chosen = {}
    for name, places in found.items():
        ranked = sorted(places, key=lambda i: _rank(name, headings[i]))
        first, *others = (i for i in ranked if _rank(name, headings[i]) == _rank(name, headings[ranked[0]]))
        if others and name in FIGURES:
            which = " and ".join(shown(headings[i]) for i in (first, *others))
            raise InvalidInput(f"it has several columns of {name}, {which}: keep one, or call it {name}")
        chosen[name] = first
    return chosen


def _rank(name: str, heading: str) -> int:
    """What is on held-out images comes first, as frameworks call the training's own plainly `accuracy`."""
    of = words(heading)
    if name in FIGURES:
        return 0 if of & TEST else 1 if of & HELD_OUT else 3 - (heading.casefold() == name)
    order = ("label", "round", "rounds", "step", "run", "name")
    return min((order.index(word) for word in of if word in order), default=len(order))


def _in_percent(heading: str, cell: str) -> bool:
    marked = "%" in heading or words(heading) & {"percent", "pct"}
    return bool(marked) and cell != "" and not cell.endswith("%")


def _read(table: Table, name: str, cell: str, line: int) -> Any:
    """A number; None for a gap, and the text itself where it is neither."""
    if name == "label" or is_gap(cell):
        return re.sub("^'(?=[=+@-])", "", cell) if name == "label" else None  # as we mark text
    bare = cell.removesuffix("%").strip()
    if both := table.ambiguous(bare):
        raise InvalidInput(f"line {line}: {name} {both}")
    number = table.number(bare)
    share = name == "accuracy" and cell.endswith("%")
    if math.isnan(number) or (cell.endswith("%") and not share):
        return cell
    return number / 100 if share else number


def _whole(given: Any, name: str, place: int, most: int) -> int:
    found = _number(given)
    if found is None or found != int(found) or not 0 <= found <= most:
        raise InvalidInput(
            f"line {place}: {name} must be a whole number from 0 to {most}; got {_shown(given)}"
        )
    return int(found)


def _figure(given: Any, name: str, place: int) -> float | None:
    """A value; None where a number was due and none came out."""
    most = FIGURES[name]
    if isinstance(given, float) and not math.isfinite(given):
        return None
    if isinstance(given, str) and is_no_number(given):
        return None
    share = isinstance(given, str) and given.endswith("%") and most == 1
    found = _number(given.removesuffix("%") if share else given)
    found = found / 100 if share and found is not None else found
    if found is None or not 0 <= found <= most:
        asked = (
            "a share from 0 to 1 (or a percentage with its sign)" if most == 1 else "a number of at least 0"
        )
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
