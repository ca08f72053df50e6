"""Clients as a CSV file: one line per client, with its budget and its safe range.

Columns are `client` (1, 2, …), `epsilon`, `low`, `high` and optionally `scope` (what every ε covers: weight,
upload or run) and `run_limit` (empty for a client without), in any order and under common headings;
`upload_costs` and `run_costs` are derived, written only. Cells are numbers except for the scope, so no cell
is a spreadsheet formula.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from ldp_core import limits
from ldp_core.errors import InvalidExperiment, Problem, one_of, shown
from ldp_core.experiment.clients import Clients
from ldp_core.limits import Limit, number, spelled
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.resolution import least_in_words, too_narrow
from ldp_core.tables import Heading, Table, find, is_gap, read_table

NUMBERS: dict[str, Limit] = {"epsilon": limits.EPSILON, "low": limits.BOUND, "high": limits.BOUND}
OPTIONAL: dict[str, Limit] = {"run_limit": limits.RUN_LIMIT}
UNLIMITED = ("nan", "inf", "∞", "unlimited", "no limit")
COLUMNS = ("client", *NUMBERS)
SCOPES = {"weight": "mechanism", "upload": "upload", "run": "run"}
DERIVED = ("upload_costs", "run_costs")
LIMITS = {"client": limits.CLIENTS} | NUMBERS | OPTIONAL
_END = "safe range tau τ of a the bound bounds end limit value"
HEADINGS = {
    "client": Heading.of("client clients id cid name nr no number # participant user", "of the"),
    "epsilon": Heading.of("epsilon eps ε budget", "privacy of a the per use client"),
    "low": Heading.of("low lower lowest min minimum from", _END),
    "high": Heading.of("high upper highest max maximum to", _END),
    "run_limit": Heading.of("run limit cap", "of a the whole total epsilon eps ε budget privacy max at most"),
    "scope": Heading.of("scope covers", "epsilon eps ε budget one"),
} | {name: Heading.of("") for name in DERIVED}
LineNumbers = npt.NDArray[np.int64]
"""Line numbers of cells."""


def write_profiles(clients: Clients, costs: Mapping[str, Floats] = MappingProxyType({})) -> str:
    """Clients as CSV, the exact inverse of `read_profiles`; `costs` are derived columns (`DERIVED`), ε per
    client, infinite without a bound.
    """
    low, high = clients.bounds()
    columns = {"epsilon": clients.budgets(), "low": low, "high": high}
    if clients.run_limit is not None:
        columns["run_limit"] = clients.run_limits()
    columns |= costs
    text = io.StringIO()
    lines = csv.writer(text)
    scope = next(name for name, own in SCOPES.items() if own == clients.epsilon_scope)
    lines.writerow(["client", "scope", *columns])
    cells = ([None if value == np.inf else value for value in column.tolist()] for column in columns.values())
    rows = zip(*cells, strict=True)
    lines.writerows((number, scope, *row) for number, row in enumerate(rows, start=1))
    return text.getvalue()


def read_profiles(data: bytes) -> dict[str, Any]:
    """Fields of an experiment by dotted name, from a CSV file. Raises InvalidExperiment: every wrong cell, by
    line and column.
    """
    table = read_table(data)
    names = find(table.headings, HEADINGS)
    _check_header(table.headings, names)
    problems = table.problems
    if len(table.rows) > limits.CLIENTS.maximum:
        line = table.lines[int(limits.CLIENTS.maximum)]
        message = f"is one client too many; a file holds at most {spelled(limits.CLIENTS.maximum)}"
        raise InvalidExperiment.at(f"line {line}", message)
    if not table.rows and not problems:
        problems.append(Problem("", "the file has a header and no client below it"))
    rows = _filled(table, names, problems)
    where = np.array([line for line, _ in rows], dtype=np.int64)
    columns: list[Sequence[str]] = list(zip(*(cells for _, cells in rows), strict=True))
    if columns and names:
        columns[names.index("client")] = _numbered(columns[names.index("client")])
    by_name = dict(zip(names, columns, strict=False))
    values = {
        name: _column(table, name, where, column, problems)
        for name, column in by_name.items()
        if name in LIMITS
    }
    scope = _scope(where, by_name.get("scope", ()), problems)
    if values:
        problems += _upside_down(where, values["low"], values["high"])
        problems += _misnumbered(where, values["client"])
    if problems:
        raise InvalidExperiment(sorted(problems, key=_line_of))
    order = np.argsort(values.pop("client"))
    changes: dict[str, Any] = {"clients.count": len(rows)}
    if scope:
        changes["clients.epsilon_scope"] = SCOPES[scope]
    for name in (*NUMBERS, *OPTIONAL):
        if name in values:
            column = values[name][order]
            same = bool((column == column[0]).all())
            found = [None if value == np.inf else value for value in column.tolist()]
            changes[f"clients.{name}"] = found[0] if same else found
    return changes


def main(_: Mapping[str, Any], files: Mapping[str, bytes]) -> tuple[dict[str, Any], bytes]:
    """For `system.bounded`."""
    return read_profiles(files["clients"]), b""


def _check_header(headings: Sequence[str], names: Sequence[str]) -> None:
    wanted = f"the columns are {', '.join(COLUMNS)} and, if wanted, scope and {', '.join(OPTIONAL)}"
    problems = []
    if missing := [name for name in COLUMNS if name not in names]:
        have = f"{spelled(len(names))} columns" if len(names) > 12 else shown(", ".join(headings), 80)
        problems.append(Problem("line 1", f"has no column {one_of(missing)}; got {have}; {wanted}"))
    elif len(names) > len(HEADINGS):
        problems.append(Problem("line 1", f"has {spelled(len(names))} columns; {wanted}"))
    else:
        for heading, name in zip(headings, names, strict=True):
            if not name:
                problems.append(Problem("line 1", f"has an unknown column {shown(heading)}; {wanted}"))
        for name in dict.fromkeys(filter(None, names)):
            if names.count(name) > 1:
                same = [shown(heading) for heading, one in zip(headings, names, strict=True) if one == name]
                problems.append(Problem("line 1", f"has the column {name} twice: {' and '.join(same)}"))
    if problems:
        raise InvalidExperiment(problems)


def _filled(table: Table, names: Sequence[str], problems: list[Problem]) -> list[tuple[int, list[str]]]:
    """Rows with a cell for every column; a missing last cell of a limit counts as empty."""
    needed = max(i for i, name in enumerate(names) if name in COLUMNS) + 1
    rows = []
    for line, cells in zip(table.lines, table.rows, strict=True):
        if len(cells) < needed:
            message = f"has {spelled(len(cells))} cells and the header {spelled(len(names))}"
            problems.append(Problem(f"line {line}", message))
        else:
            rows.append((line, cells + [""] * (len(names) - len(cells))))
    return rows


def _numbered(cells: Sequence[str]) -> Sequence[str]:
    """The clients' numbers, counted from 1; numbers 0 to n − 1 are shifted."""
    plain = {cell.strip() for cell in cells}
    if len(cells) > 1 and plain == {str(number) for number in range(len(cells))}:
        return [str(int(cell) + 1) for cell in cells]
    return cells


