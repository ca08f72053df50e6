"""JSON: small files, written atomically, and text that may be damaged."""

import json
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def write_json(path: Path, value: Any) -> None:
    """Write a value atomically; the old file stays after an OSError (no room, or no such folder)."""
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(json.dumps(value))
    partial.replace(path)


def read_json(path: Path) -> Any:
    """Value of a JSON file; OSError if it is missing or unreadable, ValueError if it holds no JSON."""
    try:
        return json.loads(path.read_text())
    except RecursionError:
        raise ValueError(f"{path.name} is nested too deeply") from None


def from_text(text: Any, kind: type[T]) -> T | None:
    """JSON value of this kind; None for a text that holds none."""
    try:
        found = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return None
    return found if isinstance(found, kind) else None
