"""Train's settings, where one choice waits for another."""

import re

import pytest
from playwright.sync_api import Locator, expect

from ldp_core.presets import get
from ldp_core.runs.record import drafts
from tests.browser.conftest import Another, Visitor, at_rest, choose, enter, stored, wait_until


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


@pytest.fixture(params=["en-US", "de-DE"])
def somewhere(request: pytest.FixtureRequest, another: Another) -> Visitor:
    return another(locale=request.param)


def typed(field: Locator, text: str, leave: str) -> None:
    field.click()
    field.press("ControlOrMeta+a")
    field.press_sequentially(text)
    field.press(leave)


def test_a_decimal_comma_is_one_in_every_field(somewhere: Visitor, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(somewhere.server.runs_dir))
    identity = drafts.new(get("everybody_equal").draft.with_base({"clients.epsilon": 2.0}))
    before = stored(identity)
    page = somewhere.open(f"/train?draft={identity}")
    page.get_by_text("Data, model and training").click()
    rate, rounds = page.get_by_label("Learning rate"), page.get_by_label("Rounds", exact=True)
    for text, value in (("0,05", "0.05"), ("1.234,5", "1234.5"), ("−0,5", "-0.5")):
        typed(rate, text, "Tab")
        expect(rate).to_have_value(value)
    expect(page.get_by_text("got -0.5").first).to_be_visible()  # Python has heard the number that was meant
    typed(rate, ",25", "Enter")
    expect(page.get_by_text("got -0.5")).to_have_count(0)
    typed(rounds, "1 2", "Tab")
    expect(page.get_by_role("alert").filter(has_text="“1 2” is no number")).to_be_visible()
    for text, words in (
        ("1,000", "“1,000” has two readings, 1000 and 1.0000"),
        ("1.000", "“1.000” has two readings"),
        ("2,5", "“2,5” is no whole number"),
    ):
        typed(rounds, text, "Enter")
        expect(page.get_by_role("alert").filter(has_text=words)).to_be_visible()
        expect(rounds).to_have_value(text)
    assert stored(identity).base.rounds == before.base.rounds
    typed(rounds, "1e1", "Tab")
    expect(rounds).to_have_value("10")
    expect(page.get_by_role("alert").filter(has_text=re.compile("readings|whole"))).to_have_count(0)
    typed(rate, "1,000", "Tab")
    expect(page.get_by_role("alert").filter(has_text="has two readings, 1000 and 1.0000")).to_be_visible()
    typed(rate, "0,5", "ArrowUp")
    expect(rate).to_have_value("0.51")
    wait_until(page, lambda: stored(identity).base.local.learning_rate == 0.51)
    assert stored(identity).base.rounds == 10
