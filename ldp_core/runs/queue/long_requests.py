"""Requests of thousands of clients: their long lists have a place of their own, and no list of jobs reads it.

Whoever looks at a hundred jobs, several times a second, reads a row of each. A program of before finds words
in the place of such a list, which it refuses, and never another experiment.
"""

from __future__ import annotations

import json
from typing import Any

from ldp_core.runs.storage.database import reading
from ldp_core.runs.storage.paths import runs_dir

LONG = 20_000
"""Characters of a request from which on it is long."""
MOST_ITEMS = 100
"""Of a list in what is left of it."""


def parted(request: dict[str, Any]) -> tuple[str, str | None]:
    """A request as JSON for the list of jobs; and the whole of it, if that is long."""
    text = json.dumps(request)
    return (text, None) if len(text) <= LONG else (json.dumps(_brief(request)), text)


def _brief(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _brief(one) for name, one in value.items()}
    if isinstance(value, list):
        return f"{len(value)} values" if len(value) > MOST_ITEMS else [_brief(one) for one in value]
    return value


def whole(identity: str) -> Any:
    """The long request of a job, as JSON; None if there is none (any more).

    Raises:
        StorageFailed: it cannot be read.
    """
    with reading(runs_dir() / "queue.sqlite") as db:
        row = db and db.execute("SELECT request FROM requests WHERE id = ?", (identity,)).fetchone()
    return row and row["request"]
