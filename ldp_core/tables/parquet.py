"""Parquet files as CSV text, converted by a separate process with limits on memory and time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ldp_core.errors import InvalidInput
from ldp_core.tables import _parquet

MOST_CELLS = 2_000_000
CALM = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "ARROW_IO_THREADS"), "1")
CALM |= {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1"}


def parquet_as_csv(file: Path, most: int) -> bytes:
    """Content of a Parquet file as CSV in UTF-8, at most `most` bytes. InvalidInput: the end of a sentence
    that begins with the file's name.
    """
    command = [sys.executable, "-I", _parquet.__file__, str(file), str(MOST_CELLS), str(most)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=60, env=CALM, check=False)
    except subprocess.TimeoutExpired:
        raise InvalidInput("takes more than a minute to read; save it as CSV") from None
    if done.returncode == _parquet.MISSING:
        raise InvalidInput("needs pyarrow to be read; pip install pyarrow, or save it as CSV")
    if done.returncode == _parquet.REFUSED:
        raise InvalidInput(f"{done.stderr.decode(errors='replace')}; save a smaller, plain table, or a CSV")
    if done.returncode:
        raise InvalidInput("cannot be read as Parquet within 2 GB of memory; save it as CSV")
    return done.stdout
