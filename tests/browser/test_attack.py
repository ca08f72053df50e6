"""The attacker's desk in a browser: press once, and see the ladder fill."""

from playwright.sync_api import expect

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import queue
from ldp_core.runs.record import drafts
from tests.browser.conftest import TRAINING, Visitor, at_rest, press, wait_until
from tests.gate import holding

SHOTS = ".es-cells-all .es-shot"
THERE = f"{SHOTS}:not(.es-missing)"


def test_the_ladder_fills_while_one_looks_and_is_kept(visitor: Visitor):
    page = visitor.open("/attack")
    page.get_by_text("Attacker and images").click()
    images = page.get_by_role("spinbutton", name="Images attacked")
    images.fill("12")  # and no Enter: what stands there at the click is what counts
    before = len(queue.find())
    with holding(visitor.server.runs_dir, 8):  # the start, the images themselves, two controls and cells
        press(page, "Attack")
        wait_until(page, lambda: len(queue.find()) > before)  # until then a stored ladder stands there
        expect(page.locator(THERE), "cells appear one after another").to_have_count(5, timeout=TRAINING)
    assert queue.find()[0].request["ladder"]["images"] == 12
    expect(page.get_by_role("button", name="Attack again")).to_be_visible(timeout=TRAINING)
    expect(page.locator(THERE)).to_have_count(24)
    expect(page.locator(f'{SHOTS}[data-mark="recovered"]').first).to_be_visible()
    expect(page.get_by_text("image back from ε").first).to_be_visible()
    at_rest(page)

    # the budget under the hand: what is large is what the attack gave at that rung, and nothing in between
    large = page.locator(".es-closer-shots canvas").nth(1)
    budget = page.get_by_role("slider", name="Budget: ")
    rung = budget.evaluate("slider => Number(slider.value)")
    for key, there in (("ArrowRight", rung + 1), ("Home", 0), ("End", 11)):
        budget.press(key)
        expect(large).to_have_attribute(
            "aria-label", page.locator(f"{SHOTS} canvas").nth(there).get_attribute("aria-label") or ""
        )
    page.locator(SHOTS).nth(5).click()
    expect(page.get_by_text("Budget: ε 4")).to_be_visible()

    page.reload()
    expect(page.locator(THERE)).to_have_count(24)


def test_reconstruction_frames_can_be_replayed(visitor: Visitor):
    """Gradients are matched on a smooth network."""
    base = parse({"model": "lenet", "rounds": 1, "local": {"learning_rate": 0.1}})
    identity = drafts.new(Draft(base, (Variant("alone"),), 1))
    matched = {"mechanisms": ["piecewise"], "epsilons": [1, 20], "images": 2, "attacker": {"name": "idlg"}}
    drafts.keep_ladder(identity, matched)
    page = visitor.open(f"/attack?draft={identity}")
    page.get_by_text("Attacker and images").click()
    page.get_by_role("spinbutton", name="Steps of the search, at most").fill("60")
    press(page, "Attack")
    control = page.locator(".es-known .es-shot").nth(3)
    control.get_by_text("without noise").wait_for(timeout=TRAINING)
    expect(page.get_by_role("button", name="Attack again")).to_be_visible(timeout=TRAINING)
    assert queue.find()[0].request["ladder"]["attacker"]["iterations"] == 60
    slider = page.get_by_role("slider", name="Forming")
    expect(slider).to_be_visible()
    end = control.inner_text()
    slider.fill("0")
    expect(page.get_by_text("Forming: step 4")).to_be_visible()
    expect(page.locator(SHOTS).first).to_contain_text("step 4")
    assert control.inner_text() != end
    slider.fill(slider.get_attribute("max") or "")
    expect(page.get_by_text("Forming: the end")).to_be_visible()
    assert control.inner_text() == end
