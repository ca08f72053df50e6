"""A stopped holder of a lock has no heartbeat; a dead one has no lock."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ldp_core.runs.storage import heartbeat, locks
from ldp_core.runs.storage.locks import WORKER, hold, is_held
from tests.conftest import ROOT
from tests.runs.processes import PATIENCE_SECONDS

HOLD = "import sys, time, pathlib; from ldp_core.runs.storage.locks import hold; "
HOLD += "kept = hold(pathlib.Path(sys.argv[1]), beats=True); print('held', flush=True); time.sleep(600)"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.lock"


def test_one_that_is_stopped_stands_still_and_one_that_is_dead_does_not(
    path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(heartbeat, "SURE_SECONDS", 1.5)
    monkeypatch.setattr(heartbeat, "STALLED_SECONDS", 1.5)
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline:
            assert heartbeat.stands_still(path) < 3, "it may give way to others for a while"
            time.sleep(0.1)
        process.send_signal(signal.SIGSTOP)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not heartbeat.stands_still(path):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        process.kill()
    assert heartbeat.stands_still(path) == 0.0


def test_whoever_promises_no_sign_of_life_is_nobody_who_stands_still(path: Path):
    """As one that has said nothing yet: a worker inherits its file from the process that starts it."""
    held, file = hold(path), locks.taken(path.with_name(WORKER))
    assert held is not None
    assert file is not None
    os.write(file, b" " * 400)
    for one in (path, path.with_name(WORKER)):
        os.utime(one, (0, 0))
        assert is_held(one)
        assert heartbeat.stands_still(one) == 0.0
        assert one not in heartbeat._seen
    held.close()
    os.close(file)
