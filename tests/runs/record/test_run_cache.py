"""Whose result a finished run is: of one version of the program, and with nothing missing."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs.process.training import train_job
from ldp_core.runs.record import run_cache
from ldp_core.runs.record.store import Recorder, database
from tests.data import events

pytestmark = pytest.mark.usefixtures("runs_dir")


DRAFT = Draft(parse({"rounds": 2, "attack": None, "mechanism": "none"}), (Variant("run"),))


def test_what_two_versions_of_the_program_have_trained_is_nobodys_result(
    runs_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    folder, (run,) = runs_dir / "jobs" / "mixed", DRAFT.runs()
    monkeypatch.setattr(run_cache, "version", lambda: "old")
    recorder = Recorder(folder, [run])
    assert recorder.begun_by("old")
    assert recorder.begun_by("old")
    recorder.close()
    monkeypatch.setattr(run_cache, "version", lambda: "new")
    train_job(folder, {"draft": DRAFT.as_json()}, 10**9)
    assert run_cache.find(run.experiment.key) is None
    train_job(runs_dir / "jobs" / "whole", {"draft": DRAFT.as_json()}, 10**9)
    assert run_cache.find(run.experiment.key) is not None


def test_a_record_of_a_version_that_did_not_say_so_is_mixed(tmp_path: Path):
    recorder = Recorder(tmp_path, DRAFT.runs())
    recorder.close()
    with sqlite3.connect(database(tmp_path)) as db:
        db.execute('INSERT INTO events (run, at, body) VALUES (0, 1.0, \'{"event": "start"}\')')
        db.execute("DROP TABLE programs")
    assert not Recorder(tmp_path, DRAFT.runs()).begun_by("new")


TWO_RUNS = Draft(
    parse({"rounds": 3, "attack": None}), (Variant("a"), Variant("b", {"aggregator.name": "mean"}))
)


def damaged(told: list[dict[str, Any]], how: str) -> list[dict[str, Any]]:
    if how == "an end without a status":
        return [*told[:-1], {key: told[-1][key] for key in told[-1] if key != "status"}]
    return [event for event in told if event.get("round") != 2 or event["event"] != "round"]


@pytest.mark.parametrize("how", ["an end without a status", "a round missing"])
def test_a_finished_run_with_something_missing_is_trained_again(runs_dir: Path, how: str):
    told, folder = events({"rounds": 3, "attack": None}), runs_dir / "jobs" / "a"
    for part, expected in ((told, True), (damaged(told, how), False)):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        Recorder(folder, TWO_RUNS.runs(False)[:1]).close()
        with sqlite3.connect(folder / "events.sqlite") as db:
            rows = [(0, 1.0, json.dumps(event)) for event in part]
            db.executemany("INSERT INTO events (run, at, body) VALUES (?, ?, ?)", rows)
        run_cache.note("a", {0: "key"})
        assert (run_cache.find("key") is not None) is expected
