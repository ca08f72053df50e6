"""Events of one kind as a table in CSV."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ldp_core.runs.record.events import StoredEvent
from ldp_core.runs.storage.database import Database

BROUGHT = Database("rounds.sqlite", "", format=1)
"""Rounds measured elsewhere, which earlier versions stored; no page reads them any more."""
TABLES = {"round": "rounds", "attack": "attacks", "cell": "cells", "reference": "references"}
"""File names of tables, by the event that fills them."""
Row = dict[str, Any]


def row(event: StoredEvent, run: dict[str, Any]) -> Row:
    """Label and seed of an event's run, then the event's scalars."""
    named = {"run": event.run, "label": run.get("label"), "seed": run.get("seed")}
    return named | {name: value for name, value in event.body.items() if _is_plain(value)}


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | bool)


def as_csv(rows: Sequence[Row]) -> str:
    """CSV of the scalar columns; text that a spreadsheet would read as a formula is marked as text."""
    columns = dict.fromkeys(name for row in rows for name, value in row.items() if _is_plain(value))
    file = io.StringIO()
    writer = csv.DictWriter(file, list(columns), lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows({name: _cell(row.get(name)) for name in columns} for row in rows)
    return file.getvalue()


def _cell(value: Any) -> Any:
    if not _is_plain(value):
        return None
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


def write_brought_rounds(folder: Path) -> Path:
    """Write all rounds measured elsewhere that earlier versions stored, as one CSV; returns its path."""
    found: dict[tuple[str, str, int, int], Row] = {}
    for one in BROUGHT.rows("SELECT id, name, lines FROM rounds ORDER BY at"):
        for line in json.loads(one["lines"]):
            for figure, values in line["figures"].items():
                for number, value in values:
                    key = (one["id"], line["label"], line["seed"], number)
                    begun = {"file": one["name"], "label": key[1], "seed": key[2], "round": number}
                    found.setdefault(key, begun)[figure] = value
    folder.mkdir(parents=True, exist_ok=True)
    (file := folder / "rounds.csv").write_text(as_csv([*found.values()]), encoding="utf-8")
    return file
