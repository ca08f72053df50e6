"""Conversion of a Parquet file to CSV, in a process of its own: `system.bounded` calls `main`."""

import csv
import io
from collections.abc import Mapping
from typing import Any

from ldp_core.errors import InvalidInput, shown

MOST_CELLS = 2_000_000
MEMORY, SECONDS = 2 * 2**30, 20


def main(asked: Mapping[str, int], files: Mapping[str, bytes]) -> tuple[dict[str, Any], bytes]:
    """The file as CSV in UTF-8, of at most `most` bytes."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InvalidInput("needs pyarrow to be read; pip install pyarrow, or save it as CSV") from None
    try:
        found = parquet.ParquetFile(io.BytesIO(*files.values()))
        schema, rows = found.schema_arrow, found.metadata.num_rows
        if rows * len(schema) > MOST_CELLS:
            raise _refused(f"says that it holds {rows} rows of {len(schema)} columns")
        for field in schema:
            if pyarrow.types.is_nested(field.type) or pyarrow.types.is_binary(field.type):
                raise _refused(f"holds lists, records or bytes in the column {shown(field.name)}")
        text = [_written([schema.names])]
        for batch in found.iter_batches(batch_size=1000):
            text.append(_written(zip(*(column.to_pylist() for column in batch.columns), strict=True)))
            if sum(map(len, text)) > asked["most"]:
                raise _refused(f"holds more than {asked['most'] >> 20} MB as text")
    except InvalidInput:
        raise
    except (pyarrow.ArrowException, OSError, ValueError, TypeError, MemoryError, OverflowError) as error:
        raise _refused(f"cannot be read ({type(error).__name__})") from None
    return {"read": rows}, b"".join(text)


def _written(rows: Any) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode("utf-8", "replace")


def _refused(why: str) -> InvalidInput:
    return InvalidInput(f"{why}; save a smaller, plain table, or a CSV")
