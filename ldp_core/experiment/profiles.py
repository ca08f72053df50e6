"""The clients as a CSV file: one line a client, with its budget and its safe range.

Columns are `client` (1, 2, …), `epsilon`, `low`, `high` and, where some clients have one, `run_limit`, in
any order and any dialect that `ldp_core.table` reads. A file holds numbers only, so what we write can be no
formula, and a formula that we read is refused like any other word.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ldp_core import limits
from ldp_core.errors import InvalidExperiment, Problem, one_of, shown
from ldp_core.experiment.clients import Clients
from ldp_core.limits import Limit, spelled
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.resolution import least_in_words, too_narrow
from ldp_core.table import BadTable, read_table

MOST_BYTES = 5 * 2**20
NUMBERS: dict[str, Limit] = {"epsilon": limits.EPSILON, "low": limits.BOUND, "high": limits.BOUND}
OPTIONAL: dict[str, Limit] = {"run_limit": limits.RUN_LIMIT}
COLUMNS = ("client", *NUMBERS)
ALIASES = {
    "client": ("client_id", "clientid", "cid", "id", "user", "name", "no", "nr"),
    "epsilon": ("ε", "eps", "epsilon_i", "budget", "budget ε", "privacy budget", "budget epsilon"),
    "low": ("lower", "min", "minimum", "lower bound", "from"),
    "high": ("upper", "max", "maximum", "upper bound", "to"),
    "run_limit": ("limit", "run limit", "budget of the run", "limit of the run", "epsilon of the run"),
}
"""What other programs, and people, call the columns."""
LIMITS = {"client": limits.CLIENTS} | NUMBERS | OPTIONAL
Lines = npt.NDArray[np.int64]
"""The numbers of the lines that cells stand on."""


def write_profiles(clients: Clients) -> str:
    """The clients as CSV; `read_profiles` gives the same numbers back, bit for bit."""
    low, high = clients.bounds()
    columns = {"epsilon": clients.budgets(), "low": low, "high": high}
    if clients.run_limit is not None:
        columns["run_limit"] = clients.run_limits()
    text = io.StringIO()
    lines = csv.writer(text)
    lines.writerow(["client", *columns])
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    told = (["" if value == np.inf else value for value in row] for row in rows)
    lines.writerows((number, *row) for number, row in enumerate(told, start=1))
    return text.getvalue()


def read_profiles(data: bytes) -> dict[str, Any]:
    """The fields to set in an experiment, by dotted name.

    Raises:
        InvalidExperiment: with everything that is wrong, each by line and column.
    """
    if len(data) > MOST_BYTES:
        size = f"{len(data) / 2**20:.1f} MB"
        raise InvalidExperiment([Problem("", f"the file has {size}; at most {MOST_BYTES >> 20} MB are read")])
    try:
        table = read_table(data)
    except BadTable as error:
        raise InvalidExperiment([error.problem]) from None
    problems, rows = [*table.broken], table.rows
    if not table.names:
        raise InvalidExperiment(problems or [Problem("", "the file is empty; its first line names columns")])
    names = table.called(ALIASES)
    _check_header(names)
    if len(rows) > limits.CLIENTS.maximum:
        line, most = rows[int(limits.CLIENTS.maximum)][0], spelled(limits.CLIENTS.maximum)
        message = f"is one client too many; a file holds at most {most}"
        raise InvalidExperiment([Problem(f"line {line}", message)])
    if not rows and not problems:
        problems.append(Problem("", "the file has a header and no client below it"))
    problems += _wrong_length(rows, len(names))
    where = np.array([line for line, cells in rows if len(cells) == len(names)], dtype=np.int64)
    columns = list(zip(*(cells for _, cells in rows if len(cells) == len(names)), strict=True))
    values = {
        name: _column(name, where, column, problems) for name, column in zip(names, columns, strict=False)
    }
    if values:
        problems += _upside_down(where, values["low"], values["high"])
        problems += _misnumbered(where, values["client"])
    if problems:
        raise InvalidExperiment(sorted(problems, key=_line_of))
    order = np.argsort(values.pop("client"))
    changes: dict[str, Any] = {"clients.count": len(rows)}
    for name in (*NUMBERS, *OPTIONAL):
        if name in values:
            column = values[name][order]
            same = bool((column == column[0]).all())
            every = [None if value == np.inf else value for value in column.tolist()]
            changes[f"clients.{name}"] = every[0] if same else every
    return changes


def _check_header(names: list[str]) -> None:
    wanted = f"the columns are {', '.join(COLUMNS)} and, if wanted, {', '.join(OPTIONAL)}"
    known = (*COLUMNS, *OPTIONAL)
    problems = []
    if missing := [name for name in COLUMNS if name not in names]:
        have = f"{spelled(len(names))} columns" if len(names) > 12 else shown(", ".join(names), 80)
        problems.append(Problem("line 1", f"has no column {one_of(missing)}; got {have}; {wanted}"))
    elif len(names) > len(known):
        problems.append(Problem("line 1", f"has {spelled(len(names))} columns; {wanted}"))
    else:
        for name in dict.fromkeys(names):
            if name not in known:
                problems.append(Problem("line 1", f"has an unknown column {shown(name)}; {wanted}"))
            elif names.count(name) > 1:
                problems.append(Problem("line 1", f"has the column {name} twice"))
    if problems:
        raise InvalidExperiment(problems)


def _wrong_length(rows: list[tuple[int, list[str]]], width: int) -> list[Problem]:
    found = []
    for line, cells in rows:
        if len(cells) != width:
            advice = "; with decimal commas, separate the cells by semicolons" if len(cells) > width else ""
            message = f"has {spelled(len(cells))} cells and the header {width}{advice}"
            found.append(Problem(f"line {line}", message))
    return found


def _column(name: str, where: Lines, cells: Sequence[str], problems: list[Problem]) -> Floats:
    """A column's numbers; NaN, and a problem, where a cell holds none that would do."""
    limit = LIMITS[name]
    known = {cell: _number(cell) for cell in set(cells)}  # a column often holds few different cells
    values = np.array([known[cell] for cell in cells], dtype=np.float64)
    good = (values >= limit.minimum) & (values <= limit.maximum)
    if name in OPTIONAL:  # an empty cell is a client without one
        none = np.array([not cell.strip() for cell in cells], dtype=bool)
        values, good = np.where(none, np.inf, values), good | none
    if name == "client":
        good &= values == np.floor(values)
    wanted = f"must be a {'whole ' if name == 'client' else ''}number {limit}; got "
    bad = np.flatnonzero(~good)
    said: dict[str, str] = {}  # a whole column often holds the same mistake
    for i, line in zip(bad.tolist(), where[bad].tolist(), strict=True):
        text = cells[i].strip() or "nothing"
        if text not in said:
            said[text] = wanted + shown(text)
        problems.append(Problem(f"line {line}, {name}", said[text]))
    return np.where(good, values, np.nan)