def _column(
    table: Table, name: str, where: LineNumbers, cells: Sequence[str], problems: list[Problem]
) -> Floats:
    limit = LIMITS[name]
    known = {cell: table.number(cell) for cell in set(cells)}  # a column often holds few different cells
    values = np.array([known[cell] for cell in cells], dtype=np.float64)
    good = (values >= limit.minimum) & (values <= limit.maximum)
    if name == "client":
        good &= values == np.floor(values)
    if name in OPTIONAL:
        gap = np.array([is_gap(cell) or cell.strip().casefold() in UNLIMITED for cell in cells])
        values, good = np.where(gap, np.inf, values), good | gap
    wanted = f"must be a {'whole ' if name == 'client' else ''}number {limit}; got "
    bad = np.flatnonzero(~good)
    said: dict[str, str] = {}  # a whole column often holds the same mistake
    for i, line in zip(bad.tolist(), where[bad].tolist(), strict=True):
        text = cells[i].strip() or "nothing"
        if text not in said:
            said[text] = table.ambiguous(text) or wanted + shown(text)
        problems.append(Problem(f"line {line}, {name}", said[text]))
    return np.where(good, values, np.nan)


def _line_of(problem: Problem) -> int:
    digits = problem.path.removeprefix("line ").partition(",")[0]
    return int(digits) if digits.isdigit() else 0


def _scope(where: LineNumbers, cells: Sequence[str], problems: list[Problem]) -> str:
    found = {cell.strip().casefold(): line for cell, line in zip(cells, where.tolist(), strict=False)}
    found.pop("", None)
    for text, line in found.items():
        if text not in SCOPES:
            problems.append(Problem(f"line {line}, scope", f"must be {one_of([*SCOPES])}; got {shown(text)}"))
    if len(found) > 1 and found.keys() <= SCOPES.keys():
        (one, _), (other, line), *_ = found.items()
        message = f"is {other} beside {one}: an ε covers the same for every client of a file"
        problems.append(Problem(f"line {line}, scope", message))
    return next(iter(found), "")


def _upside_down(where: LineNumbers, low: Floats, high: Floats) -> list[Problem]:
    """Problems of ranges that are reversed, or too narrow for float32."""
    found = [
        Problem(f"line {where[i]}, low", f"must be below high, {number(high[i], 6)}; got {number(low[i], 6)}")
        for i in np.flatnonzero(low >= high).tolist()
    ]
    known = ~(np.isnan(low) | np.isnan(high))
    ends = np.where(known, low, -1.0), np.where(known, high, 1.0)
    for i in np.flatnonzero((ends[0] < ends[1]) & too_narrow(*ends)).tolist():
        least = least_in_words(float(low[i]), float(high[i]))
        message = f"must be at least {least} below high, {shown(float(high[i]))}, for float32"
        found.append(Problem(f"line {where[i]}, low", f"{message}; got {shown(float(low[i]))}"))
    return found


def _misnumbered(where: LineNumbers, clients: Floats) -> list[Problem]:
    """Problems of client numbers that occur twice or leave gaps; they count from 1."""
    found = []
    before: dict[float, int] = {}
    numbered = ~np.isnan(clients)
    count = len(clients)
    for line, client in zip(where[numbered].tolist(), clients[numbered].tolist(), strict=True):
        if client in before:
            message = f"is {number(client, 6)}, as on line {before[client]} already"
            found.append(Problem(f"line {line}, client", message))
        elif client > count:
            message = f"is {spelled(client)}, but there are {spelled(count)} clients, numbered from 1"
            found.append(Problem(f"line {line}, client", message))
        else:
            before[client] = line
    return found
