"""What hands meet on every page: a cell that is clicked, Back, a button that has nothing to do, a tooltip."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from pages.parts.ui.ladders import BUDGETS
from pages.parts.ui.text import number
from tests.browser.conftest import Visitor, at_rest
from tests.browser.server import Server


@pytest.fixture(scope="module")
def page(profile: BrowserContext, server: Server) -> Page:
    return Visitor(profile, server).open("/clients")


def test_budget_dot_sets_a_group_then_one_client(page: Page):
    ladder = BUDGETS.over([0.5, 8.0])
    more = number(ladder[ladder.index(0.5) + 1])
    page.get_by_label("Budget ε of 18 clients").press("ArrowRight")
    expect(page.get_by_text(f"20 clients: 18 ask for ε {more}, 2 for ε 8")).to_be_visible()
    page.get_by_role("button", name="18 clients").click()
    page.get_by_label("Budget ε of client 3", exact=True).press("End")
    expect(page.get_by_text(f"17 ask for ε {more}, 2 for ε 8, 1 for ε 20")).to_be_visible()
    expect(page.get_by_label("Budget ε of client 3", exact=True)).to_be_focused()
    for left in ("18 ask for", "18 ask for ε 0.5,"):
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_text(left)).to_be_visible()


def test_second_click_in_a_cell_places_the_caret(page: Page):
    at_rest(page)
    first, second = (page.get_by_label(f"Client {n}, Budget ε") for n in (1, 2))
    first.click()
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    second.click()
    page.keyboard.type("4")
    expect(second).to_have_value("4")
    second.click()
    page.keyboard.type("2")
    assert second.input_value() in ("42", "24"), "what was typed a moment ago is not selected"
    page.keyboard.press("Tab")
    expect(page.get_by_text("1 for ε 3")).to_be_visible()


def test_draft_in_the_address_adds_no_history_entry(page: Page):
    """Two presses of Back were needed to leave Noise."""
    lengths = page.evaluate(
        """async () => {
          await import("/assets/web/no_back_step.js");
          const at = (url) => { history.pushState({}, "", url); return history.length; };
          const found = [at("/noise"), at("/noise?draft=0123456789ab"), at("/noise?job=0123456789ab")];
          return [...found, at("/clients?draft=0123456789ab"), location.search];
        }"""
    )
    first, named, job, other, search = lengths
    assert named == first, "the same page, with the name of its draft"
    assert (job, other) == (first + 1, first + 2), "other pages are other pages"
    assert search == "?draft=0123456789ab"


def test_narrow_menu_closes_after_a_choice(page: Page):
    """On what calls itself a phone Streamlit sees to that."""
    before = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_test_id("stSidebarNavLink").get_by_text("More", exact=True).click()
    expect(page.get_by_text("What else is here?")).to_be_in_viewport()
    expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "true")
    expect(page.get_by_test_id("stExpandSidebarButton")).to_be_visible()
    assert before is not None
    page.set_viewport_size(before)
