"""Events of one kind as a table with a row each: CSV for spreadsheets, Parquet with types."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from ldp_core.runs.record.events import Stored

TABLES = {"round": "rounds", "attack": "attacks", "cell": "cells", "reference": "references"}
"""File names of tables, by the event that fills them."""
Row = dict[str, Any]


def row(event: Stored, run: dict[str, Any]) -> Row:
    """Label and seed of an event's run, then the event's scalars and lists of numbers."""
    named = {"run": event.run, "label": run.get("label"), "seed": run.get("seed")}
    for name, value in event.body.items():
        numbers = isinstance(value, list) and value and all(type(one) in (int, float) for one in value)
        if numbers or _is_plain(value):
            named[name] = value
    return named


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


def as_parquet(rows: Sequence[Row]) -> bytes:
    """Parquet with one type a column; columns of mixed types are stored as JSON text."""
    import pyarrow as pa  # 30 MB, of which a server that exports nothing has no need
    from pyarrow import parquet

    columns = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [row.get(name) for row in rows]
        try:
            columns[name] = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            texts = [v if v is None or isinstance(v, str) else json.dumps(v) for v in values]
            columns[name] = pa.array(texts)
    out = io.BytesIO()
    parquet.write_table(pa.table(columns), out)
    return out.getvalue()
