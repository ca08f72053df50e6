"""What the sliders move is what the theory says of those budgets and that weight."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_core import presets
from ldp_core.experiment import changed
from ldp_core.theory import outlook
from pages.parts.charts.styles import styles
from pages.parts.noise.answer import _asking, _verdicts, laws
from pages.parts.noise.designs import Design, views
from pages.parts.noise.what_if import WhatIf, _ladder

DRAFT = presets.get("two_volunteers").draft


def asked(epsilon: float | None, client: int = 0) -> tuple[WhatIf, list[Design]]:
    found = zip(DRAFT.variants, DRAFT.experiments(), styles(DRAFT), strict=True)
    shown = [Design(i, *each) for i, each in enumerate(found)]
    return WhatIf("strictest", client, epsilon, 0.2, tuple(views(shown, client, epsilon))), shown


def test_all_who_ask_alike_move_together_and_nobody_else_does():
    now, shown = asked(3.0)
    experiment, follows = _asking(shown[0].experiment, now)
    assert follows
    assert experiment.clients.budgets().tolist() == [3.0] * 18 + [8.0] * 2
    told = _verdicts(now, shown)
    words = [
        outlook(changed(one.experiment, {"clients.epsilon": [3.0] * 18 + [8.0] * 2})).word for one in shown
    ]
    assert [row["word"] for row in told["rows"]] == words
    assert told["rest"] == ", if all 18 clients with ε 0.5 asked for ε 3"


def test_at_rest_the_verdict_is_the_drafts():
    now, shown = asked(None)
    assert _asking(shown[0].experiment, now) == (shown[0].experiment, True)
    assert [row["word"] for row in _verdicts(now, shown)["rows"]] == ["chance", "borderline", "learns"]


def test_the_law_is_the_sliders():
    now, _ = asked(4.0)
    (card,) = laws(now)
    variance = float(now.seen[0].mechanism.variance(0.2, 4.0, -1, 1))
    assert card.rest.endswith("at ε 4")
    assert card.caption.startswith(f"variance {variance:.3g}")


def test_each_design_stands_on_a_line_from_learning_to_chance():
    now, shown = asked(None)
    rows = _verdicts(now, shown)["rows"]
    for row, design in zip(rows, shown, strict=True):
        (learns, chance), at = row["scale"]["limits"], row["scale"]["at"]
        assert 0 < learns < chance < 1
        assert row["word"] == ("learns" if at <= learns else "borderline" if at <= chance else "chance")
        assert row["why"] in outlook(design.experiment).why
        assert "learns up to" not in row["why"], "the line shows it"
    unheard = changed(
        DRAFT.experiments()[0], {"aggregator.name": "sign_majority", "mechanism.name": "ldpsign"}
    )
    assert outlook(unheard).limits is None


@pytest.mark.parametrize("own", [0.5, 0.0421, 64.0])
def test_a_slider_has_the_clients_own_budget_and_round_ones(own: float):
    ladder = _ladder(own)
    assert {own, 0.5, 1.0, 8.0} <= set(ladder)
    assert (np.diff(ladder) > 0).all()


def test_where_a_run_uses_other_ranges_the_law_says_whose_it_draws():
    optimal = changed(DRAFT.experiments()[0], {"system.name": "optimal_ldp_fl"})
    for experiment, told in ((optimal, True), (DRAFT.experiments()[0], False)):
        shown = [Design(0, DRAFT.variants[0], experiment, styles(DRAFT)[0])]
        cards = list(laws(WhatIf("strictest", 0, None, 0.2, tuple(views(shown, 0, None)))))
        words = "this one is the client's own: in a run each range follows the server's model"
        assert [words in card.caption for card in cards] == [told]
