"""Removing records, and pins that keep them: two at the same moment, on a disk or in a queue that refuses."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ldp_core import presets
from ldp_core.errors import NotNow, StorageFailed
from ldp_core.runs import jobs, queue
from ldp_core.runs.queue.people import Person
from ldp_core.runs.record import quota, removal
from ldp_core.runs.record.quota import is_pinned
from ldp_core.runs.record.removal import PIN
from tests.runs.record.test_quota import record

pytestmark = pytest.mark.usefixtures("runs_dir")


def test_a_record_that_is_pinned_at_the_last_moment_is_not_deleted(monkeypatch: pytest.MonkeyPatch):
    identity, drop = record("completed"), queue.drop

    def late(*given: Any) -> bool:
        quota.pin(identity)
        return drop(*given)

    monkeypatch.setattr(queue, "drop", late)
    with pytest.raises(NotNow, match="is pinned; unpin it"):
        jobs.remove(identity)
    assert (queue.get(identity).folder / PIN).exists()


def test_a_pin_waits_for_whoever_removes_the_record(monkeypatch: pytest.MonkeyPatch):
    identity = record("completed")
    with queue.held(identity):
        monkeypatch.setattr("ldp_core.runs.storage.database._busy", [0.1])
        with pytest.raises(StorageFailed, match="locked"):
            quota.pin(identity)
    quota.prune(0)
    with pytest.raises(NotNow, match="nothing to pin"):
        quota.pin(identity)
    assert not queue.get(identity).folder.exists()


ANNA = Person("a" * 16)


def test_what_still_trains_is_pinned_with_what_it_will_take(monkeypatch: pytest.MonkeyPatch):
    long = presets.get("two_volunteers").draft.with_base({"rounds": 1000})
    identity = queue.add("run", {"draft": long.as_json()}, owner=ANNA.owner)
    monkeypatch.setenv("EPSILON_QUOTA_GB", "0.01")
    with pytest.raises(NotNow, match=r"this one \d\d+.\d MB, and visitors may keep 5.0 MB pinned"):
        jobs.pin(identity, ANNA)
    assert not is_pinned(queue.get(identity))
    monkeypatch.setenv("EPSILON_QUOTA_GB", "5")
    jobs.pin(identity, ANNA)
    assert is_pinned(queue.get(identity))


def test_a_folder_that_cannot_be_removed_is_a_sentence(monkeypatch: pytest.MonkeyPatch):
    identity = record("completed")

    def refused(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(StorageFailed, match=r"cannot be removed \(Permission denied\)"):
        jobs.remove(identity)
    assert queue.get(identity).status == "completed"


def test_where_nothing_can_be_noted_nothing_is_removed(monkeypatch: pytest.MonkeyPatch):
    """Somebody reads the queue for as long as one may wait, in a backup or a database browser."""
    ids = [record("completed") for _ in range(3)]
    monkeypatch.setattr("ldp_core.runs.storage.database._busy", [0.1])
    with closing(sqlite3.connect(queue.queue_path(), isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM jobs").fetchone()
        with pytest.raises(StorageFailed, match="locked"):
            quota.prune(0)
        with pytest.raises(StorageFailed, match="locked"):
            jobs.remove(ids[2])
    removal.sweep()
    assert [one.job.id for one in quota.kept()] == ids[::-1]
    assert {queue.get(identity).message for identity in ids} == {""}


def test_a_record_that_was_put_away_by_somebody_who_was_killed_is_brought_back():
    kept, noted, forgotten = (record("completed") for _ in range(3))
    for identity in (kept, noted, forgotten):
        removal.put_away(queue.get(identity).folder)  # and then the lights went out
    queue.strip(noted, lambda: True)
    queue.drop(forgotten, lambda: True)
    assert len(removal.sweep()) == 2
    assert [one.job.id for one in quota.kept()] == [kept]


def test_one_record_that_cannot_be_removed_keeps_no_other(monkeypatch: pytest.MonkeyPatch):
    ids = [record("completed") for _ in range(3)]
    put_away = removal.put_away

    def stuck(folder: Path, name: str = "") -> None:
        if folder.name == ids[0]:
            raise removal.Stuck("Operation not permitted")
        put_away(folder, name)

    monkeypatch.setattr(removal, "put_away", stuck)
    assert [one.job.id for one in quota.prune(0)] == ids[1:]
    assert queue.get(ids[0]).message == ""


def test_a_pin_that_is_set_while_the_house_is_cleaned_counts(monkeypatch: pytest.MonkeyPatch):
    ids = [record("completed") for _ in range(2)]
    seen = quota.kept()
    quota.pin(ids[0])
    monkeypatch.setattr(quota, "kept", lambda: seen)
    assert [one.job.id for one in quota.prune(0)] == ids[1:]
    assert queue.get(ids[0]).message == ""
