"""A lock ends with its holder, whoever that has forked; its file says who it is and that it moves."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from ldp_core.runs.storage import locks
from ldp_core.runs.storage.locks import hold, holder, is_held
from tests.runs.processes import stand_in


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.lock"


def test_one_holds_a_file_and_who_beats_says_who_it_is(path: Path):
    assert holder(path) is None
    held = hold(path, beats=True)
    assert held and holder(path) == held.who
    assert (held.who.pid, held.who.host, held.who.here) == (os.getpid(), socket.gethostname(), True)
    assert hold(path) is None
    held.close()
    assert not is_held(path)
    assert holder(path) is None, "what stands there was said by somebody who holds it no more"
    again = hold(path)
    assert again and again.who.token != held.who.token
    assert holder(path) is None
    again.close(remove=True)
    assert not path.exists()


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
