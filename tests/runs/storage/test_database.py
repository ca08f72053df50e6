"""A database that others lock, or take away, while it is opened."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from ldp_core.errors import StorageFailed
from ldp_core.runs.storage import database

pytestmark = pytest.mark.usefixtures("runs_dir")


def test_locked_database_delays_a_page_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A page looks several times at a file: all of them together took 30 s. It is called
    locked, and not to be moved.
    """
    path, waited = tmp_path / "one.sqlite", list[float]()
    one = database.Database(str(path), "CREATE TABLE IF NOT EXISTS t (x);")
    monkeypatch.setattr(database, "_busy", [0.6])
    monkeypatch.setattr(database, "AGAIN_SECONDS", 0.01)
    with one.writing():
        pass

    def look() -> None:
        began = time.monotonic()
        with pytest.raises(StorageFailed, match="kept locked") as caught, one.reading():
            pass
        waited.append(time.monotonic() - began)
        assert "move" not in str(caught.value)

    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        for _ in range(6):
            look()
        assert waited[0] >= 0.5
        assert sum(waited[1:]) < 0.5
        other.execute("COMMIT")
        with one.reading() as db:
            assert db is not None
        other.execute("BEGIN EXCLUSIVE")
        look()
        assert waited[-1] >= 0.5, "it was free since, so it is waited for again"
        monkeypatch.setattr(database, "BUSY_SECONDS", 0.5)
        look()
        assert waited[-1] >= 0.5, "a patient process waits each time"
