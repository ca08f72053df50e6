"""Interpretation of a table: target, client column, input columns, rows held out and left out; what the file
does not prove becomes a question.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.datasets._columns import Column, Feature, features_of, learnt_from
from ldp_core.datasets._data_card import MOST_NAME, Card, Seen
from ldp_core.datasets._found import Found, divided, held_out, held_persons
from ldp_core.errors import InvalidExperiment, InvalidInput, printable, shown
from ldp_core.limits import spelled
from ldp_core.tables import Heading, Table, encodings, read_table, two_readings, value, words

MOST_CLASSES, MOST_FEATURES, MOST_COLUMNS = 100, 2_000, 2_000
MOST_BYTES = 20 * 2**20
SHOWN, OFFERED, SCALED = 3, 3, 6
"""Numbers of rows that are shown, of answers that are offered, and of scales that are named."""
TARGETS = Heading.of(
    "target label class outcome y species diagnosis survived status event default fraud readmitted attrition "
    "churn churned canceled cancelled bought returned defaulted result gekündigt klasse ziel 是否流失 "
    "death dead died deceased alive mortality relapse recurrence arrest vote grade",
    "the is has was name id of payment next month reservation booking loan",
)
AMOUNTS = words("price charges charge cost salary cnt count amount revenue sales medv")


def read(data: bytes, seen: Seen) -> Table:
    """Table of a file in CSV. InvalidInput: the end of a sentence that begins with its name."""
    card, known = seen.card, encodings(data)
    first = card.encoding or (known or [""])[0]
    try:
        table = read_table(data, MOST_BYTES, first, card.headings not in (False, "skip"))
        if len(known) > 1 and not card.encoding:
            each = {one: read_table(data, MOST_BYTES, one) for one in known[:OFFERED]}
            says = [(f"{one}: {_first(read)}", {"encoding": one}) for one, read in each.items()]
            seen.ask("in which encoding is it written?", *says)
    except InvalidExperiment as error:
        raise InvalidInput(f"cannot be read: {error.problems[0]}") from None
    if card.headings == "skip":
        table = read_table(_below(data), MOST_BYTES, first, headed=False)
    elif card.headings is None and _headless(table) and not _named(card, table):
        ways: list[tuple[str, dict[str, Any]]] = [
            ("no, its first line is a row", {"headings": False}),
            ("yes, its first line names the columns", {"headings": True}),
            ("neither: leave its first line out", {"headings": "skip"}),
        ]
        below = read_table(_below(data), MOST_BYTES, first, headed=False)
        if len(table.problems) > len(table.rows) and not below.problems:  # it has other cells than all below
            ways.reverse()
        seen.ask("has it a line of headings?", *ways)
        table = (
            below if ways[0][1]["headings"] == "skip" else read_table(data, MOST_BYTES, first, headed=False)
        )
    if table.row_names:
        seen.notes.append("left out: the first column, which has no heading and names the rows")
    return table


def _below(data: bytes) -> bytes:
    """A file without its first line."""
    return data.partition(b"\n")[2] or data


def _first(table: Table) -> str:
    return " / ".join(", ".join(row[:8]) for row in [[*table.headings], *table.rows[:SHOWN]])


def _headless(table: Table) -> bool:
    """Whether the line of headings looks like a row: with a number, or with cells that all stand below."""
    if any(math.isfinite(value(heading, ".")) for heading in table.headings):
        return True
    below = zip(*(row for row in table.rows[:1000] if len(row) == len(table.headings)), strict=True)
    return bool(table.rows) and all(
        heading in {cell.strip() for cell in cells}
        for heading, cells in zip(table.headings, below, strict=False)
    )


def _named(card: Card, table: Table) -> bool:
    return bool(card.named) and {*card.named} <= {*table.headings}


def columns_of(table: Table, card: Card, decimal: str) -> list[Column]:
    width = len(table.headings)
    rows = [row if len(row) == width else row + [""] * (width - len(row)) for row in table.rows]
    cells = [[cell.strip() for cell in column] for column in zip(*rows, strict=True)] or [[]] * width
    return [
        Column(heading, i, column, decimal, card)
        for i, (heading, column) in enumerate(zip(table.headings, cells, strict=True))
    ]


def understand(table: Table, seen: Seen) -> tuple[Found, NDArray[np.float32]]:
    """Interpretation of a table by its card, and its rows that train and are held out, as numbers. What the
    card does not state is guessed, noted and asked. InvalidInput: the end of a sentence that begins with the
    table's name.
    """
    refuse_unreadable(table)
    card, decimal = seen.card, table.decimal
    card.refuse_unknown(table.headings)
    columns = columns_of(table, card, card.decimal or decimal or ".")
    seen.rows = [[*table.headings], *([cell.strip() for cell in row] for row in table.rows[:SHOWN])]
    if not (decimal or card.decimal):
        _ask_of_thousands(columns, seen)
    client = _client(columns, seen)
    person = _person(columns, client, seen)
    target = _target([one for one in columns if one not in (client, person)], seen)
    others = [one for one in columns if one not in (target, client, person)]
    _ask_of_gaps([target, *(one for one in others if not one.apart())], seen)
    kept = np.array([not target.gap(cell) for cell in target.cells])
    for one in filter(None, (client, person)):
        kept &= np.array([cell != "" for cell in one.cells])
    if gone := int((~kept).sum()):
        whose = (" or client" if client else "") + (" or person" if person else "")
        seen.notes.append(f"{spelled(gone)} rows without a target{whose} are left out")
    if person:
        _first_rows(person, kept, seen)
    rows = np.flatnonzero(kept)
    classes = _classes([target.cells[i] for i in rows], target.heading)
    number = {one: i for i, one in enumerate(classes)}
    labels = np.array([number[target.cells[i]] for i in rows], np.int64)
    clients, owners = tuple[str, ...](), None
    if client:
        clients = tuple(sorted({client.cells[i] for i in rows}, key=_in_order))
        place = {one: i for i, one in enumerate(clients)}
        owners = np.array([place[client.cells[i]] for i in rows], np.int64)
    test = held_out(labels, owners)
    if person and len(rows):
        persons = np.unique([person.cells[i] for i in rows], return_inverse=True)[1]
        test = held_persons(persons, np.zeros_like(labels) if owners is None else owners)
    features = tuple(features_of(others, rows[~test], rows, seen)) if not test.all() else ()
    if not features and not test.all():
        raise InvalidInput("has no column left to predict from beside its target; state a scale for one")
    if (width := sum(one.width for one in features)) > MOST_FEATURES:
        raise InvalidInput(
            f"comes to {spelled(width)} numbers a row; at most {spelled(MOST_FEATURES)} are taken"
        )
    seen.columns = [_described(one) for one in features]
    learnt = learnt_from(features)
    if learnt:
        _ask_of_scales([one for one in features if not one.stated], seen)
    found = divided(
        "rows", seen, classes, clients, rows, labels, owners, test, columns=features, target=target.heading,
        client=client.heading if client else "", learnt=learnt, rows_each=card.rows_each if person else 0,
    )  # fmt: skip
    return found, numbers_of(found, columns)


def numbers_of(found: Found, columns: Sequence[Column]) -> NDArray[np.float32]:
    """Rows that train, then those held out, as numbers."""
    those = found.order.tolist()
    return np.hstack(
        [one.of([columns[one.place].cells[i] for i in those], columns[0].decimal) for one in found.columns]
    )


def _described(one: Feature) -> list[str]:
    numbers = " to ".join(f"{end:.6g}" for end in one.scale) if one.number else ""
    origin = "stated" if one.stated else "from the rows, which no ε covers"
    scale = numbers or ", ".join(map(str, one.scale))
    return [one.heading, "number" if one.number else "category", scale, origin]


def _ask_of_thousands(columns: Sequence[Column], seen: Seen) -> None:
    for column in columns:
        for cell in column.kinds if column.numbers else ():
            if two_readings(cell):
                point, comma = (f"{value(cell, mark):.10g}" for mark in ".,")
                seen.ask(
                    f"what is {cell} in “{column.heading}”?",
                    (point, {"decimal": "."}),
                    (comma, {"decimal": ","}),
                )
                return


def _ask_of_gaps(columns: Sequence[Column], seen: Seen) -> None:
    for column in columns:
        if column.doubtful:
            count = sum(column.kinds[cell] for cell in column.marked)
            asks = f"is {column.marked[0]}, in {spelled(count)} rows of “{column.heading}”, a value or a gap?"
            ways = ("a value", {"gaps": {column.heading: False}}), ("a gap", {"gaps": {column.heading: True}})
            seen.ask(asks, *(ways if column.holds else ways[::-1]))


def _ask_of_scales(features: Sequence[Feature], seen: Seen) -> None:
    public: dict[str, list[Any]] = {}
    for one in features:
        public[one.heading] = list(one.scale)
        if one.number:
            low, high = map(float, one.scale)
            step = 10.0 ** math.floor(math.log10(high - low))
            ends = math.floor(low / step) * step, math.ceil(high / step) * step
            public[one.heading] = [float(f"{end:.12g}") for end in ends]
    some = [
        f"{name} {' to '.join(f'{end:.6g}' for end in ends) if isinstance(ends[0], float) else 'as listed'}"
        for name, ends in [*public.items()][:SCALED]
    ]
    more = f" and {spelled(len(public) - SCALED)} more" if len(public) > SCALED else ""
    seen.ask(
        "least and most of each number are taken from the rows; without publicly known ones ε of each row is "
        "refused",
        ("from the rows", {}),
        (f"publicly known: {', '.join(some)}{more}", {"scales": public}),
        proved=True,
    )


def refuse_unreadable(table: Table) -> None:
    """Raise InvalidInput for a fault of a table that no card can repair."""
    if table.problems:
        more = f" and {len(table.problems) - 1} more" if len(table.problems) > 1 else ""
        raise InvalidInput(f"has lines that cannot be read: {table.problems[0]}{more}")
    if (wide := len(table.headings)) > MOST_COLUMNS:
        raise InvalidInput(f"has {spelled(wide)} columns; at most {spelled(MOST_COLUMNS)} are read")
    for name in table.headings:
        if (count := table.headings.count(name)) > 1:
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


def _client(columns: Sequence[Column], seen: Seen) -> Column | None:
    card = seen.card
    if card.says_client:
        return next((one for one in columns if one.heading == card.client), None)
    used = {card.target, card.person, *card.scales, *card.leave_out}
    ways = [one for one in columns if one.names and one.repeats and one.heading not in used]
    known = [one for one in ways if one.heading.casefold() == "client"]
    ways = (known or sorted(ways, key=lambda one: len(one.values)))[: OFFERED - 1]
    if ways:
        those = [
            (f"“{one.heading}” names {spelled(len(one.values))} clients", {"client": one.heading})
            for one in ways
        ]
        seen.ask(
            "whose rows are these?", *those, ("no column names clients", {"client": None}), proved=bool(known)
        )
    return ways[0] if ways else None


def _person(columns: Sequence[Column], client: Column | None, seen: Seen) -> Column | None:
    card = seen.card
    if "person" in card.model_fields_set or not (client or card.says_client):
        return next((one for one in columns if one.heading == card.person and one is not client), None)
    used = {card.target, *card.scales, *card.leave_out}
    ways = [
        one for one in columns if one.names and one.repeats and one is not client and one.heading not in used
    ]
    if ways:
        name, count = ways[0].heading, spelled(len(ways[0].values))
        kept = ("10 rows", 10), ("one row", 1)
        those = [
            (f"“{name}” does, with at most {rows} each", {"person": name, "rows_each": n}) for rows, n in kept
        ]
        asks = f"no column says which person a row is of; “{name}” names {count}"
        seen.ask(asks, ("none does", {"person": None}), *those, proved=True)
    return None


def _first_rows(person: Column, kept: NDArray[np.bool_], seen: Seen) -> None:
    """Drop all rows of a person but the first ones from the mask `kept`."""
    count, most, before = Counter[str](), seen.card.rows_each, int(kept.sum())
    for i in np.flatnonzero(kept).tolist():
        count[person.cells[i]] += 1
        kept[i] = count[person.cells[i]] <= most
    gone = spelled(before - int(kept.sum()))
    seen.notes.append(
        f"“{person.heading}” names {spelled(len(count))} persons: of each the first {most} rows of the file "
        f"are kept, and {gone} later ones left out; no person's rows both train and are held out"
    )


def _target(columns: Sequence[Column], seen: Seen) -> Column:
    card = seen.card
    if card.target:
        return next(one for one in columns if one.heading == card.target)
    most = min(MOST_CLASSES, max(2, len(columns[0].cells) // 4)) if columns else 0
    ways = [
        one
        for one in columns
        if one.heading not in {*card.leave_out, *card.scales}
        and 2 <= len(one.values) <= most
        and not one.names
        and (len(one.values) == 2 or all(number.is_integer() for number in one.numbers.values()))
    ][::-1]
    named = [one for one in ways if TARGETS.fits(one.heading) or words(one.heading) & {"is", "has"}]
    ends = (columns[-1], columns[0]) if card.headings in (False, "skip") else ()
    ways.sort(key=lambda one: (one not in named, one not in ends, len(one.values) > 2))
    if not ways:
        raise InvalidInput(
            f"has no column that looks like a target, with 2 to {MOST_CLASSES} values; name it as target"
        )
    proved = len(named) == 1 or len(ways) == 1
    rule = "by its name" if len(named) == 1 else "the only column with few values"
    asks = f"“{ways[0].heading}” is predicted, {rule}" if proved else "what is to be predicted?"
    seen.ask(
        asks,
        *((f"“{one.heading}”: {_sample(one)}", {"target": one.heading}) for one in ways[:OFFERED]),
        proved=proved,
    )
    if not named:
        passed = [one.heading for one in columns if len(one.numbers) > most and words(one.heading) & AMOUNTS]
        seen.notes += [f"“{one}” is a number, and only classes are predicted here" for one in passed]
    return ways[0]


def _sample(column: Column) -> str:
    values = sorted(column.values, key=_in_order)
    more = f" … {len(values)} in all" if len(values) > 4 else ""
    return ", ".join(shown(one, 20) for one in values[:4]) + more


def _classes(values: list[str], target: str) -> tuple[str, ...]:
    found = sorted(set(values), key=_in_order)
    if not 2 <= len(found) <= MOST_CLASSES:
        raise InvalidInput(
            f"holds {len(found)} value{'s' if len(found) != 1 else ''} in its target {shown(target)}; 2 to "
            f"{MOST_CLASSES} classes are needed: name another column as target, or group its values"
        )
    for one in found:
        if len(one) > MOST_NAME or not printable(one):
            raise InvalidInput(f"holds a class with a name that is too long: {shown(one)}")
    return tuple(found)


def _in_order(cell: str) -> tuple[bool, float, str]:
    """Sort key of cells: numbers by value, then text."""
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    return (False, number, cell) if math.isfinite(number) else (True, 0.0, cell)
