"""The five at equal budgets of a run: what each asks for costs so much; the finding follows the figures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ldp_core.accounting import epsilon_for, ledger
from ldp_core.errors import InvalidInput
from ldp_core.papers import side_by_side
from ldp_core.papers.measuring import measure
from ldp_core.papers.side_by_side import ARMS, ASKED, CHANCE, IMAGES, RUNS, SEEDS, Point, finding, points
from ldp_core.papers.statements import Interval
from ldp_core.papers.stored import SHIPPED, Shelf
from ldp_core.papers.version import version
from ldp_core.presets.of_systems.five_side_by_side import PD
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
        if kept.version == version():
            assert again.value == pytest.approx(kept.value, abs=3 / 360)
            assert again.also["identified"] == pytest.approx(kept.also["identified"], abs=0.01)


def test_the_finding_is_computed():
    assert finding(()) == ""
    dear = Point("A", 1e4, Interval(90, 1, 5), 0.9, 0.85, 0.95, 600, ())
    half = replace(dear, label="B", run=100.0, accuracy=Interval(50, 1, 5), leaked=0.2, low=0.18)
    safe = replace(half, label="C", accuracy=Interval(30, 1, 5), leaked=0.11, low=CHANCE - 0.02)
    said = finding((dear, half, safe))
    assert "A at ε 10\N{NARROW NO-BREAK SPACE}000 a run, gets 90 % right" in said
    assert "picks out 90 % of the images" in said and "most accurate is B at ε 100: 50 %; where" in said
    assert said.endswith("none gets more than 30 % right.")
    assert finding((dear, half)).endswith("B at ε 100: 50 %.")
    own = replace(dear, label=PD, run=1000.0)
    told = finding((own, replace(own, label=side_by_side.CONTROL, leaked=0.2, accuracy=Interval(99, 1, 5))))
    assert "gets 90 % right" in told and told.endswith("in place of Piecewise 20 % at 99 %.")
    assert "Among" not in finding((dear,)) and "Among" not in finding((safe,))
