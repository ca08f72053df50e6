"""A clean house: the oldest records go first, what is pinned or alive stays, and a full disk is named."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ldp_core.errors import NotNow
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import jobs, queue
from ldp_core.runs.kinds import run
from ldp_core.runs.process import training
from ldp_core.runs.queue import states
from ldp_core.runs.record import quota, store
from ldp_core.runs.record.store import Recorder
from ldp_core.runs.view.run_progress import Progress

pytestmark = pytest.mark.usefixtures("runs_dir")


def record(status: states.Status, size: int = 1000) -> str:
    identity = queue.add("run", {"draft": {"base": {"rounds": 1}}})
    folder = queue.get(identity).folder
    folder.mkdir(parents=True)
    (folder / "events.sqlite").write_bytes(b"x" * size)
    if status != "queued":
        queue.move(identity, "running")
    if status not in ("queued", "running"):
        assert queue.move(identity, status)
    return identity


def test_the_oldest_go_first_and_leave_a_note():
    ids = [record("completed") for _ in range(5)]
    quota.pin(ids[0])
    alive = record("running")
    removed = quota.prune(3500)
    assert [one.job.id for one in removed] == ids[1:4]
    for identity in ids[1:4]:
        job = queue.get(identity)
        assert not job.folder.exists()
        assert "removed to make room" in job.message
        assert Progress(job.folder).update().runs == []
        with pytest.raises(NotNow, match="was removed to make room; there is nothing to pin"):
            quota.pin(identity)
        quota.pin(identity, on=False)
        assert not job.folder.exists()
    assert {one.job.id for one in quota.kept()} == {ids[0], ids[4], alive}
    assert quota.prune(10**9) == []
    quota.pin(ids[0], on=False)
    assert [one.job.id for one in quota.prune(0)] == [ids[0], ids[4]]


def test_a_job_that_is_taken_up_while_the_house_is_cleaned_keeps_its_record(monkeypatch: pytest.MonkeyPatch):
    ids = [record("interrupted") for _ in range(3)]
    seen = quota.kept()
    assert queue.requeue(ids[0])
    monkeypatch.setattr(quota, "kept", lambda: seen)
    assert [one.job.id for one in quota.prune(0)] == ids[1:]
    assert (queue.get(ids[0]).folder / "events.sqlite").exists()
    assert queue.get(ids[0]).message == ""


def test_records_that_go_while_they_are_weighed_count_for_nothing(monkeypatch: pytest.MonkeyPatch):
    identity = record("completed")
    walk = os.walk

    def slowly(folder: Path) -> Iterator[Any]:
        for found in walk(folder):
            shutil.rmtree(folder)
            yield found

    monkeypatch.setattr(os, "walk", slowly)
    assert [(one.job.id, one.size) for one in quota.kept()] == [(identity, 0)]


def test_the_quota_can_be_set(monkeypatch: pytest.MonkeyPatch):
    assert quota.most_bytes() == 5e9
    monkeypatch.setenv("EPSILON_QUOTA_GB", "0.5")
    assert quota.most_bytes() == 500_000_000
    monkeypatch.setenv("EPSILON_QUOTA_GB", "inf")
    assert quota.most_bytes() == 10**18


def test_a_full_disk_ends_a_run_with_a_sentence_and_keeps_what_was_trained(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """SQLite itself is told that there is no more room."""
    draft = Draft(parse({"rounds": 30}), (Variant("run"),))
    request = {"draft": draft.as_json(), "reference": False}
    limits: list[int] = []

    class Small(Recorder):
        def flush(self) -> None:
            super().flush()
            self._pause = 0.0  # each turn by itself
            begun = any(event["event"] == "round" for event in self.told(0))
            if begun and not limits:  # whatever the first rounds took, there is room for little more
                limits.append(self._db.execute("PRAGMA page_count").fetchone()[0] + 4)
                self._db.execute(f"PRAGMA max_page_count = {limits[0]}")

    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with monkeypatch.context() as patch:
        patch.setattr(store, "FLUSH_SECONDS", 0.0)
        patch.setattr(run, "Recorder", Small)
        outcome = training.train_job(tmp_path / "job", request, 10**9)
    assert "the disk is full" in outcome.message
    assert "Traceback" not in outcome.message
    with sqlite3.connect(tmp_path / "job" / "events.sqlite") as db:
        assert db.execute("PRAGMA quick_check").fetchone()[0] == "ok"
    before = Progress(tmp_path / "job").update().rounds_done()
    assert 0 < before < 30
    assert training.train_job(tmp_path / "job", request, 10**9).status == "completed"
    assert Progress(tmp_path / "job").update().runs[0].round == 30


@pytest.mark.parametrize("damage", [b"", b"garbage" * 1000, b"\x00" * 4096])
def test_a_damaged_record_is_named_and_the_rest_goes_on(damage: bytes):
    identity = record("completed")
    folder = queue.get(identity).folder
    (folder / "events.sqlite").write_bytes(damage)
    status = jobs.status(identity)
    assert status["status"] == "completed"
    assert status["round"] == 0
    if damage.strip(b"\x00"):
        assert "cannot be used" in status["message"]
    assert (folder / "events.sqlite").read_bytes() == damage, "it is read and never written to"
