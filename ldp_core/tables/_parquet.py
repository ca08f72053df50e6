"""A separate process that converts one Parquet file to CSV, so that a malicious file can crash only this
process; imports nothing of this program. Arguments: the file, and the largest numbers of cells and of bytes
of text. On failure it writes a sentence to stderr and exits with `REFUSED`.
"""

import contextlib
import csv
import io
import sys
from typing import Any

REFUSED, MISSING = 3, 4
MEMORY, SECONDS = 2 * 2**30, 20


def main(file: str, most_cells: int, most_bytes: int) -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        sys.exit(MISSING)
    try:
        found = parquet.ParquetFile(file)
        schema, rows = found.schema_arrow, found.metadata.num_rows
        if rows * len(schema) > most_cells:
            refuse(f"says that it holds {rows} rows of {len(schema)} columns")
        for field in schema:
            if pyarrow.types.is_nested(field.type) or pyarrow.types.is_binary(field.type):
                refuse(f"holds lists, records or bytes in the column “{field.name}”")
        left = most_bytes - put([schema.names])
        for batch in found.iter_batches(batch_size=1000):
            left -= put(zip(*(column.to_pylist() for column in batch.columns), strict=True))
            if left < 0:
                refuse(f"holds more than {most_bytes >> 20} MB as text")
    except (pyarrow.ArrowException, OSError, ValueError, TypeError, MemoryError, OverflowError) as error:
        refuse(f"cannot be read ({type(error).__name__})")


def put(rows: Any) -> int:
    """Write rows as CSV; returns the number of bytes written."""
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    sys.stdout.buffer.write(data := text.getvalue().encode("utf-8", "replace"))
    return len(data)


def refuse(why: str) -> None:
    sys.stderr.write(why)
    sys.exit(REFUSED)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
