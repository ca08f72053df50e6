"""F6 and F14: a small disk that is really full or read-only; a database that others keep locked."""

import errno
import os
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pytest

from ldp_core import doctor
from ldp_core.errors import ReadOnly, StorageFailed
from ldp_core.runs.storage import database, disk_space, paths
from tests.conftest import ROOT
from tests.runs.processes import skip_without
from tests.warm import Interpreter


@pytest.fixture
def on_a_small_disk(interpreter: Interpreter, tmp_path: Path) -> Callable[..., None]:
    """Run parts of small_disk.py with a disk of this size mounted at a folder."""

    def run(size: str, *parts: str) -> None:
        folder = tmp_path / "disk"
        folder.mkdir()
        script = 'mount -t tmpfs -o size="$1" none "$2" && echo mounted && exec sleep 600'
        mount = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", size, str(folder)]
        environment = os.environ | {"EPSILON_RUNS_DIR": str(folder / "runs"), "EPSILON_SLOTS": "1"}
        with subprocess.Popen(mount, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as keeps:
            assert keeps.stdout is not None
            if not keeps.stdout.readline():
                pytest.skip("no user may mount a small disk on this machine")
            try:
                words = ["tests.runs.small_disk", str(interpreter.place), *parts]
                done = interpreter.run(words, ROOT, environment, tmp_path, within=keeps.pid)
            finally:
                keeps.kill()
        assert done.returncode == 0, done.stdout + done.stderr

    skip_without("unshare", "--map-root-user", "--mount", "true")
    return run


def test_a_full_disk_is_told_and_can_be_helped_from_here(on_a_small_disk: Callable[..., None]):
    on_a_small_disk("1100m", "house")


def test_read_only_disk_is_readable_and_named(on_a_small_disk: Callable[..., None]):
    on_a_small_disk("8m", "read_only")


def test_a_folder_that_cannot_be_made_on_one_is_reported(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Path, "mkdir", Mock(side_effect=OSError(errno.EROFS, "Read-only file system")))
    with pytest.raises(ReadOnly, match="make it writable"):
        paths.runs_dir()


def test_a_nearly_full_disk_is_refused_with_the_arithmetic(runs_dir: Path):
    disk_space.refuse_a_full_disk(1000)
    with pytest.raises(StorageFailed, match=r"\d+ MB are free, and 2000000000 MB must be, twice what this"):
        disk_space.refuse_a_full_disk(10**15)


def test_disk_with_few_inodes_left_is_full(runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    """One is left, that of the reserve which was given up; a journal takes it."""
    with pytest.raises(sqlite3.OperationalError) as caught:  # as where no journal can be made
        sqlite3.connect(runs_dir / "none" / "x")
    assert (disk_space.is_full(caught.value), disk_space.shortage()) == (False, "")
    blocks = {"f_frsize": 4096, "f_blocks": 10**9, "f_bfree": 10**9, "f_bavail": 10**9}
    monkeypatch.setattr(os, "statvfs", lambda _: Mock(f_files=999, f_favail=1, **blocks))
    assert (disk_space.is_full(caught.value), disk_space.shortage()) == (True, "the disk is full")
    with pytest.raises(StorageFailed, match="inodes"):
        disk_space.refuse_a_full_disk(1)
    assert doctor.disk()[0] == "wrong"


def test_reserve_file_lasts_until_given_up(runs_dir: Path):
    disk_space.keep_back()
    assert (runs_dir / "reserve").stat().st_size == disk_space.RESERVE
    disk_space.give_up()
    assert not (runs_dir / "reserve").exists()
    (runs_dir / "reserve").write_bytes(b"torn")
    disk_space.keep_back()
    assert (runs_dir / "reserve").stat().st_size == disk_space.RESERVE


def test_reserve_does_not_follow_a_link(runs_dir: Path, tmp_path: Path):
    runs_dir.mkdir()
    (tmp_path / "mine").write_text("mine")
    (runs_dir / "reserve").symlink_to(tmp_path / "mine")
    disk_space.keep_back()
    assert (tmp_path / "mine").read_text() == "mine"
    assert (runs_dir / "reserve").stat().st_size == disk_space.RESERVE
    assert not (runs_dir / "reserve").is_symlink()


def test_locked_database_delays_a_page_once(runs_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
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
