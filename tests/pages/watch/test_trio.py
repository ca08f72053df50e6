"""The noise panel of Train says what its lines are, and where there are none, why."""

import json
from typing import Any

import pytest

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs.kinds.run import Training
from ldp_core.runs.view.run_curves import RunProgress
from pages.parts.charts.rounds import noise_figure, noise_words
from pages.parts.charts.series import Series
from pages.parts.runs.job_state import amount
from pages.parts.runs.said import in_words
from pages.parts.ui.components import typed
from pages.parts.watch.trio import Pictured, trio
from tests.pages.charts.test_base import run

PERSONAL: dict[str, Any] = {"system": "optimal_ldp_fl", "dataset": "digits"}
OPTIMAL = PERSONAL | {"model": "mlp"}
FOLLOWS = "no noise is predicted, as each range follows the server's model"

CLOSE = "it depends on how close each vote is"


def before(*changes: dict[str, Any]) -> dict[str, Any]:
    draft = Draft(parse({}), tuple(Variant(f"v{i}", one) for i, one in enumerate(changes)))
    panel: dict[str, Any] = trio(draft, [], None, Pictured([]), "nothing")["noise"]
    traces = json.loads(panel["figure"])["data"]
    lines = [one for one in traces if one["x"] != {"dtype": one["x"]["dtype"], "bdata": ""}]
    return panel | {"lines": len(lines)}


def after(draft_of: dict[str, Any]) -> dict[str, Any]:
    """The panel when all rounds are done."""
    draft = Draft(parse({}), (Variant("v", draft_of),))
    shown = [Series(0, "v", (run(0, "v", 0, draft_of),))]
    panel: dict[str, Any] = trio(draft, shown, None, Pictured([]), "nothing", "completed")["noise"]
    return panel


DASHED = "dashed: predicted, for"
UNSEEN: dict[str, Any] = {"attack": None}
UNHEARD: dict[str, Any] = {
    "mechanism": "dynamic_gaussian",
    "clients": {"epsilon": 1.3, "epsilon_scope": "upload"},
    "aggregator": "probability_selection",
    "rounds": 1,
}
"""A lottery that draws nobody, so noise that was added is in no model."""
VOTES: dict[str, Any] = {"aggregator": "sign_majority", "mechanism": "ldpsign", "rounds": 2} | UNSEEN


@pytest.mark.parametrize(
    ("changes", "lines", "words"),
    [
        ([{"mechanism": "duchi"}], 1, f"{DASHED} weights in mid-range"),
        ([{"mechanism": "none"}], 0, "no noise is added"),
        # PrivUnit's noise is least for those: at ε 700 a third of that for weights in mid-range
        ([{"mechanism": "privunit"}], 1, f"{DASHED} uploads of full length"),
        ([OPTIMAL], 0, FOLLOWS),
        ([PERSONAL, {"mechanism": "duchi"}], 1, f"{DASHED} weights in mid-range, where it can be"),
        ([VOTES], 0, f"no noise is predicted, as {CLOSE}"),
    ],
)
def test_prediction_or_its_absence_is_explained(changes: list[dict[str, Any]], lines: int, words: str):
    result = before(*changes)
    assert (result["lines"], result["subtitle"]) == (lines, words)
    assert changes != [OPTIMAL] or result["hint"].endswith(f" N{FOLLOWS[1:]}.")


@pytest.mark.parametrize(
    ("draft_of", "words"),
    [
        # seven uploads of 650 weights at ε 0.5, by which all clients reach their own limit of 700
        (
            {"clients": {"epsilon": 0.5, "run_limit": 700}, "mechanism": "duchi", "rounds": 9} | UNSEEN,
            "line: measured; circles: computed",
        ),
        ({"mechanism": "none", "rounds": 1} | UNSEEN, "no noise reached the model"),
        (UNHEARD | UNSEEN, "no noise reached the model"),
        (VOTES, "line: measured, after the vote"),
    ],
)
def test_measured_noise_is_distinguished_from_computed(draft_of: dict[str, Any], words: str):
    assert after(draft_of)["subtitle"] == words


def test_beside_a_vote_noise_is_told_apart():
    mean: dict[str, Any] = {"aggregator": "mean"}
    plain = {**mean, "mechanism": "none", "model": {"name": "mlp", "hidden": 256}}
    both, quiet = (
        [Series(i, "v", (run(i, "v", 0, VOTES | more),)) for i, more in enumerate(designs)]
        for designs in (({}, mean), (mean, plain))
    )
    assert "vote" not in noise_words(quiet), "without noise nobody votes"
    assert noise_words(both) == "line: measured, of votes after the vote; circles: computed"
    assert json.dumps(noise_figure(both, 2, {}), default=typed, allow_nan=False)


def test_noise_caption_of_a_ladder_counts_runs_that_have_begun():
    """Before all had begun it said that no noise is added, beside the lines of those that had."""
    ladder = {f"Duchi ε {one}": {"clients.epsilon": float(one)} for one in range(1, 9)}
    base = {"mechanism": "duchi", "rounds": 2} | UNSEEN
    draft = Draft(parse(base), tuple(Variant(*one) for one in ladder.items()))
    begun = run(0, "Duchi ε 1", 0, base | {"clients": {"epsilon": 1.0}})
    waiting = [RunProgress(i - 1, f"Duchi ε {i}", 0, begun.experiment) for i in range(2, 9)]
    shown = [Series(i, one.label, (one,)) for i, one in enumerate((begun, *waiting))]
    panel: dict[str, Any] = trio(draft, shown, None, Pictured([]), "nothing", "live")["noise"]
    assert panel["subtitle"].startswith("after round 2 of 2")


def test_variants_of_unequal_length_are_drawn_and_counted_whole():
    """A system brings its rounds along: of 3 to 50 rounds the charts showed 3, and lists counted 3."""
    draft = Draft(parse({"rounds": 3} | UNSEEN), (Variant("short"), Variant("long", {"rounds": 50})))
    panels = trio(draft, [], None, Pictured([]), "nothing")
    for panel in ("accuracy", "noise"):
        assert json.loads(panels[panel]["figure"])["layout"]["xaxis"]["range"][1] >= 50
    assert "3 to 50 rounds" in amount(draft)
    assert "3 to 50 rounds" in in_words("run", Training(draft, False, ())).size
