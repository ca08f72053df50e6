"""Train's settings, where one choice waits for another."""

import re

from playwright.sync_api import expect

from ldp_core.presets import get
from ldp_core.runs.record import drafts
from tests.browser.conftest import Visitor, at_rest, choose, enter, stored


def test_unfit_data_choice_is_taken_once_the_model_fits(visitor: Visitor):
    """Digits are too small for the papers' network; with LeNet, both are what stands on the page."""
    identity = drafts.new(get("two_volunteers").draft.with_base({"dataset": "mnist", "model.name": "cnn"}))
    page = visitor.open(f"/train?draft={identity}")
    page.get_by_text("Data, model and training").click()
    choose(page.get_by_role("combobox", name="Data"), "Digits", exact=False)
    complaint = page.get_by_text("at least 16 × 16 pixels").first
    expect(complaint).to_be_visible()
    assert [stored(identity).base.dataset, stored(identity).base.model.name] == ["mnist", "cnn"]
    choose(page.get_by_role("combobox", name="Model"), "LeNet", exact=False)
    expect(complaint).to_be_hidden()
    assert [stored(identity).base.dataset, stored(identity).base.model.name] == ["digits", "lenet"]
    expect(page.get_by_role("button", name="Train", exact=True)).to_be_enabled()


def test_settings_persist_over_other_pages(visitor: Visitor):
    page = visitor.open("/train")
    rounds = page.get_by_label("Rounds", exact=True)
    train = page.get_by_role("button", name="Train", exact=True)
    choose(page.get_by_role("combobox", name="Mechanism"), "Laplace")
    enter(rounds, "18")
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    at_rest(page)  # a tab that is drawn anew while the button is down is not chosen
    page.get_by_role("tab", name="What is promised").click()
    expect(page.get_by_text(re.compile("plain sum 5.850")).first).to_be_visible()  # 18 rounds × 650 × ε 0.5
    page.get_by_role("tab", name="Settings").click()
    enter(rounds, "99999")
    complaint = page.get_by_text("First mend this")
    expect(complaint).to_be_visible()
    expect(page.get_by_text("Must be a whole number between 1 and 10 000; got 99999").last).to_be_visible()
    expect(rounds).to_have_value("99999")
    expect(train).to_be_disabled()
    enter(rounds, "18")
    expect(complaint).to_be_hidden()
    expect(train).to_be_enabled()
    enter(rounds, "0")
    expect(complaint).to_be_visible()
    for name in ("Noise", "Clients", "Train"):
        visitor.go(name)
        expect(complaint).to_be_hidden()
        if name != "Clients":  # with equal keys a browser would show one choice for two pages
            expect(page.get_by_role("combobox", name="Mechanism").first).to_have_value("Laplace")
    expect(rounds).to_have_value("18")
    expect(train).to_be_enabled()
