"""Files as a ZIP; and a check of the size of a ZIP's directory, before `zipfile` reads it whole."""

import io
import os
from collections.abc import Iterable
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile


def zipped(files: Iterable[tuple[str, str | bytes]]) -> bytes:
    """ZIP of files, each a name and its content."""
    out = io.BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return out.getvalue()


def short_directory(stream: IO[bytes], most: int) -> bool:
    """Whether a file ends like a ZIP whose directory has at most `most` bytes, by its last bytes."""
    stream.seek(0, os.SEEK_END)
    stream.seek(max(0, stream.tell() - 42))
    end = stream.read(42)
    # of a larger one the length stands elsewhere, where these words lead
    large, listed = end.startswith(b"PK\6\7"), int.from_bytes(end[-10:-6], "little")
    return end[-22:-18] == b"PK\5\6" and end[-2:] == b"\0\0" and not large and listed <= most
