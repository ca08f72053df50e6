"""Train's settings, where one choice waits for another."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Visitor, at_rest, choose, enter


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
