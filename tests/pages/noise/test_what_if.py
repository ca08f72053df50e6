"""What the sliders move is what the theory says of those budgets and that weight."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ldp_core import mechanisms, presets
from ldp_core.experiment import Draft, Variant, changed, plan
from ldp_core.runs import drafts
from ldp_core.runs.record import pilots
from ldp_core.runs.view.styles import styles
from ldp_core.theory import server_noise
from pages.parts.noise.ahead import ahead, laws
from pages.parts.noise.designs import Design
from pages.parts.noise.promise_table import Promised
from pages.parts.noise.verdicts import asking, taken, verdicts
from pages.parts.noise.what_if import WhatIf, standing
from pages.parts.ui.ladders import BUDGETS, FIRST_WEIGHT, HALVES, Span, Stand, stand, weights
from pages.parts.ui.text import number
from tests.extent import in_gate
from tests.pages.conftest import Opened, try_out

DRAFT = presets.get("two_volunteers").draft


def asked(
    epsilon: float | None, client: int = 0, tau: float | None = None, draft: Draft = DRAFT
) -> tuple[WhatIf, list[Design]]:
    found = zip(draft.variants, draft.experiments(), styles(draft), strict=True)
    shown = [Design(i, *each) for i, each in enumerate(found)]
    now = standing(shown, {"strictest": client}, {"weight": 0.2})
    for slider, value in (("epsilon", epsilon), ("tau", tau)):
        if value is not None:
            now = moved_to(now, slider, value)
    return now, shown


def moved_to(now: WhatIf, slider: str, value: float) -> WhatIf:
    """Where a slider stands at any value, also one that it does not offer."""
    steps = [value, *now.sliders[slider].steps]
    own = now.sliders[slider].own
    there = Stand(tuple(steps), None if own is None else own + 1, 0)
    return replace(now, sliders={**now.sliders, slider: there}).at(slider, 0)


def test_dragged_budget_moves_equal_clients_only():
    now, shown = asked(3.0)
    experiment, still = asking(shown[0].experiment, now)
    assert not still
    assert experiment.clients.budgets().tolist() == [3.0] * 18 + [8.0] * 2
    answer = verdicts(now, shown)
    moved = [changed(one.experiment, {"clients.epsilon": [3.0] * 18 + [8.0] * 2}) for one in shown]
    sigmas = [number(server_noise(plan(one)).heard ** 0.5) for one in moved]
    assert [row["figures"][0][1] for row in answer["rows"]] == sigmas
    assert answer["rest"] == ", if all 18 clients with ε 0.5 asked for ε 3 per weight"


def test_designs_of_other_clients_are_each_told_of(opened: Opened):
    sets: tuple[dict[str, Any], ...] = ({"clients.count": 2, "clients.epsilon": 1.0}, {})
    unlike = replace(DRAFT, variants=tuple(Variant(f"design {i}", one) for i, one in enumerate(sets)))
    now, shown = asked(3.0, 18, draft=unlike)
    assert all(words in verdicts(now, shown)["rest"] for words in ("clients with ε 1 ", "clients with ε 8 "))
    counts = [row["figures"][1][0] for row in verdicts(now, shown)["rows"]]
    assert counts == ["client 2 counts", "client 19 counts"]
    app = opened("noise", draft=drafts.new(unlike))
    said = [
        json.loads(node.proto.bytes) for node in app.main if getattr(node, "type", "") == "bidi_component"
    ]
    who = next(one["who"]["options"] for one in said if isinstance(one, dict) and "who" in one)
    assert [words for _, words in who] == [
        "client 1: strictest of design 1",
        "client 20: most permissive of design 1",
    ]


def test_dragged_values_are_taken_to_train():
    now, _ = asked(3.0, 0, 0.2)
    base = taken(DRAFT, now).base
    assert base.clients.budgets().tolist() == [3.0] * 18 + [8.0] * 2
    assert [end.tolist() for end in base.clients.bounds()] == [[-0.2] * 20, [0.2] * 20]
    assert taken(DRAFT, asked(None)[0]) == DRAFT, "where nothing was dragged"
    prepared = Draft(DRAFT.base, (Variant("one", {"clients.epsilon": 1.0}), *DRAFT.variants))
    assert taken(prepared, now) == prepared, "its runs have budgets of their own"


@pytest.mark.usefixtures("runs_dir")
def test_resting_verdicts_are_the_drafts():
    now, shown = asked(None)
    assert asking(shown[0].experiment, now) == (shown[0].experiment, "")
    waiting = verdicts(now, shown)["rows"]
    assert {row["why"] for row in waiting} == {pilots.TESTING.why}
    assert "unknown" not in {row["word"] for row in waiting}
    try_out([design.experiment for design in shown])
    rows = verdicts(now, shown)["rows"]
    assert [row["word"] for row in rows] == ["chance", "borderline", "learns"]
    for row in rows:
        (chance, learns), (low, high) = row["scale"]["limits"], row["scale"]["ends"]
        assert 0 < chance < learns < 1 and 0 <= low < high <= 1
        middle = (low + high) / 2
        assert row["word"] == ("learns" if middle > learns else "borderline" if middle > chance else "chance")


@pytest.mark.parametrize("own", [0.5, 0.0421, 64.0])
@pytest.mark.parametrize(("span", "exact"), [(BUDGETS, {0.5, 1.0, 8.0}), (HALVES, {0.05, 0.2, 1.0, 2.0})])
def test_a_slider_has_the_clients_own_value_and_round_ones(span: Span, exact: set[float], own: float):
    steps = stand(span, own, None).steps
    assert {own, *exact} <= set(steps)
    assert (np.diff(steps) > 0).all()
    assert len(steps) <= span.steps + len(span.exact) + 1
    assert stand(span, own, None).here is None
    assert stand(span, own, 12).here == steps[12]
    for odd in (-1, len(steps), "3", 2.0, None):
        assert stand(span, own, odd).here is None


def test_weight_is_kept_when_the_range_shrinks():
    assert weights(-1, 1)[FIRST_WEIGHT] == 0.2
    assert weights(-0.1, 0.1, 0.2)[-2:] == (0.1, 0.2)
    assert weights(-1, 1, 0.2) == weights(-1, 1)
    assert standing(asked(None)[1], {"strictest": 0}, {"weight": float("nan")}).weight == 0.2, "forged"


def test_dragged_range_keeps_its_centre():
    base = changed(DRAFT.base, {"clients.low": [-0.5] * 18 + [-1] * 2, "clients.high": [1.5] * 18 + [1] * 2})
    for epsilon, words in (
        (None, "with a safe range of [−0.5, 1.5] asked for [0.3, 0.7]"),
        (2.0, "with ε 0.5 asked for ε 2 per weight and a safe range of [0.3, 0.7]"),
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
    answer = verdicts(now, shown)
    budgets, ranges = (
        "all 18 clients with ε 0.5 asked for ε 2 per weight",
        "all 20 clients with a safe range of ±1 for ±0.2",
    )
    assert answer["rest"] == f", if {budgets}, and {ranges}"
    sets = {"clients.epsilon": [2.0] * 18 + [8.0] * 2, "clients.range": 0.2}
    for row, design in zip(answer["rows"], shown, strict=True):
        noise = server_noise(plan(changed(design.experiment, sets)))
        assert row["figures"][0][1] == number(noise.heard**0.5)
    (card,) = laws(now)
    variance = float(now.seen[0].mechanism.variance(0.2, 2.0, -0.2, 0.2))
    assert card.caption.startswith(f"variance {number(variance)}, σ {number(variance**0.5)}; ")
    assert "other end of ±0.2 (shaded)" in card.caption
    assert now.words == "a client with ε 2 per weight and a safe range of ±0.2"
    promised = Promised.to(0, "", shown[0].experiment, now.seen[0].use)
    assert promised.client == (2.0, -0.2, 0.2)


def test_ball_mechanisms_have_no_range_slider():
    ball = changed(DRAFT.base, {"mechanism.name": "privunit"})
    now, shown = asked(None, 0, 0.2, Draft(ball, DRAFT.variants[:1]))
    assert (now.seen[0].low, now.seen[0].high) == (-1, 1)
    assert asking(shown[0].experiment, now) == (shown[0].experiment, "")


def test_invalid_drag_keeps_the_drafts_verdict():
    far = changed(DRAFT.base, {"clients.low": 9.9e5, "clients.high": 1e6})
    now, shown = asked(None, 0, 0.02, Draft(far, DRAFT.variants))
    assert asking(shown[0].experiment, now)[0] == shown[0].experiment
    answer = verdicts(now, shown)
    assert answer["rest"] == ""
    assert "the verdict is that of the draft" in answer["note"]


def spread(node: Any, i: int) -> Any:
    """As assets/web/ahead.js reads it."""
    if "same" in node:
        return node["same"]
    if "within" in node:
        return node["each"][i].join(node["within"])
    if "each" in node:
        return node["each"][i]
    if "kinds" in node:
        kind, place = node["at"][i]
        return spread(node["kinds"][kind], place)
    if isinstance(node["of"], list):
        return [spread(one, i) for one in node["of"]]
    return {name: spread(one, i) for name, one in node["of"].items()}


def stands_at(now: WhatIf, slider: str) -> list[int]:
    """Some of its places, with what the client asks for."""
    at = now.sliders[slider]
    return [0, 7, at.at if at.own is None else at.own, len(at.steps) - 1]


@pytest.mark.parametrize("wants", ["epsilon", "tau", "weight"])
def test_precomputed_slider_equals_the_server(wants: str):
    now, shown = asked(2.0, 0, 0.2)
    now = replace(now, wants=wants)
    sent = ahead(now, shown)
    assert len(sent) < 80_000
    parsed = json.loads(sent)
    assert parsed["key"] == now.keys[wants]
    assert parsed["still"] == now.still(wants)
    for at in stands_at(now, wants):
        place = now.at(wants, at)
        step, there = spread(parsed["steps"], at), verdicts(place, shown, moving=True)
        quick = [asking(one.experiment, place, checked=True) for one in shown]
        assert quick == [asking(one.experiment, place) for one in shown]
        assert step["verdicts"] == {part: there[part] for part in ("rest", "rows", "promise", "note")}
        for card, one in zip(step["cards"], laws(place), strict=True):
            assert (card["title"], card["rest"], card["caption"]) == (one.title, one.rest, one.caption)
            assert card["figure"]["layout"].keys() == one.figure["layout"].keys()
    assert json.loads(ahead(replace(now, has=now.keys), shown)) == {"slider": wants}


NAMES = [*mechanisms.offered()]
THREES = [(NAMES + NAMES[:2])[i : i + 3] for i in range(0, len(NAMES), 3)]
"""Three designs share what is the same of each."""


@pytest.mark.parametrize("form", in_gate(["corrected"], ["corrected", "as_printed"]))
@pytest.mark.parametrize("names", THREES, ids=",".join)
def test_precomputed_laws_stay_below_a_size_limit(names: list[str], form: str):
    variants = tuple(Variant(name, {"mechanism.name": name, "form": form}) for name in names)
    now, shown = asked(None, draft=Draft(DRAFT.base, variants))
    sent = ahead(now, shown)
    assert len(sent) < 20_000 + 40_000 * len(names)


def test_a_budget_for_a_whole_upload_is_named_and_moved_as_one():
    weights = plan(DRAFT.base).uploaded
    base = changed(DRAFT.base, {"clients.epsilon": 1, "clients.epsilon_scope": "upload"})
    spends = Variant("spends it whole", {"mechanism.name": "gaussian"})
    draft = Draft(base, (Variant("divides it"), spends))
    now, shown = asked(13.0, draft=draft)
    assert 1.0 in now.sliders["epsilon"].steps and now.sliders["epsilon"].steps[-1] == 700
    answer = verdicts(now, shown)
    assert answer["rest"] == ", if all 20 clients with ε 1 asked for ε 13 per upload"
    assert now.words == "a client with ε 13 per upload"
    for row, design in zip(answer["rows"], shown, strict=True):
        noise = server_noise(plan(changed(design.experiment, {"clients.epsilon": 13.0})))
        assert row["figures"][0][1] == number(noise.heard**0.5)
    assert [view.epsilon for view in now.seen] == [13 / weights, 13]
    at = [card.label.rpartition(" at ")[2] for card in laws(now)]
    assert at == ["ε 0.02 per weight", "ε 13 per upload"]
    assert taken(draft, now).base.clients.budgets().tolist() == [13.0] * 20
