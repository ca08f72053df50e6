"""Pages hold for experiments of every trust."""

import pytest

from ldp_core import presets
from ldp_core.experiment import parse_draft
from ldp_core.runs.record import drafts
from tests.pages.conftest import Opened

BASE = {"clients": {"epsilon": 2.0, "epsilon_scope": "run", "range": 0.1}, "target": "update"}
KINDS = ("shuffled", "secure_sum", "central")


@pytest.mark.parametrize("page", ["clients", "noise", "train", "attack"])
def test_pages_open_with_each_trust(page: str, opened: Opened):
    for kind in KINDS if page == "clients" else KINDS[1:2]:
        variants = [{"label": one, "set": {"trust.kind": one}} for one in (kind, "local")]
        opened(page, draft=drafts.new(parse_draft({"base": BASE, "variants": variants})))


@pytest.mark.parametrize("kind", KINDS[1:])
def test_chosen_trust_reports_fields_set_along(kind: str, opened: Opened):
    identity = drafts.new(presets.get("two_volunteers").draft)
    app = opened("train", draft=identity)
    next(one for one in app.selectbox if one.label == "Whom do you trust?").set_value(kind).run()
    assert not app.exception and not app.error
    assert not app.button(key="train").disabled
    said = "budgets Two volunteers → ε 8 for all and one ε covers one weight → a person's whole run"
    assert any(said in one.value for one in app.caption)
    drafts.undo(identity)
    app.run()
    assert not any(said in one.value for one in app.caption), "what was taken back"
