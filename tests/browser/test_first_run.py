"""The first run, as a newcomer lives it: from the start page to a trained model, and back again."""

import re

from playwright.sync_api import Page, expect

from ldp_core.presets import get
from ldp_core.runs import queue
from ldp_core.runs.record import drafts
from tests.browser.conftest import READY, TRAINING, Another, Visitor, at_rest, enter, press
from tests.gate import holding

WATCH_FRAMES = """() => {
  window.frames_ = {all: 0, empty: 0};
  const look = () => {
    window.frames_.all += 1;
    const plots = [...document.querySelectorAll(".es-panels .es-plot")];
    const drawn = plots.filter((p) => p.querySelectorAll(".scatterlayer .trace path.js-line").length > 0);
    const images = document.querySelectorAll(".es-panels canvas").length;
    if (plots.length !== 2 || drawn.length !== 2 || images === 0) window.frames_.empty += 1;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
KEPT = """() => {
  const panels = document.querySelector(".es-panels");
  window.kept = {panels, top: panels.offsetTop};
}"""
STAYS = """() => {
  const panels = document.querySelector(".es-panels");
  return kept.panels === panels && kept.top === panels.offsetTop;
}"""
SHIFTS = """() => {
  window.shifted = 0;
  const add = (one) => (window.shifted += one.hadRecentInput ? 0 : one.value);
  new PerformanceObserver((found) => found.getEntries().forEach(add)).observe({type: "layout-shift"});
}"""
KEEP = """async (drafts) => {
  const { keep } = await import("/assets/web/drafts.js");
  localStorage.removeItem("epsilon-studio-drafts");
  drafts.forEach(keep);
  return JSON.parse(localStorage.getItem("epsilon-studio-drafts")).map((draft) => draft.id);
}"""
POINTS = """() => [...document.querySelectorAll(".es-panels .es-plot")].map(
  (plot) => Math.max(...plot._fullData.map((trace) => trace.x.length)))"""


BEST = re.compile(r"^(The aggregator made the difference: )?1/σ² ")


RUNS = 10
"""Of the default scenario: each round of it is a turn of each, and its attack another one."""


def round_shown(page: Page) -> int:
    text = page.get_by_text(re.compile(r"Training: round \d+ of")).inner_text()
    found = re.search(r"round (\d+) of", text)
    assert found
    return int(found[1])


def test_first_page_comes_without_the_chart_library(visitor: Visitor):
    asked = list[str]()
    visitor.page.on("request", lambda one: asked.append(one.url))
    at_rest(visitor.open("/"))
    assert any("/web/memory.js" in url for url in asked)
    assert not any("plotly" in url for url in asked)


def test_the_budget_that_was_dragged_is_trained(visitor: Visitor):
    page = visitor.open("/", "text=What an attacker can do")
    page.get_by_role("radio", name="a server").check()
    page.get_by_role("slider", name="Budget ε").press("ArrowLeft")
    press(page, "Train and attack this")
    expect(page.get_by_text("ε 1 for").first).to_be_visible()


def test_from_the_start_to_a_trained_model(visitor: Visitor):
    page = visitor.open("/", "text=What an attacker can do")
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("heading", name="Does it still learn, and what leaks?")).to_be_visible()
    page.locator(READY["train"]).nth(1).wait_for()

    # two clients change their minds
    page.get_by_text("Change the clients").click()
    page.get_by_text("Client by client").click()
    first, second = (page.get_by_label(f"Client {n}, Budget ε") for n in (1, 2))
    expect(first).to_have_value("0.5")
    enter(first, "4")
    expect(second).to_be_focused()
    enter(second, "2")
    expect(page.get_by_text("20 clients: 16 ask for ε 0.5, 1 for ε 2, 1 for ε 4, 2 for ε 8")).to_be_visible()

    visitor.go("Train")
    expect(page.get_by_text("16 ask for ε 0.5, 1 for ε 2, 1 for ε 4, 2 for ε 8")).to_be_visible()
    rounds = page.get_by_label("Rounds", exact=True)
    enter(rounds, 400)  # it goes on until it is stopped
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()

    # points arrive on all three panels, and no frame is empty
    page.evaluate(KEPT)
    page.evaluate(SHIFTS)
    with holding(visitor.server.runs_dir, 10 * RUNS) as hold_after:
        press(page, "Train")
        page.locator(".es-panels canvas").first.wait_for(timeout=TRAINING)
        assert page.evaluate(STAYS), "the charts stay where they are"
        page.wait_for_function(f"() => ({POINTS})().every((n) => n > 3)", polling=100)
        page.evaluate(WATCH_FRAMES)
        before = page.evaluate(POINTS)
        hold_after(20 * RUNS)
        further = f"(before) => ({POINTS})().every((n, i) => n > before[i])"
        page.wait_for_function(further, arg=before, polling=100)
        assert page.evaluate("shifted") < 0.02, "nothing jumps when it begins"
        assert len(page.locator(".es-row").all()) == 3
        page.wait_for_function("frames_.all > 10")
        assert page.evaluate("frames_.empty") == 0

        # a reload finds the same run going on
        at = round_shown(page)
        address = page.url
        page.reload()
        page.locator(".es-panels canvas").first.wait_for()
        assert page.url == address
        assert round_shown(page) >= at

        # it is stopped, and what it trained is kept
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_text(re.compile(r"Stopped at round \d+( to \d+)? of 400"))).to_be_visible()
    assert page.evaluate(POINTS)[0] > 3

    # a shorter one is trained to its end
    enter(rounds, 6)
    expect(page.get_by_text("since then: rounds 400 → 6")).to_be_visible()
    page.evaluate("shifted = 0")
    page.get_by_role("button", name="Train again").click()
    expect(page.get_by_text("Finished: 6 rounds of 9 runs and one without noise")).to_be_visible(
        timeout=TRAINING
    )
    expect(page.locator(".es-headline")).to_contain_text(BEST)
    assert page.evaluate("shifted") < 0.02, "nor when it ends"
    back = page.get_by_role("slider", name="Go back to an earlier round")
    back.press("Home")
    expect(page.locator(".es-headline")).to_contain_text("After round 1:")
    back.press("End")
    expect(page.locator(".es-headline")).to_contain_text(BEST)
    at_rest(page)
    page.get_by_role("tab", name="In words").click()
    expect(page.get_by_role("button", name="Train again")).to_be_visible()


def test_browser_remembers_the_last_prepared_draft(visitor: Visitor):
    page = visitor.open("/runs", "text=What has been trained")
    drafts = [{"id": str(n) * 12, "name": "A", "prepared": n != 2} for n in (1, 2, 3)]
    assert page.evaluate(KEEP, drafts) == ["3" * 12, "2" * 12]


def test_a_double_click_is_one_run(visitor: Visitor):
    """Whose name is shown as it was typed, while it goes on and in the list of runs."""
    name = "<img src=x onerror=alert(1)> $x$ :red[a]"
    changes = {"rounds": 10, "attack": None, "seed": 3, "name": name}
    identity = drafts.new(get("two_volunteers").draft.with_base(changes))
    page = visitor.open(f"/train?draft={identity}")
    count = len(queue.find())
    page.get_by_role("button", name="Train", exact=True).dblclick()
    page.get_by_role("button", name="Train again").wait_for(timeout=TRAINING)
    assert len(queue.find()) == count + 1
    assert page.locator("img[src='x']").count() == 0
    page.get_by_role("link", name="Start").click()
    page.get_by_text("Latest runs on this server").wait_for()
    expect(page.get_by_text(name).first).to_be_visible()
    assert page.locator("img[src='x']").count() == 0


def test_guess_counts_only_when_pressed(another: Another):
    """By keys, by mouse and by a finger that only scrolls; the answer comes when it is asked for."""
    phone = another(viewport={"width": 390, "height": 400}, has_touch=True, is_mobile=True)
    page = phone.open("/learn?lesson=who_pays", "text=What do you expect?")
    slider = page.get_by_role("slider", name="Of the digits 5 to 9, what share will 1/σ² name right?")
    for _ in range(20):
        slider.press("ArrowLeft")
    expect(slider).to_have_value("30")
    expect(slider).to_be_focused()
    box = slider.bounding_box()
    assert box
    touch = page.context.new_cdp_session(page)
    for up in range(0, 240, 12):
        points = [{"x": box["x"] + 5, "y": box["y"] + 5 - up}]
        kind = "touchMove" if up else "touchStart"
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        page.wait_for_timeout(16)  # a frame
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollTop > 100")
    at_rest(page)
    expect(page.get_by_text("You guessed")).to_have_count(0)
    guess = page.get_by_role("button", name="Guess", exact=True)
    guess.focus()
    guess.press("Enter")
    expect(guess).to_be_focused()
    result = page.get_by_text("You guessed").inner_text()
    slider.press("ArrowRight")
    guess.click()
    expect(page.get_by_text(result)).to_have_count(0)
    expect(page.get_by_text("it came out at")).to_have_count(0)
    page.get_by_role("button", name="Show what came of it").click()
    expect(page.get_by_text("it came out at")).to_be_visible()
