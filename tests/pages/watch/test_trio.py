"""The noise panel of Train says what its lines are, and where there are none, why."""

from __future__ import annotations

import json
from typing import Any

from ldp_core.experiment import Draft, Variant, parse
from pages.parts.charts.rounds import noise_figure, noise_words
from pages.parts.charts.series import Series
from pages.parts.ui.components import typed
from pages.parts.watch.trio import Pictured, trio
from tests.pages.charts.test_base import run

OPTIMAL: dict[str, Any] = {"system": "optimal_ldp_fl", "dataset": "digits", "model": "mlp"}
FOLLOWS = "no noise is predicted, as each range follows the server's model"

CLOSE = "it depends on how close each vote is"


def before(*changes: dict[str, Any]) -> dict[str, Any]:
    draft = Draft(parse({}), tuple(Variant(f"v{i}", one) for i, one in enumerate(changes)))
    panel: dict[str, Any] = trio(draft, [], None, Pictured([]), "nothing")["noise"]
    traces = json.loads(panel["figure"])["data"]
    lines = [one for one in traces if one["x"] != {"dtype": one["x"]["dtype"], "bdata": ""}]
    return panel | {"lines": len(lines)}


def test_where_no_noise_is_predicted_no_line_is_drawn_and_it_is_said_why():
    result = before(OPTIMAL)
    assert result["subtitle"] == FOLLOWS
    assert result["hint"].endswith(f" N{FOLLOWS[1:]}.")
    assert result["lines"] == 0
    some = before({"system": "optimal_ldp_fl", "dataset": "digits"}, {"mechanism": "duchi"})
    assert some["subtitle"] == "dashed: predicted, for weights in mid-range, where it can be"
    assert some["lines"] == 1


def test_what_is_predicted_is_drawn():
    result = before({"mechanism": "duchi"})
    assert (result["lines"], result["subtitle"]) == (1, "dashed: predicted, for weights in mid-range")
    assert before({"mechanism": "none"})["subtitle"] == "no noise is added"


def after(draft_of: dict[str, Any]) -> dict[str, Any]:
    """The panel when all rounds are done."""
    draft = Draft(parse({}), (Variant("v", draft_of),))
    shown = [Series(0, "v", (run(0, "v", 0, draft_of),))]
    panel: dict[str, Any] = trio(draft, shown, None, Pictured([]), "nothing", "completed")["noise"]
    return panel


def test_where_uploads_are_shortened_to_a_length_it_is_those_that_are_stated():
    """PrivUnit's noise is least for those: at ε 700 a third of that for weights in mid-range."""
    result = before({"mechanism": "privunit"})
    assert result["subtitle"] == "dashed: predicted, for uploads of full length"


def test_noise_of_earlier_rounds_is_noise_when_the_last_round_has_none():
    """Seven uploads of 650 weights at ε 0.5, by which all clients reach their own limit of 700."""
    stops = {"clients": {"epsilon": 0.5, "run_limit": 700}, "mechanism": "duchi", "rounds": 9, "attack": None}
    assert after(stops)["subtitle"] == "line: measured; circles: computed"
    none = {"mechanism": "none", "rounds": 1, "attack": None}
    assert after(none)["subtitle"] == "no noise was added"


def test_of_a_vote_what_is_measured_is_after_it_and_nothing_is_computed_or_predicted():
    votes = {"aggregator": "sign_majority", "mechanism": "ldpsign", "rounds": 2, "attack": None}
    result = before(votes)
    assert (result["lines"], result["subtitle"]) == (0, f"no noise is predicted, as {CLOSE}")
    assert after(votes)["subtitle"] == "line: measured, after the vote"
    both = [
        Series(i, "v", (run(i, "v", 0, votes | more),)) for i, more in enumerate(({}, {"aggregator": "mean"}))
    ]
    words = "line: measured, of votes after the vote; circles: computed"
    assert noise_words(both) == words
    assert json.dumps(noise_figure(both, 2, {}), default=typed, allow_nan=False)
