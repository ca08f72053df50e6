"""Small JSON files that are whole or not there: written beside their place, then moved into it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def write_json(path: Path, value: Any) -> None:
    """Write a value so that a reader of `path` meanwhile gets the old one or the new one, never half of it.

    Raises:
        OSError: no room, or no such folder; what stood there before still does.
    """
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(json.dumps(value))
    partial.replace(path)


def read_json(path: Path) -> Any:
    """The value in a file.

    Raises:
        OSError: it is not there, or cannot be read.
        ValueError: it holds no JSON.
    """
    try:
        return json.loads(path.read_text())
    except RecursionError:
        raise ValueError(f"{path.name} is nested too deeply") from None
