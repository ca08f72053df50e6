"""From a slider of Noise dragged to the law's line: `python -m tests.benchmarks.dragging [DESIGNS …]`.

In a real browser, alone on its server; designs are those of "usual" and of "others", both by default. What
the server does of it is what a release costs: while the hand moves, nothing is asked.
"""

import asyncio
import contextlib
import os
import sys

import numpy as np
import psutil
from playwright.async_api import Error, Page, async_playwright

from ldp_core import presets
from ldp_core.experiment import Draft, Variant
from ldp_core.runs.record import drafts
from tests.benchmarks.crowd import served, used
from tests.browser.chromium import ARGUMENTS, find_chromium

DESIGNS = {"usual": ("duchi", "piecewise", "hybrid"), "others": ("harmony", "privunit", "ldpsign")}
"""Whose laws are drawn under the hand."""
SLIDERS = ("Budget ε", "Safe range ±τ", "Its weight")
MOVES, FRAME_MS, DRAGS = 80, 16, 2
"""Movements of one drag, there and back, the milliseconds between two, and drags of each slider."""
DRAWN_SECONDS = 5
"""After the last movement, until what is not drawn is missed."""
REST_SECONDS = 0.7
"""From a drop to the next drag, after which the tab has drawn what the last one moved."""
WATCH = """() => {
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


async def drag(page: Page, slider: str) -> list[float]:
    """Seconds from each movement of a held slider to the first redrawing of the law after it."""
    box = await page.get_by_role("slider", name=slider).bounding_box()
    assert box
    middle = box["y"] + box["height"] / 2
    await page.mouse.move(box["x"] + 0.3 * box["width"], middle)
    await page.mouse.down()
    await page.evaluate("() => { window.__moved = []; window.__drawn = []; }")
    for n in range(MOVES):
        share = 0.3 + 0.5 * abs(2 * n / MOVES - 1)
        await page.mouse.move(box["x"] + share * box["width"], middle)
        await page.wait_for_timeout(FRAME_MS)
    with contextlib.suppress(Error):  # what is not drawn by then counts as inf
        drawn = "() => __drawn.at(-1) >= __moved.at(-1)"
        await page.wait_for_function(drawn, timeout=1000 * DRAWN_SECONDS)
    lags: list[float] = await page.evaluate(LAGS)
    await page.mouse.up()
    await asyncio.sleep(REST_SECONDS)
    return lags


async def measure(page: Page, url: str, how: str, process: psutil.Process) -> None:
    names = DESIGNS[how]
    designs = tuple(Variant(name, {"mechanism.name": name, "aggregator.name": "mean"}) for name in names)
    draft = drafts.new(Draft(presets.get("two_volunteers").draft.base, designs))
    await page.goto(f"{url}/noise?draft={draft}")
    await page.locator(".es-chart.js-plotly-plot").nth(len(names) - 1).wait_for()
    await page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
    await page.wait_for_timeout(2000)
    await page.evaluate(WATCH)
    for slider in SLIDERS:
        before = used(process)
        found = np.array([lag for _ in range(DRAGS) for lag in await drag(page, slider)])
        figures = f"{np.median(found):.3f} | {np.quantile(found, 0.95):.3f} | {found.max():.3f}"
        cpu, load = (used(process) - before) / DRAGS, os.getloadavg()[0]
        print(f"| {', '.join(names)} | {slider} | {figures} | {len(found)} | {cpu:.2f} | {load:.1f} |")


async def alone(url: str, process: psutil.Process) -> None:
    print("| designs | slider | median, s | p95, s | most, s | of | server, s of a core a drag | load |")
    print("|---|---|---|---|---|---|---|---|")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        for how in sys.argv[1:] or DESIGNS:
            page = await browser.new_page(viewport={"width": 1440, "height": 900})
            page.set_default_timeout(120_000)
            await measure(page, url, how, process)
            await page.close()
        await browser.close()


if __name__ == "__main__":
    with served() as (server, its_process):
        asyncio.run(alone(server, its_process))
