"""Events of one kind as a table with a row each: CSV for spreadsheets, Parquet with types."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ldp_core.runs.record.events import Stored

if TYPE_CHECKING:
    import pyarrow as pa

TABLES = {"round": "rounds", "attack": "attacks", "cell": "cells", "reference": "references"}
"""File names of tables, by the event that fills them."""
BATCH = 5000
"""Rows that are converted to columns at a time, to bound memory."""
MOST = 2**63
Row = dict[str, Any]


def row(event: Stored, run: dict[str, Any]) -> Row:
    """Label and seed of an event's run, then the event's scalars and lists of numbers."""
    values = {name: value for name, value in event.body.items() if _is_plain(value) or _is_numbers(value)}
    return {"run": event.run, "label": run.get("label"), "seed": run.get("seed"), **values}


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | bool)


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(type(one) in (int, float) for one in value)


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

    columns: dict[str, set[type]] = {}
    for one in rows:
        for name, value in one.items():
            # a whole number of more than 64 bits has no type there but text
            large = isinstance(value, int) and not -MOST <= value < MOST
            columns.setdefault(name, set()).add(str if large else type(value))
    kinds = {name: _kind(found - {type(None)}) for name, found in columns.items()}
    out = io.BytesIO()
    with parquet.ParquetWriter(out, pa.schema([*kinds.items()])) as writer:
        for start in range(0, len(rows), BATCH):
            some = rows[start : start + BATCH]
            arrays = [_column([one.get(name) for one in some], kind) for name, kind in kinds.items()]
            writer.write_batch(pa.record_batch(arrays, names=[*kinds]))
    return out.getvalue()


def _kind(found: set[type]) -> pa.DataType:
    import pyarrow as pa

    known = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), list: pa.list_(pa.float64())}
    if found == {int, float}:
        return pa.float64()
    return known.get(found.pop(), pa.string()) if len(found) == 1 else pa.string()


def _column(values: list[Any], kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    if kind == pa.string():
        values = [v if v is None or isinstance(v, str) else json.dumps(v) for v in values]
    return pa.array(values, kind)
