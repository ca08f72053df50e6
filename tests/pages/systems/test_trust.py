"""Each trust at one promise for a person's whole run, and what is
picked out of a sum or a heap."""

from dataclasses import replace
from typing import Any

import pytest

from ldp_core import presets, trust
from ldp_core.accounting import entries
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import Draft, Variant, parse, plan
from ldp_core.runs.record import drafts
from ldp_core.theory import server_variance
from pages.parts.systems.trust import side_by_side, with_trust
from pages.parts.systems.unlike import changes, differing
from pages.parts.train.measured_bar import picked
from pages.parts.ui.text import plain
from tests.pages.conftest import Opened

DRAFT = presets.get("send_changes").draft


def test_trusts_are_compared_at_equal_promise():
    draft = side_by_side(DRAFT, 8.0)
    assert [one.label for one in draft.variants] == list(trust.registry.labels().values())
    promises = [entries(plan(one), [0])[0].run_worst for one in draft.experiments()]
    assert all(7.9 < promise.bound <= 8.0 + 1e-9 for promise in promises)
    local, _, summed, central = map(server_variance, draft.experiments())
    assert central < summed < local, "what one trusts less costs more noise"


def test_trust_button_names_none_of_several_that_are_compared(opened: Opened):
    draft = side_by_side(presets.get("two_volunteers").draft, 8.0)
    labels = [one.proto.popover.label for one in opened("train", draft=drafts.new(draft)).get("popover")]
    (label,) = [label for label in labels if label.startswith("Trust")]
    assert str(len(draft.variants)) in label and draft.base.trust.label not in label


@pytest.mark.parametrize("kinds", [("central",), ("shuffled", "secure_sum")])
def test_trust_panel_shows_what_is_seen_in_the_runs(kinds: tuple[str, ...], opened: Opened):
    base = side_by_side(presets.get("two_volunteers").draft, 8.0).base
    own = [Variant(kind, {"trust.kind": kind, "clients.epsilon_scope": "run"}) for kind in kinds]
    page = opened("train", draft=drafts.new(replace(DRAFT, base=base, variants=tuple(own))))
    said = " ".join(one.value for one in page.markdown)
    for kind in trust.names():
        assert (plain(trust.get(kind).sees, 300) in said) == (kind in kinds)


@pytest.mark.parametrize("kind", trust.names())
def test_every_scenario_takes_any_trust(kind: str):
    for name in presets.names():
        draft = presets.get(name).draft
        try:
            now = with_trust(draft, kind)
        except InvalidExperiment:
            assert draft.base.unit == "record", "of rows not every trust can be had"
            continue
        assert now.base.trust.name == kind
        assert kind != "local" or now == draft, "what fits already changes nothing else"
        promised = entries(plan(with_trust(DRAFT, kind).base), [0])[0].run_worst.bound
        assert kind not in ("secure_sum", "central") or 7.9 < promised <= 8.0 + 1e-9


def test_draft_without_fitting_trusts_is_refused():
    with pytest.raises(InvalidExperiment, match="no ε of the run can be kept"):
        side_by_side(Draft.alone(parse({"system": "pprd_fl", "form": "as_printed"})), 8.0)


@pytest.mark.parametrize(("right", "lucky"), [(16, True), (10, False)])
def test_tries_above_the_cap_are_called_lucky(right: int, lucky: bool):
    row = {"client": 2, "clean": False, "candidates": 10, "question": "what", "heap": 6}
    row |= {"right": right, "tries": 100, "cap": 0.12}
    end = {"from_heap": [row, row | {"clean": True, "right": 100}]}
    (words,) = picked(end, 1)
    assert ("lucky" in words) is lucky


TWO = presets.get("two_volunteers").draft


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, ""),
        ({"rounds": 60}, "rounds 15 → 60"),
        ({"local.optimizer": "adam"}, "optimiser SGD → Adam"),
        ({"target": "update"}, "what is sent the weights → what changed"),
        ({"clients.epsilon_scope": "upload"}, "one ε covers one weight → a whole upload"),
        ({"model": "mlp"}, "model Logistic regression → Network, one hidden layer"),
        ({"selection.kind": "fraction"}, "who takes part everybody → a random share"),
        ({"clients.epsilon": 3.0}, "budgets Two volunteers → ε 3 for all"),
        ({"attack.attacker": "posterior", "attack.rounds_observed": 3}, "the attack"),
        ({"seed": 3}, "first seed 0 → 3"),
    ],
)
def test_a_change_is_said_in_the_words_of_its_field(change: dict[str, Any], said: str):
    assert changes(TWO.as_json(), TWO.with_base(change).as_json()) == said


@pytest.mark.parametrize(
    ("first", "then", "said"),
    [
        ({"model": "mlp"}, {"model.hidden": 48}, "hidden units"),
        ({"model": {"name": "mlp", "hidden": 16}}, {"model.hidden": 48}, "hidden units 16 → 48"),
        ({"partition.kind": "dirichlet"}, {"partition.alpha": 0.1}, "concentration α 1 → 0.1"),
        ({"clients.range": 0.1}, {"clients.range": 1.0}, "safe ranges ±0.1 for all → ±1 for all"),
        ({"mechanism.name": "grr"}, {"mechanism.levels": 9}, "levels "),
    ],
)
def test_changed_parameter_is_named_by_its_part(first: Any, then: Any, said: str):
    before = TWO.with_base(first)
    result = changes(before.as_json(), before.with_base(then).as_json())
    assert result.startswith(said)
    assert " and " not in result
    assert len(differing(before.as_json(), before.with_base(then).as_json())) == 1


def test_both_ends_of_the_ranges_are_one_change():
    now = TWO.with_base({"clients.low": [-2.0] * 20, "clients.high": [2.0] * 20})
    assert changes(TWO.as_json(), now.as_json()) == "safe ranges"


def test_the_rest_is_counted():
    now = TWO.with_base({"rounds": 2, "seed": 3, "clients.epsilon": 1.0, "local.epochs": 9})
    assert changes(TWO.as_json(), now.as_json()).endswith(" and 1 more")


def test_other_variants_are_one_change():
    other = replace(TWO, variants=TWO.variants[:1])
    assert changes(TWO.as_json(), other.as_json()) == "what is compared"
