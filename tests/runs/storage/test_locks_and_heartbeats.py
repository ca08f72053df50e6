"""Locks name their holder and its heartbeat; what is written is closed to other accounts of the machine."""

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ldp_core import doctor
from ldp_core.runs.storage import locks_and_heartbeats as locks
from ldp_core.runs.storage.locks_and_heartbeats import WORKER, hold, holder, is_held
from ldp_core.runs.storage.paths import runs_dir as folder_of_runs
from ldp_core.system import kernel_lock
from ldp_core.system.data_folder import keep_private
from tests.conftest import ROOT
from tests.runs.processes import stand_in


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.lock"


def test_held_lock_names_its_holder(path: Path):
    assert holder(path) is None
    held = hold(path, beats=True)
    assert held and holder(path) == held.who
    assert (held.who.pid, held.who.host, held.who.here) == (os.getpid(), socket.gethostname(), True)
    assert hold(path) is None
    held.close()
    assert not is_held(path)
    assert holder(path) is None, "what stands there is an earlier holder's"
    again = hold(path)
    assert again and again.who.token != held.who.token
    assert holder(path) is None
    again.close(remove=True)
    assert not path.exists()


def test_request_to_leave_names_one_holder(tmp_path: Path):
    with stand_in(tmp_path) as held:
        assert not held.is_to_go()
        locks.ask_to_go(held.path, "0" * 16)
        assert not held.is_to_go(), "an earlier holder was meant"
        locks.ask_to_go(held.path, held.who.token)
        assert held.is_to_go()
        assert holder(held.path) == held.who
    with stand_in(tmp_path) as held:
        assert not held.is_to_go(), "what was asked of the one before does not count"
        held.path.unlink()
        assert held.is_to_go(), "another one may hold a file of that name now"


def test_process_waiting_for_the_cpu_does_not_stand_still(path: Path, monkeypatch: pytest.MonkeyPatch):
    """It is alive, and was not stopped, but comes to no heartbeat."""
    monkeypatch.setattr(locks, "BEAT_SECONDS", 1e9)
    monkeypatch.setattr(locks, "SURE_SECONDS", 0.0)
    monkeypatch.setattr(locks, "STALLED_SECONDS", 0.0)
    held = hold(path, beats=True)
    assert held is not None
    locks.stands_still(path)
    assert locks.stands_still(path) == 0.0
    monkeypatch.setattr(locks, "is_waiting", lambda who: False)
    assert locks.stands_still(path) > 0
    held.close()


def test_lock_without_heartbeat_never_stands_still(path: Path):
    """As one that has said nothing yet: a worker inherits its file from the process that starts it."""
    held, file = hold(path), locks.taken(path.with_name(WORKER))
    assert held and file
    os.write(file, b" " * 400)
    for one in (path, path.with_name(WORKER)):
        os.utime(one, (0, 0))
        assert is_held(one)
        assert locks.stands_still(one) == 0.0
    held.close()
    kernel_lock.let_go(file)


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def submitted(runs_dir: Path) -> Path:
    """Database of a job that a command has put in the queue."""
    with stand_in(runs_dir):
        command = [sys.executable, "-m", "ldp_core", "submit", "-"]
        subprocess.run(command, cwd=ROOT, input="{}", text=True, check=True, capture_output=True)
    return runs_dir / "studio.sqlite"


def test_command_writes_for_its_user_alone(runs_dir: Path):
    database = submitted(runs_dir)
    assert mode(database) == 0o600


def test_command_lets_a_group_read_that_shares_the_folder(runs_dir: Path):
    runs_dir.mkdir()
    runs_dir.chmod(0o2770)
    assert mode(submitted(runs_dir)) == 0o640


def test_folder_of_runs_is_private(runs_dir: Path):
    assert mode(folder_of_runs()) == 0o700
    assert doctor.runs()[0] == "ok"
    runs_dir.chmod(0o755)
    grade, found = doctor.runs()
    assert (grade, "755" in found) == ("note", True)


@pytest.mark.parametrize(("given", "expected"), [(0o700, 0o077), (0o755, 0o077), (0o770, 0o007)])
def test_umask_follows_the_folder_of_runs(runs_dir: Path, given: int, expected: int):
    runs_dir.mkdir()
    runs_dir.chmod(given)
    keep_private()
    assert os.umask(0o022) == expected
