"""A job as a ZIP to carry away: what was asked, what came of it, and what it was trained with."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import platform
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from ldp_core.errors import InvalidInput
from ldp_core.runs.jobs.lookup import look
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record import store
from ldp_core.runs.record.run_cache import program
from ldp_core.runs.record.store import Stored

PACKAGES = (
    "torch",
    "torchvision",
    "numpy",
    "pandas",
    "scipy",
    "scikit-learn",
    "pydantic",
    "streamlit",
    "plotly",
)
TABLES = {"round": "rounds", "attack": "attacks", "cell": "cells", "reference": "references"}
"""Events that are told many times over have a table each, of their plain values."""
FORMAT = 1
"""Counts up when an older program could not read what is written any more."""
CONTENTS = """An export of Epsilon Studio.

job.json          what was asked, how it ended, and the versions of the program and of what it stands on
experiments.json  every run: label, seed and its whole experiment, which `python -m ldp_core run` takes
events.jsonl      all that was recorded, one event a line, with its run and when (seconds since 1970)
*.csv             the plain values of the events of one kind, a line each, for a spreadsheet

`python -m ldp_core import FILE.zip` brings it back, on this machine or another.

Rounds count from 1 and clients from 0. The end event of a run holds its ledger: what is promised to each
client, per coordinate, per upload and for the run. The noise is simulation noise: reproducible, and no
protection of real data.
"""


def export(identity: str, out: Path) -> int:
    """Write a job's record to the ZIP file `out`, whole or not at all; returns the number of its events.

    Raises:
        UnknownJob: there is no such job.
        InvalidInput: nothing is recorded of it.
        StorageFailed: its record is damaged.
        OSError: the file cannot be written.
    """
    job = look(identity)
    runs, events = store.runs_of(job.folder), store.events_after(job.folder)
    if not events:
        why = "its record was removed to make room" if job.removed else f"it is {job.status}"
        raise InvalidInput(f"nothing is recorded of job {identity}: {why}")
    handle, draft = tempfile.mkstemp(dir=out.parent, prefix=f".{out.name}.")
    try:
        with os.fdopen(handle, "wb") as file, ZipFile(file, "w", ZIP_DEFLATED) as archive:
            archive.writestr("README.txt", CONTENTS)
            lines = "".join(map(_line, events)).encode()
            digest = {"format": FORMAT, "events_sha256": hashlib.sha256(lines).hexdigest()}
            archive.writestr("job.json", _json(digest | _about(job)))
            archive.writestr("experiments.json", _json([_experiment(run) for run in runs]))
            archive.writestr("events.jsonl", lines)
            for kind, name in TABLES.items():
                if rows := [_row(event, runs) for event in events if event.body["event"] == kind]:
                    archive.writestr(f"{name}.csv", _table(rows))
        Path(draft).chmod(0o644)
        Path(draft).replace(out)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
    return len(events)


def _about(job: Job) -> dict[str, Any]:
    at = {"created": job.created, "started": job.started, "ended": job.ended}
    return {
        "id": job.id,
        "kind": job.kind,
        "status": job.status,
        "message": job.message,
        **{name: when and datetime.fromtimestamp(when, UTC).isoformat() for name, when in at.items()},
        "request": job.request,
        "exported_by": {"program": program(), "python": platform.python_version(), **versions()},
    }


def versions() -> dict[str, str | None]:
    """Of what the program stands on; None for what is not there."""
    found: dict[str, str | None] = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def _experiment(run: dict[str, Any]) -> dict[str, Any]:
    named = {name: run[name] for name in ("run", "variant", "label", "seed", "key")}
    return {**named, "experiment": json.loads(run["experiment"])}


def _line(event: Stored) -> str:
    return json.dumps({"run": event.run, "at": event.at, **event.body}) + "\n"


def _row(event: Stored, runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The plain values of an event, after the label and seed of its run."""
    of = next((run for run in runs if run["run"] == event.run), {})
    plain = {k: v for k, v in event.body.items() if v is None or isinstance(v, str | int | float | bool)}
    return {"run": event.run, "label": of.get("label"), "seed": of.get("seed"), **plain}


def _table(rows: Iterable[dict[str, Any]]) -> str:
    """As CSV; a text that a spreadsheet would take for a formula is marked as text."""
    rows = list(rows)
    columns = dict.fromkeys(column for row in rows for column in row)
    file = io.StringIO()
    writer = csv.DictWriter(file, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows({column: _cell(value) for column, value in row.items()} for row in rows)
    return file.getvalue()


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
