"""The five at equal budgets of a run: what each asks for costs so much; the finding follows the figures."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_core.accounting import epsilon_for, ledger
from ldp_core.errors import InvalidInput
from ldp_core.mechanisms.base import Floats
from ldp_core.papers import side_by_side
from ldp_core.papers.five_told import finding, in_short
from ldp_core.papers.measuring import measure
from ldp_core.papers.side_by_side import ARMS, ASKED, CHANCE, IMAGES, RUNS, SEEDS, Point, points
from ldp_core.papers.statements import interval
from ldp_core.papers.stored import SHIPPED, Figure, Shelf
from ldp_core.presets.of_systems.five_side_by_side import PD, PERSONALIZED, PPRD
from ldp_core.runs.lockstep import load
from tests.extent import in_gate

KNOWN = Shelf.of(SHIPPED / f"{side_by_side.NAME}.json")


@pytest.mark.parametrize(("label", "run"), ARMS)
def test_a_run_costs_every_client_what_it_says(label: str, run: float):
    experiment = side_by_side.experiment(label, run)
    assert experiment.form == "corrected"
    for entry in ledger(experiment)[:1]:
        assert entry["run_worst"]["guarantee"]
        assert entry["run_worst"]["epsilon"] == pytest.approx(run, rel=1e-2)


@pytest.mark.parametrize("label", [label for label, asked in ASKED.items() if len(asked) < len(RUNS)])
def test_what_is_missing_cannot_be_asked_for(label: str):
    with pytest.raises(InvalidInput, match="the budget of the run must lie between"):
        epsilon_for(side_by_side.experiment(label, RUNS[0]), RUNS[len(ASKED[label])])


def test_every_point_is_shipped_and_sure_to_five_points():
    found = points(KNOWN)
    assert [(one.label, one.run) for one in found] == list(ARMS)
    for one in found:
        assert one.trials == SEEDS * 3 * 50 * IMAGES and one.accuracy.seeds == SEEDS
        assert one.high - one.low < 0.1
        for figure in one.figures:
            assert figure.also["identified_clean"] == 1.0, "the attack works where nothing hides the image"


def test_a_point_of_this_version_comes_out_again():
    for arm in list(ARMS.values())[:: in_gate(11, 3)]:
        (again,) = measure([(arm, 1)], load)
        kept = KNOWN.figures[arm.key(1)]
        if kept.version == arm.version:
            assert again.value == pytest.approx(kept.value, abs=3 / 360)
            assert again.also["identified"] == pytest.approx(kept.also["identified"], abs=0.01)


def point(label: str, run: float, accuracies: Floats, leaked: float, low: float = 0.15) -> Point:
    """One that was measured, with accuracies seed by seed."""
    figures = tuple(
        Figure("", seed, float(value), "completed", 1.0, "", "2026-01-01", {})
        for seed, value in enumerate(accuracies)
    )
    over = interval(100 * accuracies)
    return Point(label, run, over, leaked, low, leaked + 0.03, 600, figures)


def test_the_finding_is_computed():
    assert finding(()) == ""
    near = np.array([-0.01, 0.01, 0.0, 0.005, -0.005])
    dear, half = point("A", 1e4, 0.9 + near, 0.9), point("B", 100.0, 0.5 - near, 0.2)
    safe = point("C", 100.0, 0.3 + near, 0.11, CHANCE - 0.02)
    said = finding((dear, half, safe))
    assert said.startswith(
        "Of all runs, the most accurate is A at ε 10\N{NARROW NO-BREAK SPACE}000: 90 %; there"
    )
    assert "picks out 90 % of the images" in said and "most accurate is B at ε 100: 50 %; where" in said
    assert said.endswith("none gets more than 30 % right.")
    assert in_short((dear, half, safe)) == (
        "At most 30 % accurate where picking cannot be told from guessing, 50 % where at most one image in "
        "four is picked out, 90 % where 90 % of them are."
    )
    assert in_short((dear, half)) == "", "none hides its images"
    assert finding((dear, half)).endswith("B at ε 100: 50 %.")
    own, other = point(PD, 1000.0, 0.9 + near, 0.9), point(side_by_side.CONTROL, 1000.0, 0.99 + near, 0.2)
    told = finding((own, other))
    assert "ε 1\N{NARROW NO-BREAK SPACE}000: 90 %" in told and told.endswith(
        "in place of Piecewise 20 % at 99 %."
    )
    assert "Among" not in finding((dear,)) and "Among" not in finding((safe,))


def test_which_is_the_most_accurate_is_said_only_where_that_is_clear():
    """Neither of two systems at ε 1 000 is clearly ahead; PD-LDPFL gains nothing by ε 100 000."""
    said = finding(points(KNOWN))
    assert said.count("none is clearly the most accurate: 5 seeds and 360 test images cannot tell") == 2
    doubt = said.split("Among runs")[1].split("; where")[0]
    assert all(label in doubt for label in (PERSONALIZED, PPRD)) and "most accurate is" not in said
    one = point("A", 10.0, np.array([0.5]), 0.2)
    assert "cannot tell" in finding((one, point("B", 10.0, np.array([0.4]), 0.2))), "one seed says nothing"


def test_of_equally_good_systems_none_is_called_the_most_accurate():
    """Twice 300 draws, two equal points and twenty: one of 20 may be named; the limit is four standard
    deviations above that, so a right program fails for 1 of 15 000 generators' seeds at most.
    """
    generator = np.random.default_rng(3)
    for many in (2, 20):
        sure = 0
        for accuracies in generator.normal(0.5, 0.1, (300, many, 1, 5)):
            drawn = tuple(point(f"{n}", 10.0, row, 0.9) for n, (row,) in enumerate(accuracies))
            sure += "cannot tell" not in finding(drawn)
        assert sure <= 15 + 4 * 3.8
