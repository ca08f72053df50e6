"""A training process gives way, in its own session and in the time that sessions share."""

import errno
import multiprocessing
import os
import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from ldp_core.system.process_group import AUTOGROUP, NICENESS, begin, end_when_asked, give_way, stops_held


def as_it_is() -> tuple[int, str]:
    group = AUTOGROUP.read_text() if AUTOGROUP.exists() else ""
    return os.getpriority(os.PRIO_PROCESS, 0), group.rpartition(" ")[2].strip()


def trains(answer: Connection, parent: int) -> None:
    begin(parent)
    give_way()  # said twice is as good as said once
    answer.send(as_it_is())


def test_training_process_has_low_priority():
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=trains, args=(theirs, os.getpid()))
    process.start()
    niceness, group = ours.recv()
    process.join()
    assert niceness >= NICENESS
    assert group in (str(NICENESS), "")
    assert as_it_is()[0] < NICENESS


@pytest.mark.parametrize(("error", "tries"), [(errno.EAGAIN, 3), (errno.EACCES, 1)])
def test_priority_is_retried_only_when_temporary(error: int, tries: int, monkeypatch: pytest.MonkeyPatch):
    """Of those who are not root, the kernel hears ten a second, all processes together."""
    asked: list[str] = []

    def write(self: Path, text: str) -> None:
        asked.append(text)
        if len(asked) < 3:
            raise OSError(error, "refused")

    monkeypatch.setattr(Path, "write_text", write)
    monkeypatch.setattr("os.nice", lambda _: 0)
    monkeypatch.setattr("time.sleep", lambda _: None)
    give_way()
    assert len(asked) == tries


def test_stop_during_fork_is_not_lost():
    """Of a hundred that were, 97 went on where nothing was held back."""
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        for _ in range(20):
            with stops_held():
                if not (pid := os.fork()):
                    end_when_asked()
                    time.sleep(60)
                    os._exit(0)
                os.kill(pid, signal.SIGTERM)
            assert os.WTERMSIG(os.waitpid(pid, 0)[1]) == signal.SIGTERM
    finally:
        signal.signal(signal.SIGTERM, before)
