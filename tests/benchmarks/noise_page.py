"""From a control moved on Noise by key to the last change of its charts and tables that follows, measured in
the browser."""

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


def moves(page: Page, slider: str, until: str) -> list[float]:
    """Seconds from each key press to the last change of the page that follows it."""
    handle = page.get_by_role("slider", name=slider)
    handle.focus()
    found = []
    for n in range(MOVES):
        before = page.locator(until).first.text_content()
        handle.press("ArrowLeft" if n % 2 else "ArrowRight")  # back and forth: no end is reached
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
        law = ".es-cards"  # its heading says variance and ε
        print("weight moved:", quantiles(moves(page, "Its weight", law)))
        print("budget moved:", quantiles(moves(page, "Budget ε", law)))
        print("range moved:", quantiles(moves(page, "Safe range ±τ", law)))
        print("load:", os.getloadavg()[0])
        browser.close()
        server.stop()


if __name__ == "__main__":
    main()
