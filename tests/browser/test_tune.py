"""Tune in a browser: build a sweep, watch it fill, open a cell; ask for an accuracy; use the formulas."""

import re

from playwright.sync_api import expect

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import queue
from ldp_core.runs.record import drafts
from ldp_core.runs.record.events import events_of
from tests.browser.conftest import TRAINING, Visitor, at_rest, enter, press
from tests.gate import holding

CELLS = ".es-heat-cell"
TRAINED = f'{CELLS}[data-mark="trained"]'


def test_a_sweep_is_built_fills_and_a_cell_is_opened_on_train(visitor: Visitor):
    page = visitor.open("/tune", CELLS)
    expect(page.locator(CELLS)).to_have_count(25)
    budgets = page.get_by_role("textbox", name="Budget ε per weight, the same for all")
    enter(budgets, "4, Infinity, -1, 0")
    text = page.get_by_text("Must be a number between 0.000001 and 700; got -1 and 0.")
    expect(text).to_be_visible()
    gap = text.bounding_box()["y"] - budgets.bounding_box()["y"]  # type: ignore[index]
    assert 0 < gap < 200, "at its field"
    expect(page.get_by_role("button", name="Sweep", exact=True)).to_be_disabled()
    enter(budgets, "0.5, 1, 2, 4, 8")
    expect(page.locator(CELLS)).to_have_count(25)
    expect(page.get_by_role("button", name="Sweep", exact=True)).to_be_enabled()
    at_rest(page)  # a button that is drawn anew while it is down is not pressed
    budgets.fill("0.5, 1, 2, 4, 9")  # and no Enter: what stands there at the click is what counts
    with holding(visitor.server.runs_dir, 7):
        press(page, "Sweep")
        # cells appear one after another; how many before the hold takes depends on how batches fall
        some = "(cells) => (n => n > 0 && n < 25)(document.querySelectorAll(cells).length)"
        page.wait_for_function(some, arg=TRAINED, timeout=TRAINING)
    expect(page.locator(TRAINED)).to_have_count(25, timeout=TRAINING)
    expect(page.get_by_role("button", name="Sweep again")).to_be_visible(timeout=TRAINING)
    assert queue.find()[0].request["sweep"]["grid"]["clients.epsilon"] == [0.5, 1, 2, 4, 9]
    at_rest(page)

    page.get_by_role("button", name=re.compile("^1, 9: accuracy")).click()
    expect(page.get_by_text("Accuracy by seed")).to_be_visible()
    page.get_by_role("button", name="Open it on Train").click()
    expect(page.get_by_role("heading", name="Does it still learn, and what leaks?")).to_be_visible()
    page.wait_for_url("**/train?draft=*")
    page.get_by_role("button", name="Train", exact=True).wait_for()


def test_the_least_epsilon_is_found_on_the_page(visitor: Visitor):
    base = parse({"rounds": 3, "clients": {"count": 5, "epsilon": [1, 1, 1, 8, 8]}})
    page = visitor.open(f"/tune?draft={drafts.new(Draft(base, (Variant('run'),)))}", CELLS)
    page.get_by_role("radio", name="Find the least ε").click()
    accuracy = page.get_by_role("spinbutton", name="At least this accuracy, %")
    enter(accuracy, "100")
    expect(page.get_by_text("both excluded; got 100")).to_be_visible()
    accuracy.fill("50")
    ranges = page.get_by_role("textbox", name="Safe ranges ±τ to choose among")
    ranges.fill("0.5")
    press(page, "Find it")
    page.get_by_role("button", name="Open it on Train").wait_for(timeout=TRAINING)
    job = next(one for one in queue.find() if one.kind == "tune")
    answer = next(e.body for e in events_of(job) if e.body["event"] == "answer")
    expect(page.get_by_role("heading", name=f"ε {answer['epsilon']:g} per weight with ±0.5")).to_be_visible()
    assert answer["sure"] is not None and answer["mean"] > 0.5


def test_tune_inputs_persist_without_a_launch(visitor: Visitor):
    """Over the page's own modes, over other pages, and over a reload."""
    page = visitor.open("/tune", CELLS)
    axis, seeds = page.get_by_role("combobox", name="Across"), page.get_by_role("spinbutton", name="Seeds")
    accuracy = page.get_by_role("spinbutton", name="At least this accuracy, %")
    ranges = page.get_by_role("textbox", name="Safe ranges ±τ to choose among")
    most = page.get_by_role("spinbutton", name="Largest budget ε")
    axis.click()
    page.get_by_role("option", name="mechanism", exact=True).click()
    page.get_by_role("button", name="Duchi", exact=True).wait_for()
    seeds.fill("7")
    page.get_by_role("radio", name="Best mechanism").click()
    most.fill("9")
    most.press("Tab")
    page.get_by_role("radio", name="Find the least ε").click()
    accuracy.fill("80")
    ranges.fill("0.3, what")  # what is wrong stays, too
    ranges.press("Enter")
    expect(page.get_by_text("got “what”")).to_be_visible()
    ranges.press("Tab")
    at_rest(page)

    def all_there() -> None:
        expect(accuracy).to_have_value("80")
        expect(ranges).to_have_value("0.3, what")
        page.get_by_role("radio", name="Best mechanism").click()
        expect(most).to_have_value("9")
        page.get_by_role("radio", name="Sweep over two things").click()
        expect(seeds).to_have_value("7")
        expect(page.get_by_role("button", name="Duchi", exact=True)).to_be_visible()
        page.get_by_role("radio", name="Find the least ε").click()
        expect(accuracy).to_have_value("80")
        at_rest(page)

    all_there()
    page.get_by_role("link", name="Noise", exact=True).first.click()
    page.wait_for_url("**/noise?draft=*")
    page.get_by_role("link", name="Tune", exact=True).first.click()
    all_there()
    page.reload()
    all_there()
