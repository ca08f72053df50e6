"""Train's settings, where one choice waits for another."""

from __future__ import annotations

from playwright.sync_api import expect

from ldp_core.presets import get
from ldp_core.runs import drafts
from tests.browser.conftest import Visitor, choose


def stored(identity: str) -> tuple[str, str]:
    draft = drafts.load(identity)
    assert draft is not None
    return draft.base.dataset, draft.base.model.name


def test_a_choice_that_did_not_fit_is_made_as_soon_as_it_does(visitor: Visitor, monkeypatch):
    """Digits are too small for the papers' network; with LeNet, both are what stands on the page."""
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(visitor.server.runs_dir))
    identity = drafts.new(get("two_volunteers").draft.with_base({"dataset": "mnist", "model.name": "cnn"}))
    page = visitor.open(f"/train?draft={identity}", ".es-panels .js-plotly-plot")
    page.get_by_text("Data, model and training").click()
    choose(page.get_by_role("combobox", name="Data"), "Digits", exact=False)
    complaint = page.get_by_text("at least 16 × 16 pixels").first
    expect(complaint).to_be_visible()
    assert stored(identity) == ("mnist", "cnn")
    choose(page.get_by_role("combobox", name="Model"), "LeNet", exact=False)
    expect(complaint).to_be_hidden()
    assert stored(identity) == ("digits", "lenet")
    expect(page.get_by_role("button", name="Train", exact=True)).to_be_enabled()
