"""A job as a ZIP: whole, readable by other programs, and never half written."""

import csv
import io
import json
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from zipfile import ZipFile

import pytest
from pyarrow import parquet

from ldp_core.errors import InvalidInput, UnknownJob
from ldp_core.experiment import Draft, Variant, parse, plan
from ldp_core.runs import queue
from ldp_core.runs.carry import written
from ldp_core.runs.jobs import archive, tables
from ldp_core.runs.jobs.archive import export
from ldp_core.runs.record.events import events_of
from tests.runs.in_process import bodies, compute, queued

SUM = "=1+1"
"""A label that a spreadsheet would compute."""


@pytest.fixture
def trained(runs_dir: Path) -> str:
    """A job whose two runs are recorded."""
    draft = Draft(parse({"rounds": 2}), (Variant(SUM), Variant("b", {"mechanism.name": "duchi"})), 1)
    job = queued(draft)
    assert compute(job).status == "completed"
    return job.id


@pytest.fixture
def files(trained: str) -> dict[str, bytes]:
    content, count = export(trained)
    assert count == len(events_of(queue.get(trained)))
    with ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def test_archive_equals_the_record(trained: str, files: dict[str, bytes]):
    stored = events_of(queue.get(trained))
    recorded = [json.loads(line) for line in files["events.jsonl"].splitlines()]
    assert recorded == [{"run": event.run, "at": event.at, **event.body} for event in stored]
    runs = json.loads(files["experiments.json"])
    assert [run["label"] for run in runs] == [SUM, "b"]
    assert all(plan(parse(run["experiment"])).key == run["key"] for run in runs)
    about = json.loads(files["job.json"])
    assert (about["id"], about["kind"]) == (trained, "run")
    assert about["exported_by"]["torch"].startswith("2.")
    assert b"simulation noise" in files["README.txt"]


def rows_of(text: bytes) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(text.decode()))]


def test_archive_csv_and_parquet_are_equal(trained: str, files: dict[str, bytes]):
    stored = [body for body in bodies(queue.get(trained)) if body["event"] == "round"]
    rows = rows_of(files["rounds.csv"])
    assert [float(row["accuracy"]) for row in rows] == [event["accuracy"] for event in stored]
    assert {row["label"] for row in rows} == {f"'{SUM}", "b"}, "no formula"
    assert rows_of(files["attacks.csv"]) and "cells.csv" not in files
    table = parquet.read_table(io.BytesIO(files["rounds.parquet"]))
    found = table.to_pylist()
    for name in ("round", "accuracy", "noise_variance", "accuracy_per_class"):
        assert [row[name] for row in found] == [event[name] for event in stored]
    assert {row["label"] for row in found} == {SUM, "b"}, "nothing computes here: text as it was typed"
    assert str(table.schema.field("round").type) == "int64"
    assert str(table.schema.field("accuracy").type) == "double"


def test_columns_of_mixed_kinds_are_text():
    rows: list[dict[str, Any]] = [{"a": 1, "b": 2**70}, {"a": "x"}, {"a": None, "c": 1}, {"c": 0.5}]
    found = parquet.read_table(io.BytesIO(tables.as_parquet(rows))).to_pydict()
    assert found == {
        "a": ["1", "x", None, None],
        "b": [str(2**70), None, None, None],
        "c": [None, None, 1.0, 0.5],
    }


def test_export_of_an_unrecorded_job_is_refused(runs_dir: Path):
    waiting = queue.add("run", {"draft": {}}, None)
    with pytest.raises(InvalidInput, match=r"nothing is recorded of job \w+: it is queued"):
        export(waiting)
    with pytest.raises(UnknownJob):
        export("0" * 12)


def test_archive_is_written_atomically(trained: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    out = tmp_path / "out.zip"
    out.write_text("what was there before")
    monkeypatch.setattr(archive, "as_csv", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        written(trained, out)
    assert out.read_text() == "what was there before"
    assert [*tmp_path.glob("*out.zip*")] == [out]
