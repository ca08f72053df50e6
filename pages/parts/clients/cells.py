"""Edits of cells in the clients' table.

A client's row is applied as a whole: while one of its cells is unreadable or its range reversed, typed text
stays in the cells with an error, and the draft keeps the last valid row.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from ldp_core import limits
from ldp_core.errors import shown
from ldp_core.experiment import Clients
from ldp_core.limits import Limit
from ldp_core.mechanisms.shared.resolution import least_in_words, too_narrow
from ldp_core.tables import two_readings, typed
from pages.parts.ui.text import number
from pages.parts.ui.workspace import Workspace

FIELDS: dict[str, Limit] = {"epsilon": limits.EPSILON, "low": limits.BOUND, "high": limits.BOUND}
TableCell = tuple[int, str]
"""A client, numbered from 1, and a field."""
MOST_EDITS = 2000
"""Largest number of edits in the table's state (assets/web/table.js)."""
MOST_TYPED = 100
"""Largest number of characters of a cell."""


@dataclass(frozen=True)
class CellEdits:
    """Changes of the draft, text that stays in cells, and errors."""

    changes: dict[str, Any]
    typed: dict[TableCell, str]
    errors: dict[TableCell, str]


def apply_edits(
    clients: Clients, typed: dict[TableCell, str], edits: Iterable[tuple[TableCell, str]]
) -> CellEdits:
    """Apply the valid rows of new edits, the last of which wins, over text `typed` in invalid rows."""
    low, high = clients.bounds()
    values = {"epsilon": clients.budgets().tolist(), "low": low.tolist(), "high": high.tolist()}
    pending = {cell: text for cell, text in [*typed.items(), *edits] if 1 <= cell[0] <= clients.count}
    left: dict[TableCell, str] = {}
    errors: dict[TableCell, str] = {}
    changed: set[str] = set()
    for client in sorted({client for client, _ in pending}):
        mine = {field: pending[client, field] for field in FIELDS if (client, field) in pending}
        row, wrong = _read(mine, {field: values[field][client - 1] for field in FIELDS})
        if wrong:
            left |= {(client, field): text for field, text in mine.items()}
            errors |= {(client, field): message for field, message in wrong.items()}
            continue
        for field in mine:
            if values[field][client - 1] != row[field]:
                values[field][client - 1] = row[field]
                changed.add(field)
    changed |= {"low", "high"} if changed & {"low", "high"} else set()
    changes = {f"clients.{field}": one_if_equal(values[field]) for field in FIELDS if field in changed}
    return CellEdits(changes, left, errors)


def _read(mine: dict[str, str], row: dict[str, float]) -> tuple[dict[str, float], dict[str, str]]:
    """A row with the typed cells parsed, and the error of each invalid cell."""
    wrong = {}
    for field, text in mine.items():
        value = typed(text)
        if both := "," in text and two_readings(text):
            wrong[field] = both
        elif not FIELDS[field].allows(value):
            got = f"; got {shown(text.strip())}" if text.strip() else ""
            wrong[field] = f"{'' if got else 'is empty; it '}must be a number {FIELDS[field]}{got}"
        else:
            row[field] = value
    if wrong.keys() & {"low", "high"}:
        return row, wrong  # which end the other one is, is unknown yet
    where, words, other = ("low", "below", "high") if "low" in mine else ("high", "above", "low")
    if row["low"] >= row["high"]:
        got = number(row[where], 6)
        wrong[where] = f"must be {words} {number(row[other], 6)}, the other end of the range; got {got}"
    elif too_narrow(np.array(row["low"]), np.array(row["high"])):
        least = least_in_words(row["low"], row["high"])
        wrong[where] = (
            f"must be at least {least} {words} {shown(row[other])}, the other end of the range: float32, in "
            f"which training runs, is too coarse for less; got {shown(row[where])}"
        )
    return row, wrong


def one_if_equal(values: list[float]) -> float | list[float]:
    """A list of equal numbers as one number."""
    return values[0] if len(set(values)) == 1 else values


def resized(value: Any, count: int) -> Any:
    """List cut or extended by its last entry to `count` entries; other values unchanged."""
    if not isinstance(value, list | tuple):
        return value
    return one_if_equal([*value, *[value[-1]] * max(0, count - len(value))][:count])


class Edit(NamedTuple):
    serial: int
    """Number of the edit of its table, from 1."""
    cell: TableCell
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


def errors_of(workspace: Workspace) -> dict[TableCell, str]:
    """Error of each invalid cell."""
    found: dict[TableCell, str] = st.session_state.get(workspace.key("wrong", "clients"), {})
    return found


def unmended(workspace: Workspace) -> str:
    """Number of invalid cells, in words; "" if none."""
    count = len(errors_of(workspace))
    return f"{count} cell{'s' if count > 1 else ''} of the clients' table to mend" if count else ""