def _number(cell: str) -> float:
    """A cell's number, NaN if it is none; Python's own spellings (1_000) are nobody else's."""
    try:
        return math.nan if "_" in cell else float(cell.replace("−", "-"))
    except ValueError:
        return math.nan


def _upside_down(where: Lines, low: Floats, high: Floats) -> list[Problem]:
    """Ranges upside down, or too narrow for what training computes in."""
    found = [
        Problem(f"line {where[i]}, low", f"must be below high, {high[i]:g}; got {low[i]:g}")
        for i in np.flatnonzero(low >= high).tolist()
    ]
    known = ~(np.isnan(low) | np.isnan(high))
    ends = np.where(known, low, -1.0), np.where(known, high, 1.0)
    for i in np.flatnonzero((ends[0] < ends[1]) & too_narrow(*ends)).tolist():
        least = least_in_words(float(low[i]), float(high[i]))
        message = f"must be at least {least} below high, {shown(float(high[i]))}, for float32"
        found.append(Problem(f"line {where[i]}, low", f"{message}; got {shown(float(low[i]))}"))
    return found


def _misnumbered(where: Lines, clients: Floats) -> list[Problem]:
    """Clients that come twice, or whose number is left out below them: they count from 1."""
    found = []
    before: dict[float, int] = {}
    numbered = ~np.isnan(clients)
    count = len(clients)
    for line, client in zip(where[numbered].tolist(), clients[numbered].tolist(), strict=True):
        if client in before:
            message = f"is {client:g}, as on line {before[client]} already"
            found.append(Problem(f"line {line}, client", message))
        elif client > count:
            message = f"is {spelled(client)}, but there are {spelled(count)} clients, numbered from 1"
            found.append(Problem(f"line {line}, client", message))
        else:
            before[client] = line
    return found


def _line_of(problem: Problem) -> int:
    digits = problem.path.removeprefix("line ").partition(",")[0]
    return int(digits) if digits.isdigit() else 0
