"""The noise panel of Train says what its lines are, and where there are none, why."""

import json
from typing import Any

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs.kinds.run import Training
from ldp_core.runs.view.run_curves import RunProgress
from pages.parts.charts.series import Series
from pages.parts.runs.job_state import amount
from pages.parts.runs.said import in_words
from pages.parts.watch.trio import Pictured, trio
from tests.pages.charts.test_base import run


def after(draft_of: dict[str, Any]) -> dict[str, Any]:
    """The panel when all rounds are done."""
    draft = Draft(parse({}), (Variant("v", draft_of),))
    shown = [Series(0, "v", (run(0, "v", 0, draft_of),))]
    panel: dict[str, Any] = trio(draft, shown, None, Pictured([]), "nothing", "completed")["noise"]
    return panel


UNSEEN: dict[str, Any] = {"attack": None}


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
