"""A published system opens on every page that edits an experiment, and trains."""

from functools import partial

import pytest
from playwright.sync_api import expect

from ldp_core import systems
from ldp_core.experiment import parse_draft
from ldp_core.runs.record import drafts
from tests.browser.conftest import Visitor, at_rest, choose, enter, stored, train, wait_until
from tests.extent import in_gate

PARAMETERS = {
    "personalized_ldp_fl": ("Clients' data", "non_iid", "case"),
    "pprd_fl": ("What becomes of the others", "noised", "rest"),
    "pd_ldpfl": ("After the network", "none", "output"),
    "optimal_ldp_fl": ("Ranges of the layers", "fixed", "ranges"),
}
"""Of each system that has any: a field, what is chosen there, and the parameter's name."""


@pytest.mark.parametrize("name", in_gate(["personalized_ldp_fl"], systems.names()))
def test_chosen_system_trains_in_both_forms(visitor: Visitor, name: str):
    identity = drafts.new(parse_draft({"base": {"dataset": "digits"}, "seeds": 1}))
    page = visitor.open(f"/train?draft={identity}")
    page.get_by_role("button", name="System: none").click()
    choose(page.get_by_role("combobox", name="Published system"), systems.registry.labels()[name])
    at_rest(page)
    page.get_by_role("radio", name="both, side by side").click()
    at_rest(page)
    page.keyboard.press("Escape")
    enter(page.get_by_label("Rounds", exact=True), 2)
    at_rest(page)
    train(page)
    panel = page.locator(".es-panels .es-rows")
    for form in ("as printed", "corrected"):
        expect(panel.locator(f"canvas[aria-label*='{form}']").first).to_be_visible()
    expect(panel.get_by_text("picked").first).to_be_visible()
    expect(page.get_by_role("button", name="Train again")).to_be_enabled()
    expect(page.get_by_text("First mend this")).to_have_count(0)
    for link in ("Clients", "Noise", "Attack", "Train"):
        visitor.go(link)
        at_rest(page)
        assert page.get_by_test_id("stException").count() == 0, link


def test_systems_are_chosen_changed_and_reset(visitor: Visitor):
    identity = drafts.new(parse_draft({"dataset": "digits"}))

    def holds(parameter: str, value: str) -> bool:
        return bool(stored(identity).base.as_json()["system"][parameter] == value)

    def forms() -> list[str]:
        return [one.form for one in stored(identity).experiments()]

    page = visitor.open(f"/train?draft={identity}")
    page.get_by_role("button", name="System: none").click()
    which = page.get_by_role("combobox", name="Published system")
    for name, label in systems.registry.labels().items():
        kind = systems.registry.kind(name)
        choose(which, label)
        expect(page.get_by_text(kind.summary)).to_be_visible()
        for words in kind.readings:
            expect(page.get_by_text(words)).to_have_count(1)
        if name in PARAMETERS:
            field, value, parameter = PARAMETERS[name]
            choose(page.get_by_role("combobox", name=field), value)
            wait_until(page, partial(holds, parameter, value))
        at_rest(page)
        page.get_by_role("button", name="Back to the paper's settings").click()
        expect(page.get_by_text("All as in the paper")).to_be_visible()
        assert forms() == ["as_printed"]
        at_rest(page)
        page.get_by_role("radio", name="both, side by side").click()
        wait_until(page, lambda: forms() == ["as_printed", "corrected"])
        at_rest(page)
    choose(which, "None", exact=False)
    expect(page.get_by_role("button", name="System: none")).to_be_visible()
