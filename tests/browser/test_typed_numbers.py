"""Numbers as people type them, in browsers of two languages: read as they are meant, or refused there."""

import re

import pytest
from playwright.sync_api import Locator, expect

from ldp_core.presets import get
from ldp_core.runs.record import drafts
from tests.browser.conftest import Another, Visitor, stored, wait_until


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
