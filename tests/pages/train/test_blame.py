"""What made a run diverge is told by its twin without noise, and by nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from pages.parts.charts.series import Series
from pages.parts.train.blame import blame
from pages.parts.ui.text import percent
from pages.parts.watch.headline import head
from tests.pages.charts.test_base import run
from tests.pages.watch.test_headline import DRAFT, said


def series(place: int, label: str, changes: dict[str, Any], lost: bool = False) -> Series:
    found = run(place, label, 0, {"rounds": 3, "attack": None} | changes)
    if lost:
        end = {"status": "diverged", "round": 1, "message": "the weights reached 1e+9; too much"}
        found.end = {**(found.end or {}), **end}
    return Series(place, label, (found,))


CLEAN = {"mechanism": "none"}


def test_noise_is_blamed_where_the_twin_learns():
    lost, twin = series(0, "mean", {}, lost=True), series(-1, "no noise", CLEAN)
    found = blame(lost, [lost, twin])
    assert found
    assert found.cause == "noise"
    assert percent(twin.final("accuracy").mean()) in found.why
    line = head(DRAFT, [lost], 0.1, "audit", "completed", "nothing", twin)["line"]
    assert said(line) == "mean diverged: it was the noise"


def test_a_range_far_wider_than_what_is_sent_is_blamed_for_its_noise():
    wide = {"clients": {"range": 20}}
    lost, twin = series(0, "mean", wide, lost=True), series(-1, "no noise", CLEAN | wide)
    found = blame(lost, [lost, twin])
    assert found
    assert found.cause == "range"
    assert "±20" in found.why


@pytest.mark.parametrize("own", [{}, CLEAN])
def test_the_rate_is_blamed_where_the_twin_diverges_or_there_is_no_noise(own: dict[str, Any]):
    lost, twin = series(0, "mean", own, lost=True), series(-1, "no noise", CLEAN, lost=True)
    found = blame(lost, [lost, twin])
    assert found
    assert found.cause == "rate"
    assert "0.5" in found.why


def test_without_a_twin_or_with_another_training_nothing_is_blamed():
    lost = series(0, "mean", {}, lost=True)
    other = series(-1, "no noise", CLEAN | {"local": {"learning_rate": 0.1}})
    assert blame(lost, [lost]) is None
    assert blame(lost, [lost, other]) is None
