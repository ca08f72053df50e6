"""The noise panel of Train says what its lines are, and where there are none, why."""

from __future__ import annotations

import json
from typing import Any

from ldp_core.experiment import Draft, Variant, parse
from pages.parts.watch.trio import Pictured, trio

OPTIMAL: dict[str, Any] = {"system": "optimal_ldp_fl", "dataset": "digits", "model": "mlp"}
FOLLOWS = "no noise is predicted, as each range follows the server's model"


def before(*changes: dict[str, Any]) -> dict[str, Any]:
    """The panel before any run."""
    draft = Draft(parse({}), tuple(Variant(f"v{i}", one) for i, one in enumerate(changes)))
    panel: dict[str, Any] = trio(draft, [], None, Pictured([]), "nothing")["noise"]
    traces = json.loads(panel["figure"])["data"]
    lines = [one for one in traces if one["x"] != {"dtype": one["x"]["dtype"], "bdata": ""}]
    return panel | {"lines": len(lines)}


def test_where_no_noise_is_predicted_no_line_is_drawn_and_it_is_said_why():
    told = before(OPTIMAL)
    assert told["subtitle"] == FOLLOWS
    assert told["hint"].endswith(f" N{FOLLOWS[1:]}.")
    assert told["lines"] == 0
    some = before({"system": "optimal_ldp_fl", "dataset": "digits"}, {"mechanism": "duchi"})
    assert some["subtitle"] == "dashed: predicted, for weights in mid-range, where it can be"
    assert some["lines"] == 1


def test_what_is_predicted_is_drawn():
    told = before({"mechanism": "duchi"})
    assert (told["lines"], told["subtitle"]) == (1, "dashed: predicted, for weights in mid-range")
    assert before({"mechanism": "none"})["subtitle"] == "no noise is added"
