"""Events of one kind, or jobs, as a table: CSV for spreadsheets, Parquet with types."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ldp_core import models
from ldp_core.accounting import word_of
from ldp_core.errors import UnknownName
from ldp_core.experiment.overrides import at
from ldp_core.runs.jobs.listing import Line
from ldp_core.runs.record.events import StoredEvent
from ldp_core.runs.storage.database import Database
from ldp_core.runs.view.final_figures import Final
from ldp_core.trust import registry as trusts

BROUGHT = Database("rounds.sqlite", "", format=1)
"""Rounds measured elsewhere, which earlier versions stored; no page reads them any more."""
TABLES = {"round": "rounds", "attack": "attacks", "cell": "cells", "reference": "references"}
"""File names of tables, by the event that fills them."""
Row = dict[str, Any]
FIELDS = {
    "dataset": "dataset",
    "model": "model",
    "clients": "clients.count",
    "epsilon_asked": "clients.epsilon",
    "epsilon_covers": "clients.epsilon_scope",
    "trust": "trust.kind",
    "target": "target",
    "mechanism": "mechanism.name",
    "aggregator": "aggregator.name",
    "rounds": "rounds",
}
"""Columns of settings, with the experiment's field of each."""


def row(event: StoredEvent, run: dict[str, Any]) -> Row:
    """Label and seed of an event's run, then the event's scalars and lists of numbers."""
    named = {"run": event.run, "label": run.get("label"), "seed": run.get("seed")}
    for name, value in event.body.items():
        numbers = isinstance(value, list) and value and all(type(one) in (int, float) for one in value)
        if numbers or _is_plain(value):
            named[name] = value
    return named


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | bool)


def as_csv(rows: Sequence[Row]) -> str:
    """CSV of the scalar columns; text that a spreadsheet would read as a formula is marked as text."""
    columns = dict.fromkeys(name for row in rows for name, value in row.items() if _is_plain(value))
    file = io.StringIO()
    writer = csv.DictWriter(file, list(columns), lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows({name: _cell(row.get(name)) for name in columns} for row in rows)
    return file.getvalue()


def _cell(value: Any) -> Any:
    if not _is_plain(value):
        return None
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


def as_parquet(rows: Sequence[Row]) -> bytes:
    """Parquet with one type a column; columns of mixed types are stored as JSON text."""
    import pyarrow as pa  # 30 MB, of which a server that exports nothing has no need
    from pyarrow import parquet

    columns = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [row.get(name) for row in rows]
        try:
            columns[name] = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            texts = [v if v is None or isinstance(v, str) else json.dumps(v) for v in values]
            columns[name] = pa.array(texts)
    out = io.BytesIO()
    parquet.write_table(pa.table(columns), out)
    return out.getvalue()


def write_brought_rounds(folder: Path) -> Path:
    """Write all rounds measured elsewhere that earlier versions stored, as one CSV; returns its path."""
    found: dict[tuple[str, str, int, int], Row] = {}
    for one in BROUGHT.rows("SELECT id, name, lines FROM rounds ORDER BY at"):
        for line in json.loads(one["lines"]):
            for figure, values in line["figures"].items():
                for number, value in values:
                    key = (one["id"], line["label"], line["seed"], number)
                    begun = {"file": one["name"], "label": key[1], "seed": key[2], "round": number}
                    found.setdefault(key, begun)[figure] = value
    folder.mkdir(parents=True, exist_ok=True)
    (file := folder / "rounds.csv").write_text(as_csv([*found.values()]), encoding="utf-8")
    return file


def rows_of_jobs(some: Sequence[Line]) -> list[Row]:
    """Jobs with their settings and final figures: a row a variant, or one without variants or figures yet."""
    return [row for line in some for row in _rows(line)]


def _rows(line: Line) -> Iterator[Row]:
    job = line.job
    parts = (job.brief.get(name) for name in ("draft", "sweep", "question", "ladder"))
    part: dict[str, Any] = next((one for one in parts if isinstance(one, dict)), {})
    base, found = part.get("base"), part.get("variants")
    variants = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    for place, final in enumerate(line.finals or (None,)):
        changes = variants[place].get("set") if place < len(variants) else None
        own = changes if isinstance(changes, dict) else {}
        yield {
            "id": job.id,
            "name": job.name or str(at(base, "name") or ""),
            "note": job.note,
            "kind": job.kind,
            "status": job.status,
            "launched": datetime.fromtimestamp(job.created, UTC).isoformat(timespec="seconds"),
            "imported": job.imported,
            **_settings(base, own),
            **(_figures(final) if final else {}),
        }


def _settings(base: Any, changes: dict[str, Any]) -> Row:
    """Settings of a variant by column; the mechanism is the noise in the sum where the trust has its own."""
    found = {}
    for name, path in FIELDS.items():
        part, _, last = path.rpartition(".")
        whole = at(changes[part], last) if part in changes else at(base, path)
        found[name] = _plain(changes.get(path, whole))
    with suppress(UnknownName):
        trust = trusts.kind(found["trust"] or "local")
        found["trust"] = trust.name
        if trust.own_noise:
            found["mechanism"] = "noise in the sum"
    return found


def _plain(value: Any) -> Any:
    """Setting as a cell: the name of a part with parameters, or its layers; None for lists."""
    if isinstance(value, dict) and "layers" in value:
        return models.title_of(value)
    value = value.get("name") if isinstance(value, dict) else value
    return value if isinstance(value, str | int | float) else None


def _figures(final: Final) -> Row:
    promised = final.seeds > 0 or final.epsilon is not None
    return {
        "label": final.label,
        "seeds": final.seeds,
        "accuracy": final.accuracy,
        "epsilon_run": final.epsilon,
        "delta": final.delta if final.epsilon is not None else None,
        "promises": word_of(final.epsilon) if promised else None,
        "picked": final.hits / final.attempts if final.attempts else None,
        "guessing": final.chance if final.attempts else None,
        "answer": final.answer or None,
        "curve": list(final.curve) or None,
    }
