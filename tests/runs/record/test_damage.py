"""Damaged records (F7, F8): they are called so, harm no other, and are never written to."""

import json
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_core.errors import StorageFailed
from ldp_core.experiment import parse_draft
from ldp_core.runs import jobs, queue
from ldp_core.runs.jobs import listing
from ldp_core.runs.jobs.listing import listed
from ldp_core.runs.lockstep import drive
from ldp_core.runs.queue import table
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record import computations
from ldp_core.runs.record.computations import database, of_run
from ldp_core.runs.record.events import events_of, is_damaged, is_whole, news, runs_of
from ldp_core.runs.storage import database as storage_database
from ldp_core.runs.storage import paths
from ldp_core.runs.view.run_curves import Progress, progress_of
from tests.extent import in_gate
from tests.pace import within
from tests.runs.in_process import bodies, compute, queued, record_of, recorder_for, trained

DRAFT = parse_draft({"rounds": 3, "attack": None})
TEXT, KEY = json.dumps({"draft": DRAFT.as_json()}), "0" * 16
JOB = Job("0" * 12, "run", None, TEXT, "completed", "", 0.0, None, None, None, 1, keys=(KEY,))


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A real record, stopped before its last round."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_RUNS_DIR", str(tmp_path_factory.mktemp("record")))
        recorder = recorder_for(DRAFT.base)
        for _, turn in zip(range(3), drive({0: DRAFT.base}), strict=False):
            recorder.write(turn)
        recorder.close()
        return database(of_run(DRAFT.base).key).read_bytes()


def ended(content: bytes | None, seed: int = 0) -> Job:
    job = queued(DRAFT.with_base({"seed": seed}))
    assert queue.claim() is not None
    assert queue.move(job.id, "interrupted", "why")
    if content is not None:  # and begun here: what was copied from elsewhere is moved aside
        computations.note_begun([of_run(DRAFT.base.model_copy(update={"seed": seed}))])
        put(job.keys[0], content)
    return queue.get(job.id)


def put(key: str, content: bytes) -> None:
    database(key).parent.mkdir(parents=True, exist_ok=True)
    database(key).write_bytes(content)


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
@pytest.mark.usefixtures("no_worker")
def test_two_hundred_runs_are_listed_within_a_second(record: bytes):
    kinds = list(damages(record).values())
    broken = {20 * n: kinds[n % len(kinds)] for n in range(10)}
    ended(None)
    with table.changing() as db:
        row = "INSERT INTO jobs (id, kind, request, keys, status, created) VALUES (?, 'run', ?, ?, ?, 1)"
        db.executemany(row, [(f"{n:012x}", TEXT, f'["{n:016x}"]', "interrupted") for n in range(200)])
    for n in range(200):
        put(f"{n:016x}", broken.get(n, record))
    listed(1)  # whatever is imported first
    began = time.perf_counter()
    found = listed(200)
    took = time.perf_counter() - began
    assert {one.job.id for one in found if one.damaged} == {f"{n:012x}" for n in broken}
    assert {one.state for one in found} == {"interrupted", f"interrupted, {listing.DAMAGED}"}
    assert len(found) == 200
    assert took <= within(1.0)


@pytest.mark.usefixtures("no_worker")
@pytest.mark.parametrize("kind", range(8))
def test_damaged_record_is_never_written_to(kind: int, record: bytes):
    """F8: state and events are one transaction of one file, so there is nothing older to fall back to."""
    content = list(damages(record).values())[kind]
    job, sound = ended(content), ended(record, seed=1)
    assert [one.damaged for one in listed()] == [False, True]
    status = jobs.status(job.id)
    assert status["round"] == 0
    assert ("cannot be used" in status["message"]) is bool(content)
    if content:
        with pytest.raises(StorageFailed, match=r"; train it again$"):
            progress_of(job).update()
        with pytest.raises(StorageFailed, match="cannot be"):
            compute(job)
        assert record_of(job).read_bytes() == content
    assert progress_of(sound).update().rounds_done() == 2
    jobs.delete(job.id, for_good=True)
    assert [one.job.id for one in listed()] == [sound.id], "and it can be deleted"


@pytest.mark.usefixtures("no_worker")
@pytest.mark.parametrize("known", [True, False])
def test_unreadable_known_record_is_recomputed(known: bool):
    """So is what was stopped and cannot be taken up: its key is that of the experiment."""
    job = trained(DRAFT) if known else ended(None)
    record_of(job).parent.mkdir(parents=True, exist_ok=True)
    record_of(job).write_bytes(b"no database at all" * 300)
    again = jobs.look(jobs.submit(DRAFT))
    assert (again.status, again.keys) == ("queued", job.keys)
    assert compute(again).status == "completed"
    assert progress_of(job).update().rounds_done() == 3
    assert len([*record_of(job).parent.glob("*.damaged")]) == 1, "it is kept beside the new one"


@pytest.mark.usefixtures("no_worker")
@pytest.mark.parametrize("stopped", [False, True])
def test_locked_record_is_not_called_damaged(stopped: bool, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(storage_database, "_busy", [0.01])
    job = trained(DRAFT)
    if stopped:
        computations.forget(job.keys)
    with closing(sqlite3.connect(record_of(job), isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        jobs.submit(DRAFT)
        other.execute("ROLLBACK")
    assert bodies(job)
    assert not [*record_of(job).parent.glob("*.damaged")]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, record: bytes) -> Path:
    """The record as a file, whose name hypothesis may print."""
    path = tmp_path_factory.mktemp("whole") / "record"
    path.write_bytes(record)
    return path


FLIP = st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255))


@settings(max_examples=in_gate(80, 500))
@given(flips=st.lists(FLIP, min_size=1, max_size=3))
def test_flipped_bytes_give_events_or_storage_failed(flips: list[tuple[float, int]], whole: Path):
    changed = bytearray(whole.read_bytes())
    for where, mask in flips:
        changed[int(where * len(changed))] ^= mask
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_RUNS_DIR", str(whole.parent))
        patch.setattr(paths, "_bound", [])
        put(KEY, bytes(changed))
        for read in (
            lambda: Progress(JOB.keys, runs_of(JOB)).update(),
            lambda: events_of(JOB),
            lambda: is_whole(KEY),
        ):
            try:
                read()
            except StorageFailed as error:
                assert KEY in str(error)
        assert isinstance(is_damaged(JOB), bool)
        assert database(KEY).read_bytes() == changed
        assert [*database(KEY).parent.iterdir()] == [database(KEY)]


@pytest.mark.usefixtures("no_worker")
def test_torn_commit_is_rolled_back_by_the_next_reader(tmp_path: Path, record: bytes):
    """Killed in the middle of a commit, a writer leaves pages of it in the file and the journal beside it."""
    put(key := of_run(DRAFT.base).key, record)
    before, folder = news(key), database(key).parent
    with closing(sqlite3.connect(database(key), isolation_level=None)) as db:
        db.executescript("PRAGMA cache_size = 2; BEGIN IMMEDIATE")
        body = json.dumps({"event": "round", "x": "y" * 3000})
        db.executemany("INSERT INTO events (at, body) VALUES (0, ?)", [(body,)] * 50)
        shutil.copytree(folder, tmp_path / "torn")
        db.execute("ROLLBACK")
    shutil.rmtree(folder)
    shutil.copytree(tmp_path / "torn", folder)
    assert database(key).stat().st_size > len(record), "some of it had reached the file"
    assert len([*folder.glob(f"{key}.sqlite*")]) == 2
    assert news(key) == before
    recorder = recorder_for(DRAFT.base)
    assert (start := recorder.start()) and start.state.round == 2
    recorder.close()
