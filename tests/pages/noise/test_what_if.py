"""What the sliders move is what the theory says of those budgets and that weight."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ldp_core import presets
from ldp_core.experiment import Draft, Variant, changed
from ldp_core.theory import outlook
from pages.parts.charts.styles import styles
from pages.parts.noise.ahead import ahead, columns, moved_to
from pages.parts.noise.answer import laws
from pages.parts.noise.designs import Design, views
from pages.parts.noise.ladders import BUDGETS, FIRST_WEIGHT, HALVES, Span, budgets_of, ladder, stand, weights
from pages.parts.noise.promise_table import Promised
from pages.parts.noise.taking_along import taken
from pages.parts.noise.verdicts import asking, verdicts
from pages.parts.noise.what_if import WhatIf, ahead_keys
from pages.parts.ui.text import number

DRAFT = presets.get("two_volunteers").draft


def asked(
    epsilon: float | None, client: int = 0, tau: float | None = None, draft: Draft = DRAFT
) -> tuple[WhatIf, list[Design]]:
    found = zip(draft.variants, draft.experiments(), styles(draft), strict=True)
    shown = [Design(i, *each) for i, each in enumerate(found)]
    seen = tuple(views(shown, client, epsilon, tau))
    budget, low, high = seen[0].asked
    sliders = {
        "epsilon": stand(budgets_of(shown[0].experiment.shares), budget, None),
        "tau": stand(HALVES, (high - low) / 2, None),
    }
    keys = ahead_keys(seen, client, epsilon, tau)
    return WhatIf("strictest", client, epsilon, 0.2, seen, tau, sliders, keys), shown


def test_all_who_ask_alike_move_together_and_nobody_else_does():
    now, shown = asked(3.0)
    experiment, still = asking(shown[0].experiment, now)
    assert not still
    assert experiment.clients.budgets().tolist() == [3.0] * 18 + [8.0] * 2
    told = verdicts(now, shown)
    words = [
        outlook(changed(one.experiment, {"clients.epsilon": [3.0] * 18 + [8.0] * 2})).word for one in shown
    ]
    assert [row["word"] for row in told["rows"]] == words
    assert told["rest"] == ", if all 18 clients with ε 0.5 asked for ε 3"


def test_what_was_dragged_is_taken_to_train():
    now, _ = asked(3.0, 0, 0.2)
    base = taken(DRAFT, now).base
    assert base.clients.budgets().tolist() == [3.0] * 18 + [8.0] * 2
    assert [end.tolist() for end in base.clients.bounds()] == [[-0.2] * 20, [0.2] * 20]
    assert taken(DRAFT, asked(None)[0]) == DRAFT, "where nothing was dragged"
    prepared = Draft(DRAFT.base, (Variant("one", {"clients.epsilon": 1.0}), *DRAFT.variants))
    assert taken(prepared, now) == prepared, "its runs have budgets of their own"


def test_at_rest_the_verdict_is_the_drafts():
    now, shown = asked(None)
    assert asking(shown[0].experiment, now) == (shown[0].experiment, "")
    assert [row["word"] for row in verdicts(now, shown)["rows"]] == ["chance", "borderline", "learns"]


def test_the_law_is_the_sliders():
    now, _ = asked(4.0)
    (card,) = laws(now)
    variance = float(now.seen[0].mechanism.variance(0.2, 4.0, -1, 1))
    assert card.rest.endswith("at ε 4")
    assert card.caption.startswith(f"variance {variance:.3g}")


def test_each_design_stands_on_a_line_from_learning_to_chance():
    now, shown = asked(None)
    rows = verdicts(now, shown)["rows"]
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
@pytest.mark.parametrize(("span", "exact"), [(BUDGETS, {0.5, 1.0, 8.0}), (HALVES, {0.05, 0.2, 1.0, 2.0})])
def test_a_slider_has_the_clients_own_value_and_round_ones(span: Span, exact: set[float], own: float):
    steps = ladder(span, own)
    assert {own, *exact} <= set(steps)
    assert (np.diff(steps) > 0).all()
    assert len(steps) <= span.steps + len(span.exact) + 1
    assert stand(span, own, None).here is None
    assert stand(span, own, 12).here == steps[12]
    for odd in (-1, len(steps), "3", 2.0, None):
        assert stand(span, own, odd).here is None


def test_a_weight_stays_where_it_is_when_the_range_does_not():
    assert weights(-1, 1)[FIRST_WEIGHT] == 0.2
    assert weights(-0.1, 0.1, 0.2)[-2:] == (0.1, 0.2)
    assert weights(-1, 1, 0.2) == weights(-1, 1)


def test_all_who_ask_alike_ask_for_another_range_whose_centre_stays():
    base = changed(DRAFT.base, {"clients.low": [-0.5] * 18 + [-1] * 2, "clients.high": [1.5] * 18 + [1] * 2})
    for epsilon, words in (
        (None, "with a safe range of [−0.5, 1.5] asked for [0.3, 0.7]"),
        (2.0, "with ε 0.5 asked for ε 2 and a safe range of [0.3, 0.7]"),
    ):
        now, shown = asked(epsilon, 0, 0.2, Draft(base, DRAFT.variants))
        assert (now.seen[0].low, now.seen[0].high) == (0.3, 0.7)
        assert now.seen[0].asked == (0.5, -0.5, 1.5)
        experiment, still = asking(shown[0].experiment, now)
        assert not still
        assert experiment.clients.budgets().tolist() == [epsilon or 0.5] * 18 + [8.0] * 2
        low, high = experiment.clients.bounds()
        assert low.tolist() == [0.3] * 18 + [-1] * 2
        assert high.tolist() == [0.7] * 18 + [1] * 2
        assert verdicts(now, shown)["rest"] == f", if all 18 clients {words}"


def test_a_range_as_narrow_leaves_as_little_noise():
    now, shown = asked(2.0, 0, 0.2)
    told = verdicts(now, shown)
    budgets, ranges = (
        "all 18 clients with ε 0.5 asked for ε 2",
        "all 20 clients with a safe range of ±1 for ±0.2",
    )
    assert told["rest"] == f", if {budgets}, and {ranges}"
    sets = {"clients.epsilon": [2.0] * 18 + [8.0] * 2, "clients.range": 0.2}
    for row, design in zip(told["rows"], shown, strict=True):
        view = outlook(changed(design.experiment, sets))
        assert (row["word"], row["figures"][0][1]) == (view.word, number(view.sigma))
        assert row["word"] != "unknown", "everybody's range is as wide"
    (card,) = laws(now)
    variance = float(now.seen[0].mechanism.variance(0.2, 2.0, -0.2, 0.2))
    assert card.caption.startswith(f"variance {number(variance)}, σ {number(variance**0.5)}; ")
    assert "the safe range, ±0.2 (shaded)" in card.caption
    assert now.words == "a client with ε 2 and a safe range of ±0.2"
    promised = Promised.to(0, "", shown[0].experiment, now.seen[0].use)
    assert promised.client == (2.0, -0.2, 0.2)


def test_where_whole_uploads_are_shortened_there_is_no_range_to_move():
    ball = changed(DRAFT.base, {"mechanism.name": "privunit"})
    now, shown = asked(None, 0, 0.2, Draft(ball, DRAFT.variants[:1]))
    assert (now.seen[0].low, now.seen[0].high) == (-1, 1)
    assert asking(shown[0].experiment, now) == (shown[0].experiment, "")


def test_what_cannot_be_asked_for_leaves_the_drafts_verdict_and_says_so():
    far = changed(DRAFT.base, {"clients.low": 9.9e5, "clients.high": 1e6})
    now, shown = asked(None, 0, 0.02, Draft(far, DRAFT.variants))
    assert asking(shown[0].experiment, now)[0] == shown[0].experiment
    told = verdicts(now, shown)
    assert told["rest"] == ""
    assert "the verdict is that of the draft" in told["note"]


def spread(node: Any, i: int) -> Any:
    """As assets/web/ahead.js reads it."""
    if "same" in node or "each" in node:
        return node["same"] if "same" in node else node["each"][i]
    if isinstance(node["of"], list):
        return [spread(one, i) for one in node["of"]]
    return {name: spread(one, i) for name, one in node["of"].items()}


@pytest.mark.parametrize("wants", ["epsilon", "tau"])
def test_what_is_computed_ahead_is_what_the_server_says_at_each_place(wants: str):
    now, shown = asked(2.0, 0, 0.2)
    now = replace(now, wants=wants)
    sent = ahead(now, shown)
    assert len(sent) < 60_000
    told, stands = json.loads(sent), now.sliders[wants]
    assert told["key"] == now.keys[wants]
    for at in (0, 7, stands.own, len(stands.steps) - 1):
        assert at is not None
        place = moved_to(now, wants, stands.asked(at))
        there = verdicts(place, shown)
        quick = [asking(one.experiment, place, checked=True) for one in shown]
        assert quick == [asking(one.experiment, place) for one in shown]
        assert spread(told["steps"], at) == {part: there[part] for part in ("rest", "rows", "note")}
    assert json.loads(ahead(replace(now, has=now.keys), shown)) == {"slider": wants}


@pytest.mark.parametrize("tau", [None, 0.2])
def test_of_very_many_clients_the_same_is_said_ahead_wherever_one_drags(tau: float | None):
    draft = presets.get("sixty_thousand").draft
    now, shown = asked(None, 0, tau, draft)
    told, stands = json.loads(ahead(now, shown)), now.sliders["epsilon"]
    for at in (0, stands.own, len(stands.steps) - 1):
        assert at is not None
        there = verdicts(moved_to(now, "epsilon", stands.asked(at)), shown)
        assert spread(told["steps"], at) == {part: there[part] for part in ("rest", "rows", "note")}


def test_what_is_computed_ahead_along_one_slider_depends_on_the_other():
    keys = [asked(*where)[0].keys for where in ((None, 0, None), (2.0, 0, None), (None, 0, 0.2))]
    assert keys[0]["epsilon"] == keys[1]["epsilon"] != keys[2]["epsilon"]
    assert keys[0]["tau"] == keys[2]["tau"] != keys[1]["tau"]
    assert asked(None, 19)[0].keys["tau"] != keys[0]["tau"]


def test_columns_of_what_is_not_alike():
    for values in (
        [1, 2],
        [{"a": 1}, {"b": 1}],
        [[1], [1, 2]],
        [None, {"a": 1}],
        [{"a": [1, 2]}, {"a": [1, 3]}],
    ):
        assert [spread(columns(values), i) for i in range(2)] == values


def test_where_a_run_uses_other_ranges_the_law_says_whose_it_draws():
    optimal = changed(DRAFT.experiments()[0], {"system.name": "optimal_ldp_fl"})
    for experiment, told in ((optimal, True), (DRAFT.experiments()[0], False)):
        shown = [Design(0, DRAFT.variants[0], experiment, styles(DRAFT)[0])]
        cards = list(laws(WhatIf("strictest", 0, None, 0.2, tuple(views(shown, 0, None)))))
        words = "this one is the client's own: in a run each range follows the server's model"
        assert [words in card.caption for card in cards] == [told]


def test_a_budget_for_a_whole_upload_is_named_and_moved_as_one():
    weights = DRAFT.base.uploaded
    base = changed(DRAFT.base, {"clients.epsilon": 1, "clients.epsilon_scope": "upload"})
    spends = Variant("spends it whole", {"mechanism.name": "gaussian"})
    draft = Draft(base, (Variant("divides it"), spends))
    now, shown = asked(13.0, draft=draft)
    assert 1.0 in now.sliders["epsilon"].steps and now.sliders["epsilon"].steps[-1] == 700
    told = verdicts(now, shown)
    assert told["rest"] == ", if all 20 clients with ε 1 asked for ε 13 for a whole upload"
    assert now.words == "a client with ε 13 for a whole upload"
    for row, design in zip(told["rows"], shown, strict=True):
        view = outlook(changed(design.experiment, {"clients.epsilon": 13.0}))
        assert row["figures"][0][1] == number(view.sigma)
    assert [view.epsilon for view in now.seen] == [13 / weights, 13]
    assert [card.rest.rpartition(", at ")[2] for card in laws(now)] == ["ε 0.02 per weight", "ε 13"]
    card = next(laws(now))
    assert card.law and (card.law["epsilon"], card.law["shares"], card.law["per"]) == (
        1 / weights,
        weights,
        " per weight",
    )
    assert taken(draft, now).base.clients.budgets().tolist() == [13.0] * 20
