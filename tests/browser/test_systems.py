"""A published system opens on every page that edits an experiment, and trains."""

from __future__ import annotations

from functools import partial

import pytest
from playwright.sync_api import expect

from ldp_core import presets, systems
from ldp_core.experiment import Draft, parse_draft
from ldp_core.runs.record import drafts
from tests.browser.conftest import TRAINING, Visitor, at_rest, choose, wait_until
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


PARAMETERS = {
    "personalized_ldp_fl": ("Clients' data", "non_iid", "case"),
    "pprd_fl": ("What becomes of the others", "noised", "rest"),
    "pd_ldpfl": ("After the network", "none", "output"),
    "optimal_ldp_fl": ("Ranges of the layers", "fixed", "ranges"),
}
"""Of each system that has any: a field, what is chosen there, and the parameter's name."""


@pytest.mark.parametrize("name", in_gate(["personalized_ldp_fl"], systems.names()))
def test_a_chosen_system_is_trained_in_both_forms_and_the_server_sees_its_uploads(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch, name: str
):
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(visitor.server.runs_dir))
    identity = drafts.new(parse_draft({"base": {"dataset": "digits"}, "seeds": 1}))
    page = visitor.open(f"/train?draft={identity}", READY["Train"])
    page.get_by_role("button", name="System: none").click()
    choose(page.get_by_role("combobox", name="Published system"), systems.registry.labels()[name])
    at_rest(page)
    page.get_by_role("radio", name="both, side by side").click()
    at_rest(page)
    page.keyboard.press("Escape")
    rounds = page.get_by_label("Rounds", exact=True)
    rounds.fill("2")
    rounds.press("Enter")
    at_rest(page)
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_text("Finished:")).to_be_visible(timeout=TRAINING)
    panel = page.locator(".es-panels .es-rows")
    for form in ("as printed", "corrected"):
        expect(panel.locator(f"canvas[aria-label*='{form}']").first).to_be_visible()
    expect(panel.get_by_text("picked").first).to_be_visible()
    expect(page.get_by_role("button", name="Train again")).to_be_enabled()
    expect(page.get_by_text("First mend this")).to_have_count(0)


def test_each_system_is_chosen_by_name_changed_and_taken_back_to_its_paper(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(visitor.server.runs_dir))
    identity = drafts.new(parse_draft({"dataset": "digits"}))

    def stored() -> Draft:
        draft = drafts.load(identity)
        assert draft is not None
        return draft

    def holds(parameter: str, value: str) -> bool:
        return bool(stored().base.as_json()["system"][parameter] == value)

    page = visitor.open(f"/train?draft={identity}", READY["Train"])
    page.get_by_role("button", name="System: none").click()
    which = page.get_by_role("combobox", name="Published system")
    for name, label in systems.registry.labels().items():
        kind = systems.registry.kind(name)
        choose(which, label)
        expect(page.get_by_text(kind.summary)).to_be_visible()
        for words in kind.readings:
            expect(page.get_by_text(words)).to_have_count(1)
        expect(page.get_by_text("form corrected (paper: as printed)")).to_be_visible()
        if name in PARAMETERS:
            field, value, parameter = PARAMETERS[name]
            choose(page.get_by_role("combobox", name=field), value)
            wait_until(page, partial(holds, parameter, value))
        at_rest(page)
        page.get_by_role("button", name="Back to the paper's settings").click()
        expect(page.get_by_text("All as in the paper")).to_be_visible()
        assert stored().base.form == "as_printed"
        at_rest(page)
        page.get_by_role("radio", name="both, side by side").click()
        wait_until(page, lambda: [one.form for one in stored().experiments()] == ["as_printed", "corrected"])
        at_rest(page)
    choose(which, "None", exact=False)
    expect(page.get_by_role("button", name="System: none")).to_be_visible()
