"""What made a run diverge is told by its twin without noise, and by nothing else."""

from typing import Any

import pytest

from pages.parts.charts.series import Series
from pages.parts.train.standings import blame
from pages.parts.ui.text import percent
from pages.parts.watch.headline import head
from tests.pages.charts.test_base import made
from tests.pages.watch.test_headline import DRAFT, said


def series(place: int, label: str, changes: dict[str, Any], lost: bool = False) -> Series:
    found = made(place, label, {"rounds": 3, "attack": None} | changes)
    if lost:
        end = {"status": "diverged", "round": 1, "message": "the weights reached 1e+9; too much"}
        found.runs[0].end = {**(found.runs[0].end or {}), **end}
    return found


CLEAN = {"mechanism": "none"}


def test_noise_is_blamed_where_the_twin_learns():
    lost, twin = series(0, "mean", {}, lost=True), series(-1, "no noise", CLEAN)
    found = blame(lost, [lost, twin])
    assert found and found.cause == "noise"
    assert percent(twin.final("accuracy").mean()) in found.why
    line = head(DRAFT, [lost], 0.1, "audit", "completed", "nothing", twin)["line"]
    assert said(line) == "mean diverged: it was the noise"


WIDE = {"clients": {"range": 20}}
UNLIKE = {"clients": {"range": [10.0] * 10 + [30.0] * 10}}


@pytest.mark.parametrize(
    ("own", "twin", "diverges", "cause", "why"),
    [
        (WIDE, CLEAN | WIDE, False, "range", "±20"),
        (UNLIKE, CLEAN | UNLIKE, False, "range", "±10 to 30"),
        ({}, CLEAN, True, "rate", "0.5"),
        (CLEAN, CLEAN, True, "rate", "0.5"),
    ],
)
def test_a_far_too_wide_range_or_the_rate_is_blamed(
    own: dict[str, Any], twin: dict[str, Any], diverges: bool, cause: str, why: str
):
    lost = series(0, "mean", own, lost=True)
    found = blame(lost, [lost, series(-1, "no noise", twin, lost=diverges)])
    assert found and found.cause == cause and why in found.why


def test_missing_or_unlike_twin_gives_no_cause():
    lost = series(0, "mean", {}, lost=True)
    other = series(-1, "no noise", CLEAN | {"local": {"learning_rate": 0.1}})
    assert blame(lost, [lost]) is blame(lost, [lost, other]) is None
