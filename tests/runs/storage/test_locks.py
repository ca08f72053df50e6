"""A lock ends with its holder, whoever that has forked; its file says who it is and that it moves."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ldp_core.runs.storage import locks
from ldp_core.runs.storage.locks import WORKER, WRITER, hold, holder, is_held
from tests.conftest import ROOT
from tests.runs.processes import PATIENCE_SECONDS, stand_in

HOLD = "import sys, time, pathlib; from ldp_core.runs.storage.locks import hold; "
HOLD += "kept = hold(pathlib.Path(sys.argv[1])); kept.beat(); print('held', flush=True); time.sleep(600)"


def test_one_holds_a_record_and_says_who_it_is(tmp_path: Path):
    path = tmp_path / WRITER
    assert holder(path) is None
    with hold(path) as held:
        assert holder(path) == held.who
        assert (held.who.pid, held.who.host, held.who.here) == (os.getpid(), socket.gethostname(), True)
        with pytest.raises(locks.TakenBySomebody, match=f"its record is written by process {os.getpid()}"):
            hold(path)
    assert not is_held(path)
    assert holder(path) is None, "what stands there was said by somebody who holds it no more"
    with hold(path) as again:
        assert again.who.token != held.who.token


def test_a_forked_child_holds_nothing(tmp_path: Path):
    held = hold(tmp_path / WRITER)
    if (child := os.fork()) == 0:
        time.sleep(600)
    held.close()
    try:
        for _ in range(1000):  # it may not have had a turn yet
            if not is_held(tmp_path / WRITER):
                break
            time.sleep(0.02)
        assert not is_held(tmp_path / WRITER)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_who_shall_leave_is_named(tmp_path: Path):
    with stand_in(tmp_path) as held:
        assert not held.is_to_go()
        locks.ask_to_go(held.path, "0" * 16)
        assert not held.is_to_go(), "somebody before it was meant"
        locks.ask_to_go(held.path, held.who.token)
        assert held.is_to_go()
        assert holder(held.path) == held.who
    with stand_in(tmp_path) as held:
        assert not held.is_to_go(), "what was asked of the one before does not count"
        held.path.unlink()
        assert held.is_to_go(), "another one may hold a file of that name now"


def test_one_that_is_stopped_stands_still_and_one_that_is_dead_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(locks, "SURE_SECONDS", 1.5)
    monkeypatch.setattr(locks, "STALLED_SECONDS", 1.5)
    path = tmp_path / WRITER
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline:
            assert locks.stands_still(path) < 3, "it may give way to others for a while"
            time.sleep(0.1)
        process.send_signal(signal.SIGSTOP)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not locks.stands_still(path):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        process.kill()
    assert locks.stands_still(path) == 0.0


def test_a_worker_that_has_said_nothing_yet_is_nobody_who_stands_still(tmp_path: Path):
    """Whoever starts it holds its file, and hands it over."""
    file = locks.taken(tmp_path / WORKER)
    assert file is not None
    os.write(file, b" " * 400)
    os.utime(tmp_path / WORKER, (0, 0))
    assert is_held(tmp_path / WORKER)
    assert locks.stands_still(tmp_path / WORKER) == 0.0
    assert tmp_path / WORKER not in locks._seen
    os.close(file)
