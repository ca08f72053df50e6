"""Interpretation of a table: target, client column, input columns, rows held out and left out."""

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from ldp_core.datasets._table.card import MOST_NAME, Card
from ldp_core.datasets._table.features import Feature, Whole, columns, features_of, learnt_from
from ldp_core.errors import InvalidInput, printable, shown
from ldp_core.limits import CLIENTS, spelled
from ldp_core.streams import stream
from ldp_core.tables import Column, Table, is_gap

MOST_CLASSES, MOST_FEATURES, MOST_COLUMNS = 100, 2_000, 2_000
HELD_OUT = 5
"""One row of so many is held out, drawn once for all runs."""
TARGETS = Column.of("target label class outcome y species diagnosis", "the is name id")
CLIENT = Column.of(
    "client user person participant patient site hospital device owner", "id no nr number name #"
)


@dataclass(frozen=True)
class Understood:
    target: str
    client: str
    """Heading of the client column; "" without one."""
    classes: tuple[str, ...]
    clients: tuple[str, ...]
    features: tuple[Feature, ...]
    train: Whole
    """Indices of the training rows, ascending."""
    test: Whole
    labels: Whole
    """Class of every row of the table; −1 for rows that are left out."""
    owners: Whole | None
    """Client of each training row, counted from 0; None without a client column."""
    notes: tuple[str, ...]
    """What was guessed and what is left out, in sentences without full stops."""
    learnt: str

    @property
    def width(self) -> int:
        return sum(one.width for one in self.features)


def understand(table: Table, card: Card) -> Understood:
    """Interpretation of a table by its card; what the card does not state is guessed from headings and cells.
    InvalidInput: the end of a sentence that begins with the table's name.
    """
    refuse_unreadable(table)
    headings, cells = table.headings, columns(table)
    target = _target(headings, cells, card)
    notes = [] if card.target else [f"“{headings[target]}” is taken for what is to be predicted"]
    client = _client(headings, cells, card, target)
    if client is not None and card.client is None:
        notes.append(f"“{headings[client]}” is taken for whose row it is")
    kept = np.array([not is_gap(cell) for cell in cells[target]])
    if client is not None:
        kept &= np.array([cell != "" for cell in cells[client]])
    if gone := int((~kept).sum()):
        notes.append(
            f"{spelled(gone)} rows without a target{'' if client is None else ' or client'} are left out"
        )
    classes = _classes([cells[target][i] for i in np.flatnonzero(kept)], headings[target])
    number = {value: i for i, value in enumerate(classes)}
    labels = np.array(
        [number.get(cell, -1) if keep else -1 for cell, keep in zip(cells[target], kept, strict=True)]
    )
    clients: tuple[str, ...] = ()
    of_row = np.zeros(len(kept), np.int64)
    if client is not None:
        clients = tuple(sorted({cells[client][i] for i in np.flatnonzero(kept)}, key=_in_order))
        place = {value: i for i, value in enumerate(clients)}
        of_row = np.array([place.get(cell, 0) for cell in cells[client]], np.int64)
    train, test = _split(np.flatnonzero(kept), of_row, len(clients))
    features = tuple(features_of(table, cells, card, {target} if client is None else {target, client}, notes))
    if not features:
        raise InvalidInput("has no column left to predict from beside its target")
    if (width := sum(one.width for one in features)) > MOST_FEATURES:
        raise InvalidInput(
            f"comes to {spelled(width)} numbers a row; at most {spelled(MOST_FEATURES)} are taken"
        )
    return Understood(
        headings[target], "" if client is None else headings[client], classes, clients, features, train, test,
        labels.astype(np.int64), of_row[train] if clients else None, tuple(notes), learnt_from(features),
    )  # fmt: skip


