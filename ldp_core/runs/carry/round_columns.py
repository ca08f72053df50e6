"""Mapping of a file's columns to the figures of a round, by the headings that trackers write."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ldp_core.errors import InvalidExperiment, InvalidInput, shown
from ldp_core.tables import Column, Table, find, is_gap, read_table
from ldp_core.tables.headings import words

FIGURES = {"accuracy": 1.0, "loss": math.inf, "noise_variance": math.inf}
"""Imported figures of a round with their largest values; the least is 0."""
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
"""Heading of Weights & Biases: label, figure, and which end of the band if any."""
Row = dict[str, Any]


def cells(content: bytes) -> Iterator[tuple[int, Row]]:
    """Rows of a table with headings, as line number and figures by name."""
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
            given: Row = {} if label is None else {"label": label}
            for name, i in here.items():
                cell = row[i].strip() if i < len(row) else ""
                given[name] = _read(table, name, table.headings[i], cell, line)
            yield line, given


def _layout(headings: Sequence[str]) -> list[tuple[str | None, dict[str, int]]]:
    """Label and columns of each run: one without label, unless runs have columns of their own."""
    runs: dict[str, dict[int, str]] = {}
    common_ones = dict(enumerate(headings))
    for i, heading in enumerate(headings):
        if (one := OF_A_RUN.fullmatch(heading)) and find([one["figure"]], COLUMNS)[0] in FIGURES:
            runs.setdefault(one["label"], {}).update({} if one["rest"] else {i: one["figure"]})
            del common_ones[i]
    common = chosen(common_ones)
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
    return [(label, common | chosen(columns)) for label, columns in runs.items()]


def _tags(table: Table) -> tuple[int, dict[str, str]]:
    """Column of metric names, or -1, and the figure that each means: a figure a line, as MLflow exports."""
    tag = next((i for i, heading in enumerate(table.headings) if heading in ("key", "metric", "tag")), -1)
    if tag < 0 or "value" not in table.headings:
        return tag, {}
    names = list(dict.fromkeys(row[tag].strip() for row in table.rows if tag < len(row)))
    return tag, {names[i]: name for name, i in chosen(dict(enumerate(names))).items() if name in FIGURES}


def chosen(headings: Mapping[int, str]) -> dict[str, int]:
    """Column number of each known figure; InvalidInput where two columns fit a figure equally well."""
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
    """Rank of a column, least first: held-out figures precede those that frameworks call `accuracy`."""
    of = words(heading)
    if name in FIGURES:
        return 0 if of & TEST else 1 if of & HELD_OUT else 3 - (heading.casefold() == name)
    order = ("label", "round", "rounds", "step", "run", "name")
    return min((order.index(word) for word in of if word in order), default=len(order))


def _read(table: Table, name: str, heading: str, cell: str, line: int) -> Any:
    """Cell as a number, or as text with a decimal point where it is a percentage; None for a gap."""
    if name == "label":
        return re.sub("^'(?=[=+@-])", "", cell)  # as we mark text
    if is_gap(cell):
        return None
    if "%" in heading or words(heading) & {"percent", "pct"}:
        cell = f"{cell.removesuffix('%')}%"
    bare = cell.removesuffix("%").strip()
    if both := table.ambiguous(bare):
        raise InvalidInput(f"line {line}: {name} {both}")
    number = table.number(bare)
    return cell if math.isnan(number) else number if bare == cell else f"{number}%"
