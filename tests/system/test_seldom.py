"""A log that one thing cannot fill."""

from __future__ import annotations

import logging

import pytest

from ldp_core.system import seldom
from ldp_core.system.seldom import Seldom


def record(text: str, level: int = logging.WARNING) -> logging.LogRecord:
    return logging.LogRecord("root", level, "file.py", 1, text, (), None)


def test_what_goes_wrong_again_and_again_is_logged_once_a_minute(monkeypatch: pytest.MonkeyPatch):
    now = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    one = Seldom()
    assert [one.filter(record("a")) for _ in range(5)] == [True, False, False, False, False]
    assert one.filter(record("b"))
    assert all(one.filter(record("a", logging.INFO)) for _ in range(3)), "what goes right is logged each time"
    now[0] += seldom.SECONDS
    assert one.filter(record("a"))
    for n in range(3 * seldom.MOST):
        one.filter(record(str(n)))
    assert len(one._last) == seldom.MOST
