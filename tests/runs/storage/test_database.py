"""A database that others lock, or take away, while it is opened."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from ldp_core.errors import StorageFailed
from ldp_core.runs import queue
from ldp_core.runs.storage import database

pytestmark = pytest.mark.usefixtures("runs_dir")


def test_a_locked_queue_is_called_locked_and_nobody_is_told_to_move_it(monkeypatch: pytest.MonkeyPatch):
    queue.add("run", {"draft": {}})
    monkeypatch.setattr(database, "_busy", [0.1])
    with sqlite3.connect(queue.queue_path(), isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StorageFailed, match="kept locked by another program") as caught:
            queue.add("run", {"draft": {}})
        other.execute("ROLLBACK")
    assert "move" not in str(caught.value)


def test_a_file_that_goes_while_it_is_opened_is_no_damaged_one(tmp_path: Path):
    assert database._read_only(tmp_path / "gone.sqlite") is None
