"""Rounds that were measured elsewhere, from a CSV or JSON lines: kept under a name, to be shown beside ours.

They are figures and no run: nothing here knows with which settings they came about, so nothing but drawing is
done with them. A file is taken whole or not at all.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ldp_core.errors import InvalidInput, NotYours, UnknownJob, on_one_line, printable, shown
from ldp_core.runs.queue import new_id
from ldp_core.runs.queue.people import OPERATOR, Person
from ldp_core.runs.queue.table import ID
from ldp_core.runs.storage.database import reading, writing
from ldp_core.runs.storage.paths import runs_dir
from ldp_core.table import BadTable, Table, read_table

SCHEMA = """
CREATE TABLE IF NOT EXISTS outside (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    owner TEXT,
    at REAL NOT NULL,          -- when it was brought here
    lines TEXT NOT NULL        -- as JSON: label, seed, and by figure its values from round 0
);
PRAGMA user_version = 1;
"""
ROUNDS = (".csv", ".jsonl", ".json", ".txt")
"""What the names of such files end in."""
FIGURES = {"accuracy": 1.0, "loss": math.inf, "noise_variance": math.inf}
"""What is kept of a round, and the most that it can be; the least is 0."""
ALIASES = {
    "round": (
        *(
            "step",
            "_step",
            "server-round",
            "server_round",
            "communication round",
            "comm_round",
            "rnd",
            "epoch",
        ),
        *("iteration", "iter", "global_step", "global round", "rounds", "t"),
    ),
    "accuracy": (
        *("acc", "test_accuracy", "test acc", "val_accuracy", "val acc", "eval_accuracy", "eval acc"),
        *("test/accuracy", "val/accuracy", "eval/accuracy", "metrics/accuracy", "centralized_accuracy"),
        *("distributed_accuracy", "global_accuracy", "top1", "accuracy_score", "genauigkeit"),
    ),
    "loss": (
        *("test_loss", "val_loss", "eval_loss", "test/loss", "val/loss", "eval/loss", "metrics/loss"),
        *("centralized_loss", "distributed_loss", "global_loss", "log_loss", "cross_entropy"),
    ),
    "noise_variance": ("variance", "noise variance", "noise_var"),
    "seed": ("random_seed", "random_state", "rng_seed"),
    "label": ("run", "run_id", "run_name", "name", "experiment", "method", "algorithm", "mechanism"),
}
"""What trackers and frameworks call the columns."""
OF_A_RUN = re.compile(r"(?P<label>.+) - (?P<figure>[^-]+?)(?P<rest>__MIN|__MAX)?")
"""A heading of Weights & Biases: a run's figure, and the ends of its band."""
NO_NUMBER = ("nan", "na", "n/a", "null", "none", "-", "#n/a")
MOST_BYTES = 500_000
MOST_ROUND, MOST_SEED = 100_000, 2**53 - 1
MOST_LINES = 60
"""Labels and seeds in a file."""
MOST_NAME = 60
EACH, ALL = 20, 200
"""Files of one person, and of everybody."""


@dataclass(frozen=True)
class Line:
    """One run as it was measured."""

    label: str
    seed: int
    figures: Mapping[str, tuple[tuple[int, float | None], ...]]
    """By name: rounds in their order, each with its value; None where the file says that it is no number."""


@dataclass(frozen=True)
class Outside:
    """The rounds of one file."""

    id: str
    name: str
    owner: str | None
    at: float
    lines: tuple[Line, ...]


def bring_rounds(file: Path) -> str:
    """Keep the rounds of a file under its name; returns an id.

    Raises:
        InvalidInput: it cannot be read, or makes no sense; in a sentence.
        StorageFailed: it cannot be kept.
    """
    try:
        with file.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"{on_one_line(str(file))} cannot be read ({error.strerror})") from error
    return take(content, file.stem)


def take(content: bytes, name: str, owner: str | None = None) -> str:
    """Keep the rounds of a file under a name; returns an id.

    Raises:
        InvalidInput: it makes no sense, in a sentence that names the line; or there are too many.
        StorageFailed: it cannot be kept.
    """
    lines = read(content)
    title = " ".join(name.split())[:MOST_NAME]
    identity, kept = new_id(), [vars(one) for one in lines]
    with writing(_path(), SCHEMA) as db:
        mine = db.execute("SELECT COUNT(*) FROM outside WHERE owner IS ?", (owner,)).fetchone()[0]
        if mine >= EACH or db.execute("SELECT COUNT(*) FROM outside").fetchone()[0] >= ALL:
            raise InvalidInput(
                f"there are {mine} files of yours here already, and {EACH} is the most of one person "
                f"({ALL} of all): remove one first"
            )
        values = (identity, title if printable(title) else "rounds", owner, time.time(), json.dumps(kept))
        db.execute("INSERT INTO outside VALUES (?, ?, ?, ?, ?)", values)
    return identity


def known(most: int = 60) -> list[Outside]:
    """The newest, newest first."""
    return _found("1 ORDER BY at DESC LIMIT ?", most)


def get(identity: str) -> Outside | None:
    """The one with this id; None if there is none."""
    return next(iter(_found("id = ?", identity)), None) if ID.fullmatch(identity) else None


def remove(identity: str, person: Person = OPERATOR) -> None:
    """Delete one.

    Raises:
        UnknownJob: there is none with this id.
        NotYours: somebody else has brought it.
    """
    found = get(identity)
    if found is None:
        raise UnknownJob(identity)
    if not person.owns(found.owner):
        raise NotYours("only whoever has brought these rounds can remove them, or a teacher")
    with writing(_path(), SCHEMA) as db:
        db.execute("DELETE FROM outside WHERE id = ?", (identity,))


