"""A class asks each second; who has left counts no more."""

from __future__ import annotations

import pytest

from pages.parts.ui import fragments


def test_the_number_of_viewers_sets_the_pace(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fragments, "_asked", {})
    for n in range(1, fragments.FEW + 1):
        assert fragments._viewers(f"viewer {n}", 100.0) == n
    assert fragments._viewers("viewer 1", 101.0) == fragments.FEW
    assert fragments.pace() == fragments.SECONDS[True]  # they have all gone: that was long ago
    now = fragments._asked[""]
    for n in range(fragments.FEW):
        fragments._viewers(f"viewer {n}", now)
    assert fragments.pace() == fragments.SECONDS[False]
