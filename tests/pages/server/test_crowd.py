"""How many pages there is room for: what the operator says, and what the system gives a process."""

from __future__ import annotations

from typing import Any

import pytest

from ldp_core.runs.visitor_limits import KEPT, limits
from pages.server import crowd
from pages.server.crowd import Crowd


async def nothing(scope: Any, receive: Any, send: Any) -> None:
    """The application behind it."""


def test_pages_end_where_descriptors_do(monkeypatch: pytest.MonkeyPatch):
    """One that was lost a moment ago holds three of the five of an open one, and may be back."""
    monkeypatch.setattr(crowd, "descriptors", lambda: KEPT + 5 * 20 + 4)
    small = Crowd(nothing, limits())
    monkeypatch.setattr(crowd, "sessions", lambda: 19)
    assert small.full("192.0.2.1") == ""
    monkeypatch.setattr(crowd, "sessions", lambda: 20)
    assert small.full("192.0.2.1").startswith("20 pages were open on this server a moment ago")
    monkeypatch.setattr(crowd, "descriptors", lambda: 8192)
    assert Crowd(nothing, limits()).full("192.0.2.1") == ""
