"""Parsing of the clients' table's events, which browsers may forge."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from pages.parts.clients.cells import Cell

MOST_EDITS = 2000
"""Largest number of edits in the table's state (assets/web/table.js)."""
MOST_TYPED = 100
"""Largest number of characters of a cell."""


class Edit(NamedTuple):
    serial: int
    """Number of the edit of its table, from 1."""
    cell: Cell
    text: str


def heard(state: Any) -> tuple[str, list[Edit]]:
    """Table id and edits in order, from the component's state."""
    edits = state.get("edits") if isinstance(state, Mapping) else None
    if not isinstance(edits, Mapping) or not isinstance(edits.get("log"), list):
        return "", []
    found = [edit for one in edits["log"][-MOST_EDITS:] if (edit := _edit(one))]
    return str(edits.get("mount"))[:MOST_TYPED], sorted(found)


def _edit(one: Any) -> Edit | None:
    if not isinstance(one, Mapping):
        return None
    serial, client, field, text = (one.get(name) for name in ("serial", "client", "field", "text"))
    if not isinstance(serial, int) or not isinstance(client, int):
        return None
    if not isinstance(field, str) or not isinstance(text, str):
        return None
    return Edit(serial, (client, field), text[:MOST_TYPED])