def refuse_unreadable(table: Table) -> None:
    """Raise InvalidInput for a fault of a table that no card can repair."""
    if table.problems:
        more = f" and {len(table.problems) - 1} more" if len(table.problems) > 1 else ""
        raise InvalidInput(f"has lines that cannot be read: {table.problems[0]}{more}")
    if (wide := len(table.headings)) > MOST_COLUMNS:
        raise InvalidInput(f"has {spelled(wide)} columns; at most {spelled(MOST_COLUMNS)} are read")
    for name, count in Counter(table.headings).items():
        if count > 1:
            raise InvalidInput(f"has {count} columns called {shown(name)}; rename one")
        if len(name) > MOST_NAME or not printable(name):
            raise InvalidInput(
                f"has a heading that is too long: {shown(name)}; at most {MOST_NAME} characters"
            )
    if not table.rows:
        raise InvalidInput("has a line of headings and no rows")
    for line, row in zip(table.lines, table.rows, strict=True):
        if found := next((cell for cell in row if cell.lstrip().startswith("=") and len(cell) > 1), None):
            raise InvalidInput(f"holds a formula in line {line}, {shown(found)}; save it with values instead")


def _target(headings: tuple[str, ...], cells: list[list[str]], card: Card) -> int:
    if card.target:
        return headings.index(card.target)
    ways = [
        i for i, heading in enumerate(headings) if heading not in (card.client, *card.leave_out, *card.scales)
    ]
    named = [i for i in ways if TARGETS.fits(headings[i])]
    if len(named) == 1:
        return named[0]
    for i in reversed(ways):
        if (
            2
            <= len({cell for cell in cells[i] if not is_gap(cell)})
            <= min(MOST_CLASSES, max(2, len(cells[i]) // 4))
        ):
            return i
    raise InvalidInput(
        f"has no column that looks like a target, with 2 to {MOST_CLASSES} values; name it as target"
    )


def _client(headings: tuple[str, ...], cells: list[list[str]], card: Card, target: int) -> int | None:
    if card.client is not None:
        return headings.index(card.client) if card.client else None
    if "client" in (heading.casefold() for heading in headings):
        named = [i for i, heading in enumerate(headings) if heading.casefold() == "client"]
    else:
        named = [i for i, heading in enumerate(headings) if CLIENT.fits(heading)]
    named = [i for i in named if i != target and headings[i] not in (*card.scales, *card.leave_out)]
    if len(named) != 1:
        return None
    # a number of its own for each row is a count of rows, and no client
    return named[0] if 2 <= len(set(cells[named[0]]) - {""}) <= len(cells[named[0]]) // 2 else None


def _classes(values: list[str], target: str) -> tuple[str, ...]:
    found = sorted(set(values), key=_in_order)
    if not 2 <= len(found) <= MOST_CLASSES:
        raise InvalidInput(
            f"holds {len(found)} value{'s' * (len(found) != 1)} in its target {shown(target)}; 2 to "
            f"{MOST_CLASSES} classes are needed: name another column as target, or group its values"
        )
    for value in found:
        if len(value) > MOST_NAME or not printable(value):
            raise InvalidInput(f"holds a class with a name that is too long: {shown(value)}")
    return tuple(found)


def _in_order(value: str) -> tuple[bool, float, str]:
    """Sort key of cells: numbers by value, then text."""
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    return (False, number, value) if math.isfinite(number) else (True, 0.0, value)


def _split(rows: Whole, of_row: Whole, clients: int) -> tuple[Whole, Whole]:
    """Training rows and held-out rows; each client keeps at least one training row."""
    if clients > CLIENTS.maximum:
        raise InvalidInput(
            f"names {spelled(clients)} clients; at most {spelled(CLIENTS.maximum)} are trained"
        )
    order = stream(0, "holdout").permutation(len(rows))
    cut = max(1, len(rows) // HELD_OUT)
    test = np.zeros(len(rows), bool)
    test[order[:cut]] = True
    if clients:
        held, every = (np.bincount(of_row[some], minlength=clients) for some in (rows[test], rows))
        bare = np.flatnonzero(held == every)
        places = np.unique(of_row[rows], return_index=True)[1]
        test[places[bare]] = False
    if test.all() or not test.any():
        raise InvalidInput(f"holds too few rows ({len(rows)}) to train on some and hold others out")
    return rows[~test], rows[test]
