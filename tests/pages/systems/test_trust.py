"""Each trust at one promise for a person's whole run, and what is
picked out of a sum or a heap.
"""

from dataclasses import replace

import pytest

from ldp_core import presets, trust
from ldp_core.accounting import entries
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import Variant, plan
from ldp_core.runs.record import drafts
from ldp_core.theory import server_variance
from pages.parts.systems.trust import side_by_side, with_trust
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
        side_by_side(presets.get("pprd_fl").draft, 8.0)


@pytest.mark.parametrize(("right", "lucky"), [(16, True), (10, False)])
def test_tries_above_the_cap_are_called_lucky(right: int, lucky: bool):
    row = {"client": 2, "clean": False, "candidates": 10, "question": "what", "heap": 6}
    row |= {"right": right, "tries": 100, "cap": 0.12}
    end = {"from_heap": [row, row | {"clean": True, "right": 100}]}
    (words,) = picked(end, 1)
    assert ("lucky" in words) is lucky
