"""From a control moved on Noise to all its charts and tables redrawn, measured in the browser: by key, to the
last change that follows; and while it is dragged, to the law's new line."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from ldp_core import presets
from ldp_core.experiment import Draft, Variant
from ldp_core.runs.record import drafts
from tests.benchmarks.machine import quantiles
from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.browser.server import Server

MOVES = 40
WATCH = """() => {
  window.__last = 0;
  const mark = () => { window.__last = performance.now(); };
  new MutationObserver(mark).observe(document.body, {childList: true, subtree: true, characterData: true});
  document.addEventListener("keydown", () => { window.__pressed = performance.now(); }, true);
}"""


DRAGGED = """() => {
  window.__moved = [];
  window.__drawn = [];
  document.addEventListener("input", () => window.__moved.push(performance.now()), true);
  const ours = (node) => node.classList?.contains("js-line") || node.closest?.(".es-labels");
  const line = (found) => found.some((one) => ours(one.target));
  new MutationObserver((found) => line(found) && window.__drawn.push(performance.now())).observe(
    document.querySelector(".es-cards"), {attributes: true, subtree: true, attributeFilter: ["d", "x"]});
}"""
LAGS = (
    "() => __moved.map((at) => (__drawn.find((then) => then >= at) ?? Infinity) - at).map((ms) => ms / 1000)"
)


def drag(page: Page, slider: str) -> list[float]:
    """Seconds from each movement of a held slider to the first redrawing of the law after it."""
    box = page.get_by_role("slider", name=slider).bounding_box()
    assert box
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.3 * box["width"], middle)
    page.mouse.down()
    page.evaluate("() => { window.__moved = []; window.__drawn = []; }")
    for n in range(2 * MOVES):
        share = 0.3 + 0.5 * abs(n / MOVES - 1)
        page.mouse.move(box["x"] + share * box["width"], middle)
        page.wait_for_timeout(16)
    page.wait_for_timeout(500)
    lags: list[float] = page.evaluate(LAGS)
    page.mouse.up()
    return lags


def moves(page: Page, slider: str, until: str) -> list[float]:
    """Seconds from each key press to the last change of the page that follows it."""
    handle = page.get_by_role("slider", name=slider)
    handle.focus()
    found = []
    for n in range(MOVES):
        before = page.locator(until).first.text_content()
        handle.press("ArrowRight" if n % 4 < 3 else "ArrowLeft")
        page.wait_for_function(
            "([css, old]) => document.querySelector(css)?.textContent !== old", arg=[until, before]
        )
        page.wait_for_timeout(400)
        found.append(page.evaluate("(window.__last - window.__pressed) / 1000"))
    return found


def main() -> None:
    designs = tuple(
        Variant(name, {"mechanism.name": name, "aggregator.name": "mean"})
        for name in ("duchi", "piecewise", "hybrid")
    )
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder) / "runs")
        base = presets.get("two_volunteers").draft.base
        os.environ["EPSILON_RUNS_DIR"] = str(server.runs_dir)
        identity = drafts.new(Draft(base, designs))
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        page = browser.new_context(viewport={"width": 1440, "height": 1400}).new_page()
        page.goto(f"{server.url}/noise?draft={identity}")
        page.locator(".es-chart.js-plotly-plot").nth(5).wait_for()
        page.wait_for_timeout(2000)
        page.evaluate(WATCH)
        law = ".es-chart.js-plotly-plot .es-labels"
        print("weight moved:", quantiles(moves(page, "Its weight", law)))
        print("budget moved:", quantiles(moves(page, "Budget ε", law)))
        page.evaluate(DRAGGED)
        print("load:", os.getloadavg()[0])
        for slider in ("Budget ε", "Its weight"):
            lags = sorted(drag(page, slider))
            told = f"median {lags[len(lags) // 2]:.3f} s, largest {lags[-1]:.3f} s, {len(lags)} moves"
            print(f"{slider} dragged: {told}", flush=True)
        browser.close()
        server.stop()


if __name__ == "__main__":
    main()
