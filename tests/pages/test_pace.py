"""A class asks each second; who has left counts no more."""

from __future__ import annotations

import pytest

from pages.parts import pace


def test_the_number_of_viewers_sets_the_pace(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pace, "_asked", {})
    for n in range(1, pace.FEW + 1):
        assert pace._viewers(f"viewer {n}", 100.0) == n
    assert pace._viewers("viewer 1", 101.0) == pace.FEW
    assert pace.pace() == pace.SECONDS[True]  # they have all gone: that was long ago
    now = pace._asked[""]
    for n in range(pace.FEW):
        pace._viewers(f"viewer {n}", now)
    assert pace.pace() == pace.SECONDS[False]
