"""A published system opens on every page that edits an experiment, and trains."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from ldp_core import presets
from ldp_core.runs.record import drafts
from tests.browser.conftest import TRAINING, Visitor
from tests.extent import in_gate

READY = {
    "/clients": ".es-table",
    "/noise": ".es-chart.js-plotly-plot",
    "/train": ".es-panels .js-plotly-plot",
    "/attack": "[data-testid=stMainBlockContainer] h1",
}


@pytest.mark.parametrize("name", in_gate(["personalized_ldp_fl"], ["pldp_fl", "personalized_ldp_fl"]))
def test_its_preset_opens_on_every_page(visitor: Visitor, monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(visitor.server.runs_dir))
    for path, ready in READY.items():
        page = visitor.open(f"{path}?draft={drafts.new(presets.get(name).draft)}", ready)
        page.wait_for_timeout(800)
        assert page.get_by_test_id("stException").count() == 0, path


def test_it_trains_from_the_page(visitor: Visitor, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(visitor.server.runs_dir))
    draft = presets.get("personalized_ldp_fl").draft.with_base({"rounds": 2})
    page = visitor.open(f"/train?draft={drafts.new(draft)}", READY["/train"])
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_text("Finished:")).to_be_visible(timeout=TRAINING)
    assert page.get_by_test_id("stException").count() == 0
