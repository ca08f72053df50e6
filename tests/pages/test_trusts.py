"""Pages hold for experiments of every trust."""

import pytest

from ldp_core import presets
from ldp_core.runs.record import drafts
from tests.pages.conftest import Opened

KINDS = ("shuffled", "secure_sum", "central")


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
