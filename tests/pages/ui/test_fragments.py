"""A class asks each second; who has left counts no more."""

from __future__ import annotations

import pytest

from pages.parts.ui import fragments


def test_the_number_of_viewers_sets_the_pace(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fragments, "_asked", {})
    monkeypatch.setattr(fragments, "crowding", lambda: 1.0)
    for n in range(1, fragments.FEW + 1):
        assert fragments._viewers(f"viewer {n}", 100.0) == n
    assert fragments._viewers("viewer 1", 101.0) == fragments.FEW
    assert fragments.pace() == fragments.FEW_SECONDS  # they have all gone: that was long ago
    now = fragments._asked[""]
    for n in range(fragments.FEW):
        fragments._viewers(f"viewer {n}", now)
    assert fragments.pace() == fragments.MANY_SECONDS


@pytest.mark.parametrize(("crowd", "seconds"), [(0.0, 0.5), (2.0, 0.5), (2.1, 1.0), (4.0, 1.0), (4.1, 2.0)])
def test_and_so_does_what_the_machine_has_to_do(
    monkeypatch: pytest.MonkeyPatch, crowd: float, seconds: float
):
    monkeypatch.setattr(fragments, "_asked", {})
    monkeypatch.setattr("os.getloadavg", lambda: (crowd * 3, 0.0, 0.0))
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    assert fragments.pace() == seconds
