"""Damaged records (F7, F8): they are called so, harm no other, and are never written to."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_core.errors import StorageFailed
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import jobs, queue
from ldp_core.runs.jobs import listing
from ldp_core.runs.jobs.listing import listed
from ldp_core.runs.lockstep import drive
from ldp_core.runs.process import training
from ldp_core.runs.queue import table
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record.store import Recorder, database, events_after, glance
from ldp_core.runs.storage.database import writing
from ldp_core.runs.view.run_progress import Progress
from tests.extent import in_gate
from tests.pace import within

DRAFT = Draft(parse({"rounds": 3, "attack": None}), (Variant("run"),))
REQUEST = {"draft": DRAFT.as_json()}


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A real record, stopped before its last round."""
    folder = tmp_path_factory.mktemp("record")
    recorder = Recorder(folder, DRAFT.runs())
    for _, turn in zip(range(3), drive({0: DRAFT.base}), strict=False):
        recorder.write(turn)
    recorder.close()
    return database(folder).read_bytes()


def ended(content: bytes | None) -> Job:
    """A job that has ended, with such a record."""
    identity = queue.add("run", REQUEST)
    assert queue.claim() is not None
    assert queue.move(identity, "interrupted", "why")
    job = queue.get(identity)
    if content is not None:
        job.folder.mkdir(parents=True)
        database(job.folder).write_bytes(content)
    return job


def damages(record: bytes) -> dict[str, bytes]:
    noise = np.random.default_rng(0).bytes
    return {
        "truncated in a page": record[: len(record) // 2 + 100],
        "truncated at a page": record[: len(record) // 8192 * 4096],
        "only the header": record[:100],
        "zero header": bytes(4096) + record[4096:],
        "garbage page": record[:4096] + noise(4096) + record[8192:],
        "empty": b"",
        "random": noise(len(record)),
        "text": b"not a database at all\n" * 100,
    }


@pytest.mark.alone
@pytest.mark.usefixtures("runs_dir")
def test_two_hundred_runs_are_listed_within_a_second_and_the_damaged_ones_are_named(record: bytes):
    kinds = list(damages(record).values())
    broken = {20 * n: kinds[n % len(kinds)] for n in range(10)}
    ended(None)
    with writing(queue.queue_path(), table.SCHEMA) as db:
        columns = "id, kind, request, status, created"
        rows = [(f"{n:012x}", "run", json.dumps(REQUEST), "interrupted", 1.0) for n in range(200)]
        db.executemany(f"INSERT INTO jobs ({columns}) VALUES (?, ?, ?, ?, ?)", rows)
    for n in range(200):
        folder = queue.get(f"{n:012x}").folder
        folder.mkdir(parents=True)
        database(folder).write_bytes(broken.get(n, record))
    bad = {f"{n:012x}" for n in broken}
    listed(1)  # whatever is imported first
    began = time.perf_counter()
    found = listed(200)
    took = time.perf_counter() - began
    print(f"200 runs, 10 of them damaged, in {took:.3f} s")
    assert {one.job.id for one in found if one.damaged} == bad
    assert {one.state for one in found} == {"interrupted", f"interrupted, {listing.DAMAGED}"}
    assert len(found) == 200
    assert took <= within(1.0)


@pytest.mark.usefixtures("runs_dir")
@pytest.mark.parametrize("kind", range(8))
def test_a_damaged_record_is_called_so_and_never_taken_up_or_written_to(
    kind: int, record: bytes, monkeypatch: pytest.MonkeyPatch
):
    """F8: state and events are one transaction of one file, so there is nothing older to fall back to."""
    monkeypatch.setattr("signal.signal", lambda *_: None)
    content = list(damages(record).values())[kind]
    job, sound = ended(content), ended(record)
    (one, other) = reversed(listed())
    assert (one.damaged, other.damaged) == (True, False)
    assert jobs.status(job.id)["round"] == 0
    if content:
        with pytest.raises(StorageFailed):
            Progress(job.folder).update()
        outcome = training.train_job(job.folder, REQUEST, 10**9)
        assert outcome.status == "failed"
        assert "cannot be" in outcome.message
        assert database(job.folder).read_bytes() == content
    assert Progress(sound.folder).update().rounds_done() == 2
    jobs.remove(job.id)
    assert [one.job.id for one in listed()] == [sound.id], "and it can be deleted"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, record: bytes) -> Path:
    """The same record as a file, whose name is short enough to be told by hypothesis."""
    path = tmp_path_factory.mktemp("whole") / "record"
    path.write_bytes(record)
    return path


@settings(max_examples=in_gate(200, 500))
@given(
    flips=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), min_size=1, max_size=3)
)
def test_whatever_byte_flips_a_reader_gets_events_or_a_sentence(flips: list[tuple[float, int]], whole: Path):
    changed = bytearray(whole.read_bytes())
    for where, mask in flips:
        changed[int(where * len(changed))] ^= mask
    folder = whole.parent / "job"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    database(folder).write_bytes(changed)
    for read in (
        lambda: Progress(folder).update(),
        lambda: events_after(folder),
        lambda: glance(folder),
    ):
        try:
            read()
        except StorageFailed as error:
            assert "events.sqlite" in str(error)
    assert database(folder).read_bytes() == changed
    assert [file.name for file in folder.iterdir()] == ["events.sqlite"]


def test_a_commit_that_was_torn_is_taken_back_by_whoever_reads_next(tmp_path: Path, record: bytes):
    """Killed in the middle of a commit, a writer leaves pages of it in the file and the journal beside it."""
    whole = tmp_path / "whole"
    whole.mkdir()
    database(whole).write_bytes(record)
    before = events_after(whole)
    torn = tmp_path / "torn"
    with sqlite3.connect(database(whole), isolation_level=None) as db:
        db.execute("PRAGMA cache_size = 2")
        db.execute("BEGIN IMMEDIATE")
        rows = [(0, 0.0, json.dumps({"event": "round", "x": "y" * 3000}))] * 50
        db.executemany("INSERT INTO events (run, at, body) VALUES (?, ?, ?)", rows)
        shutil.copytree(whole, torn)
        db.execute("ROLLBACK")
    assert database(torn).stat().st_size > len(record), "some of it had reached the file"
    assert {file.name for file in torn.iterdir()} == {"events.sqlite", "events.sqlite-journal"}
    assert events_after(torn) == before
    recorder = Recorder(torn, DRAFT.runs())
    assert recorder.starts()[0].state.round == 2
    recorder.close()
