"""A class asks each second; who has left counts no more."""

from __future__ import annotations

import pytest

from pages.parts.ui import poll_interval


def test_the_number_of_viewers_sets_the_pace(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(poll_interval, "_asked", {})
    for n in range(1, poll_interval.FEW + 1):
        assert poll_interval._viewers(f"viewer {n}", 100.0) == n
    assert poll_interval._viewers("viewer 1", 101.0) == poll_interval.FEW
    assert poll_interval.pace() == poll_interval.SECONDS[True]  # they have all gone: that was long ago
    now = poll_interval._asked[""]
    for n in range(poll_interval.FEW):
        poll_interval._viewers(f"viewer {n}", now)
    assert poll_interval.pace() == poll_interval.SECONDS[False]
