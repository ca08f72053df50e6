"""F6: a disk that is really full, a small one that only these processes see."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ldp_core.errors import StorageFailed
from ldp_core.runs.storage import disk_space
from tests.conftest import ROOT


def on_a_small_disk(size: str, folder: Path, *parts: str) -> None:
    """Run parts of small_disk.py with a disk of this size mounted at the folder."""
    folder.mkdir()
    mount = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    script = 'mount -t tmpfs -o size="$1" none "$2" && shift 2 && exec "$@"'
    probe = [*mount, script, "sh", size, str(folder), "true"]
    if shutil.which("unshare") is None or subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("nobody may mount a small disk on this machine (Linux: unshare --map-root-user --mount)")
    command = [*mount, script, "sh", size, str(folder), sys.executable, "-m", "tests.runs.small_disk", *parts]
    environment = os.environ | {
        "EPSILON_RUNS_DIR": str(folder / "runs"),
        "EPSILON_WORKER_IDLE_SECONDS": "20",
        "EPSILON_SLOTS": "1",
    }
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=360)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_record_on_a_full_disk_is_whole_and_goes_on(tmp_path: Path):
    on_a_small_disk("8m", tmp_path / "disk", "record")


def test_a_full_disk_is_told_and_can_be_helped_from_here(tmp_path: Path):
    on_a_small_disk("1100m", tmp_path / "disk", "house", "orphan")


def test_a_nearly_full_disk_is_refused_with_the_arithmetic(runs_dir: Path):
    disk_space.refuse_a_full_disk(1000)
    with pytest.raises(StorageFailed, match=r"\d+ MB are free, and 2000000000 MB must be, twice what this"):
        disk_space.refuse_a_full_disk(10**15)


def test_the_reserve_is_there_until_it_is_given_up(runs_dir: Path):
    disk_space.keep_back()
    assert (runs_dir / "reserve").stat().st_size == disk_space.RESERVE
    disk_space.give_up()
    assert not (runs_dir / "reserve").exists()
    (runs_dir / "reserve").write_bytes(b"torn")
    disk_space.keep_back()
    assert (runs_dir / "reserve").stat().st_size == disk_space.RESERVE


def test_the_reserve_is_a_file_of_its_own_and_nothing_that_a_name_leads_to(runs_dir: Path, tmp_path: Path):
    runs_dir.mkdir()
    (tmp_path / "mine").write_text("mine")
    (runs_dir / "reserve").symlink_to(tmp_path / "mine")
    disk_space.keep_back()
    assert (tmp_path / "mine").read_text() == "mine"
    assert (runs_dir / "reserve").stat().st_size == disk_space.RESERVE
    assert not (runs_dir / "reserve").is_symlink()
