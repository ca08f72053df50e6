"""A published system opens on every page that edits an experiment, and trains."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from ldp_core import presets
from ldp_core.runs.record import drafts
from tests.browser.conftest import TRAINING, Visitor, at_rest
from tests.extent import in_gate

READY = {
    "Clients": ".es-table",
    "Noise": ".es-chart.js-plotly-plot",
    "Attack": "text=What is attacked",
    "Train": ".es-panels .js-plotly-plot",
}


@pytest.mark.parametrize("name", in_gate(["personalized_ldp_fl"], ["pldp_fl", "personalized_ldp_fl"]))
def test_its_preset_opens_on_every_page_and_trains(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch, name: str
):
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(visitor.server.runs_dir))
    identity = drafts.new(presets.get(name).draft.with_base({"rounds": 2}))
    page = visitor.open(f"/clients?draft={identity}", READY["Clients"])
    for link, ready in READY.items():
        page.get_by_role("link", name=link, exact=True).click()
        page.locator(ready).first.wait_for()
        at_rest(page)
        assert page.get_by_test_id("stException").count() == 0, link
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_text("Finished:")).to_be_visible(timeout=TRAINING)
    assert page.get_by_test_id("stException").count() == 0
