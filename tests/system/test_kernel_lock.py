"""A lock that ends with its holder, that asking does not disturb, and that a folder must have."""

import os
import platform
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ldp_core.system import kernel_lock
from tests.conftest import ROOT

pytestmark = pytest.mark.skipif(not kernel_lock.BY_OPEN_FILE, reason="locks of open files are Linux's")

NO_LOCKS = """
import ctypes, struct
def filters(*lines):
    return b"".join(struct.pack("HBBI", *line) for line in lines)
# who asks for such a lock (fcntl, F_OFD_SETLK) gets ENOLCK: there are none; all else is done
code = filters((0x20, 0, 0, 0), (0x15, 0, 3, 72), (0x20, 0, 0, 24), (0x15, 0, 1, 37),
               (0x06, 0, 0, 0x50000 | 37), (0x06, 0, 0, 0x7FFF0000))
kept = ctypes.create_string_buffer(code)
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(kept)))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
import sys
from ldp_core import cli
sys.exit(cli.main(["submit", "-", "--set", "rounds=1"]))
"""


def opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT)


@pytest.mark.parametrize("by_open_file", [True, False], ids=["by open file", "as other systems have it"])
def test_lock_query_leaves_the_lock_free(by_open_file: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(kernel_lock, "BY_OPEN_FILE", by_open_file)
    mine, theirs = opened(tmp_path / "x"), opened(tmp_path / "x")
    assert not kernel_lock.is_taken(theirs)
    assert kernel_lock.take(mine)
    for _ in range(3):
        assert kernel_lock.is_taken(theirs)
        assert not kernel_lock.take(theirs)
    os.close(opened(tmp_path / "x"))
    assert kernel_lock.is_taken(theirs), "who closes the file takes it from no holder"
    kernel_lock.let_go(mine)
    assert kernel_lock.take(theirs)
    kernel_lock.let_go(theirs)
    assert kernel_lock.missing(tmp_path) == ""
    assert [file.name for file in tmp_path.iterdir()] == ["x"]


def test_lock_ends_with_its_holder_not_with_forks(tmp_path: Path):
    path = tmp_path / "x"
    said, say = os.pipe()
    if (holder := os.fork()) == 0:
        kernel_lock.take(opened(path))
        if (child := os.fork()) == 0:
            time.sleep(60)
            os._exit(0)
        os.write(say, str(child).encode())
        time.sleep(60)
        os._exit(0)
    child = int(os.read(said, 20))
    mine = opened(path)
    try:
        assert kernel_lock.is_taken(mine)
        os.kill(holder, signal.SIGKILL)
        os.waitpid(holder, 0)
        for _ in range(1000):  # the child may not have had a turn yet
            if not kernel_lock.is_taken(mine):
                break
            time.sleep(0.05)
        assert not kernel_lock.is_taken(mine)
        os.kill(child, 0)
    finally:
        os.kill(child, signal.SIGKILL)
        os.close(mine)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the number of fcntl is that of x86-64")
def test_a_file_system_without_locks_is_refused_in_a_sentence(runs_dir: Path):
    done = subprocess.run(
        [sys.executable, "-c", NO_LOCKS], cwd=ROOT, input="{}", capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2, done.stderr
    assert "lies on a file system without locks (No locks available)" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (runs_dir / "studio.sqlite").exists()