def _found(where: str, value: str | int) -> list[Outside]:
    with reading(_path()) as db:
        query = f"SELECT * FROM outside WHERE {where}"  # noqa: S608
        rows = db.execute(query, (value,)).fetchall() if db else []
    return [
        Outside(
            row["id"],
            row["name"],
            row["owner"],
            row["at"],
            tuple(
                Line(one["label"], one["seed"], {k: tuple(map(tuple, v)) for k, v in one["figures"].items()})
                for one in json.loads(row["lines"])
            ),
        )
        for row in rows
    ]


def read(content: bytes) -> tuple[Line, ...]:
    """The runs of a file: a round a line, told apart by `label` and `seed` where it has them.

    Raises:
        InvalidInput: in a sentence that names the line.
    """
    if len(content) > MOST_BYTES:
        raise InvalidInput(f"it has more than {MOST_BYTES // 1000} kB, which is the most taken")
    begins = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"
    rows = _objects(content) if begins else _cells(content)
    found: dict[tuple[str, int], dict[int, dict[str, float | None]]] = {}
    for place, row in rows:
        label, seed = (
            str(row.get("label") or "").strip()[:MOST_NAME],
            _whole(row.get("seed") or 0, "seed", place, MOST_SEED),
        )
        if not printable(label):
            raise InvalidInput(f"line {place}: its label holds half a character")
        number = _whole(row.get("round"), "round", place)
        run = found.setdefault((label, seed), {})
        if len(found) > MOST_LINES:
            raise InvalidInput(f"it has more than {MOST_LINES} labels and seeds")
        if number in run:
            who = f" of {shown(label)}" if label else ""
            raise InvalidInput(f"line {place}: round {number}{who} is there twice")
        run[number] = {name: _figure(row, name, place) for name in FIGURES if row.get(name) not in (None, "")}
    values = (value for run in found.values() for figures in run.values() for value in figures.values())
    if all(value is None for value in values):
        raise InvalidInput(f"it has no rounds: a line needs round and one of {', '.join(FIGURES)}")
    return tuple(_line(label, seed, run) for (label, seed), run in found.items())


def _line(label: str, seed: int, run: Mapping[int, Mapping[str, float | None]]) -> Line:
    names = [name for name in FIGURES if any(name in figures for figures in run.values())]
    every = sorted(run.items())
    return Line(label, seed, {name: tuple((n, of[name]) for n, of in every if name in of) for name in names})


def _objects(content: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """JSON lines; of our own events those that tell of a round."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput("it is no text in UTF-8; save it as CSV or as JSON lines") from None
    for place, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise InvalidInput(f"line {place} is no JSON: {shown(line, 40)}") from None
        if not isinstance(row, dict):
            raise InvalidInput(f"line {place} is no JSON object: {shown(line, 40)}")
        if row.get("event", "round") in ("start", "round"):
            plain = {
                name: one for name, one in row.items() if name in ALIASES or not isinstance(one, dict | list)
            }
            yield place, dict(zip(Table([*plain], []).called(ALIASES), plain.values(), strict=True))


def _cells(content: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """A table with a line of names."""
    try:
        table = read_table(content)
    except BadTable as error:
        raise InvalidInput(str(error)) from None
    names = table.called(ALIASES)
    runs = {i: found for i, name in enumerate(table.names) if (found := OF_A_RUN.fullmatch(name.strip()))}
    if "round" not in names:
        have = shown(", ".join(one.strip() for one in table.names), 60)
        raise InvalidInput(
            f"its first line names no column “round”: {have}; call one of them round and another one of "
            f"{', '.join(FIGURES)}"
        )
    if table.broken:
        raise InvalidInput(f"it is no CSV: {table.broken[0]}")
    for line, cells in table.rows:
        if len(cells) > len(names):
            raise InvalidInput(f"line {line} has {len(cells)} cells under {len(names)} names")
        row = dict(zip(names, (cell.strip() or None for cell in cells), strict=False))
        if not runs:
            yield line, row
        of_runs: dict[str, dict[str, Any]] = {}
        for i, found in runs.items():
            (figure,) = Table([found["figure"]], []).called(ALIASES)
            if not found["rest"] and figure in FIGURES and i < len(cells):
                of_runs.setdefault(found["label"], {})[figure] = cells[i].strip() or None
        for label, figures in of_runs.items():
            yield line, {"round": row["round"], "label": label, **figures}


def _whole(value: Any, name: str, place: int, most: int = MOST_ROUND) -> int:
    found = _number(value)
    if found is None or found != int(found) or not 0 <= found <= most:
        raise InvalidInput(
            f"line {place}: {name} must be a whole number from 0 to {most}; got {shown(value, 40)}"
        )
    return int(found)


def _figure(row: Mapping[str, Any], name: str, place: int) -> float | None:
    """A value; None for one that the file says is no number."""
    value: Any = row.get(name)
    most = FIGURES[name]
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, str) and value.lower() in NO_NUMBER:
        return None
    share = isinstance(value, str) and value.endswith("%") and most == 1
    found = _number(value.removesuffix("%") if share else value)
    found = found / 100 if share and found is not None else found
    if found is None or not 0 <= found <= most:
        asked = (
            "a share from 0 to 1 (or a percentage with its sign)" if most == 1 else "a number of at least 0"
        )
        raise InvalidInput(f"line {place}: {name} must be {asked}; got {shown(value, 40)}")
    return found


def _number(value: Any) -> float | None:
    """A finite number; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def _path() -> Path:
    return runs_dir() / "outside.sqlite"
