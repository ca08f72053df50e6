"""From a slider of Noise that is dragged to the law's new line, alone and in a class:
`python -m tests.benchmarks.dragging [--viewers 30] [--draggers 10] [--tabs 2] [--designs usual others]`.

Tabs are real browsers, and only in these is redrawing measured; this machine draws no ten of them at once.
The other draggers are connections that send what a dragging browser sends, as often: that a hand comes near
a slider, nothing while it moves, and the place where it comes to rest. Who does not drag has Noise open,
and asks again for what refreshes itself.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import psutil
from playwright.async_api import Browser, Error, Page, async_playwright

from ldp_core import presets
from ldp_core.experiment import Draft, Variant
from ldp_core.runs.record import drafts
from ldp_core.runs.view.styles import styles
from pages.parts.noise.designs import Design
from pages.parts.noise.what_if import standing
from tests.benchmarks.serving import served, used
from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.server.client import Viewer

DESIGNS = {"usual": ("duchi", "piecewise", "hybrid"), "others": ("harmony", "privunit", "ldpsign")}
"""Whose laws are drawn under the hand."""
SLIDERS = {"Budget ε": "epsilon", "Safe range ±τ": "tau", "Its weight": "weight"}
MOVES, FRAME_MS = 80, 16
"""Of one drag, there and back, and the milliseconds between two."""
DRAWN_SECONDS = 5
"""After the last movement, until what is not drawn is missed."""
DRAGS = 2
"""Of each slider."""
REST_SECONDS = 0.7
"""From a drop to the next drag, after which a tab has drawn what the last one moved."""
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


def made(names: Sequence[str]) -> Draft:
    designs = tuple(Variant(name, {"mechanism.name": name, "aggregator.name": "mean"}) for name in names)
    return Draft(presets.get("two_volunteers").draft.base, designs)


def draft(names: Sequence[str]) -> str:
    return f"draft={drafts.new(made(names))}"


def held(names: Sequence[str], asked: Mapping[str, Any]) -> dict[str, str]:
    """The keys of what is computed ahead, for the first client and where its sliders stand."""
    draft = made(names)
    looks, experiments = styles(draft), draft.experiments()
    shown = [Design(i, draft.variants[i], experiments[i], looks[i]) for i in range(len(names))]
    return standing(shown, {"first": 0}, asked).keys


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


async def tab(browser: Browser, url: str, names: Sequence[str]) -> Page:
    page = await browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(120_000)
    await page.goto(f"{url}/noise?{draft(names)}")
    await page.locator(".es-chart.js-plotly-plot").nth(len(names) - 1).wait_for()
    await page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
    await page.wait_for_timeout(2000)
    await page.evaluate(WATCH)
    return page


async def dragged(pages: Sequence[Page], slider: str) -> list[float]:
    """All of them at once, a few times."""
    found: list[float] = []
    for _ in range(DRAGS):
        for lags in await asyncio.gather(*(drag(page, slider) for page in pages)):
            found += lags
    return found


async def drops(viewer: Viewer, answers: list[float], names: Sequence[str], first: int) -> None:
    """What a dragging browser sends, for ever: that a hand comes near a slider, and the drop."""
    sent = itertools.count(1)
    lasts = MOVES * FRAME_MS / 1000 + 0.5
    asked: dict[str, Any] = {"seq": 0, "settled": False}

    async def send(**change: Any) -> float:
        asked.update(change)
        return await viewer.move("studio_strip", "json_value", json.dumps({"asked": asked}))

    for n, key in zip(itertools.count(first), itertools.cycle(SLIDERS.values())):
        lacks = {other: known for other, known in held(names, asked).items() if other != key}
        await send(wants=key, has=lacks)
        asked["has"] = held(names, asked)
        await asyncio.sleep(lasts)
        answers.append(await send(**{key: place(key, 7 * n)}, seq=next(sent), settled=True))
        await asyncio.sleep(REST_SECONDS)


def place(key: str, n: int) -> float:
    return n % 81 / 40 - 1 if key == "weight" else 10 + n % 30


async def watches(viewer: Viewer) -> None:
    """Asks again for what refreshes itself."""
    while True:
        await asyncio.sleep(1.0)
        for fragment, interval in [*viewer.fragments.items()]:
            if interval:
                await viewer.rerun(fragment)


@asynccontextmanager
async def crowd(url: str, names: Sequence[str], dragging: int, watching: int) -> AsyncIterator[list[float]]:
    """Others on the same server; gives the seconds of the answers to those who drag."""
    viewers = [await Viewer.open(url, "noise", draft(names)) for _ in range(dragging + watching)]
    answers: list[float] = []
    tasks = [asyncio.create_task(watches(viewer)) for viewer in viewers[dragging:]]
    for n, viewer in enumerate(viewers[:dragging]):
        tasks.append(asyncio.create_task(drops(viewer, answers, names, n)))
        await asyncio.sleep(0.2)  # no two drag in step
    try:
        yield answers
    finally:
        for task in tasks:
            task.cancel()
        gone = await asyncio.gather(*tasks, return_exceptions=True)
        failed = [str(one) for one in gone if isinstance(one, Exception)]
        if wrong := [*failed, *(error for viewer in viewers for error in viewer.errors)]:
            print("errors:", wrong[:3], flush=True)
        for viewer in viewers:
            await viewer.close()


def row(who: str, what: str, seconds: Sequence[float], cpu: float) -> None:
    if not seconds:
        return
    values = np.array(seconds)
    figures = f"{np.median(values):.3f} | {np.quantile(values, 0.95):.3f} | {values.max():.3f}"
    load = f"{os.getloadavg()[0]:.1f}"
    print(f"| {who} | {what} | {figures} | {len(values)} | {cpu:.2f} | {load} |", flush=True)


async def measure(url: str, process: psutil.Process, options: argparse.Namespace) -> None:
    async def both(who: str, pages: Sequence[Page], answers: list[float], how: str) -> None:
        for slider in SLIDERS:
            before, began = used(process), time.monotonic()
            answers.clear()
            found = await dragged(pages, slider)
            cpu = (used(process) - before) / (time.monotonic() - began)
            row(f"{who}, {how}", f"{slider}: movement to redrawn", found, cpu)
            row(f"{who}, {how}", "others: sent to drawn", answers, cpu)

    async with async_playwright() as playwright:
        for how in options.designs or DESIGNS:
            names = DESIGNS[how]
            browser = await playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
            pages = [await tab(browser, url, names)]
            await both("alone", pages, [], how)
            pages += [await tab(browser, url, names) for _ in range(options.tabs - 1)]
            others = options.draggers - options.tabs
            watching = options.viewers - options.draggers
            async with crowd(url, names, others, watching) as answers:
                await both(f"{options.draggers} of {options.viewers}", pages, answers, how)
            await browser.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--viewers", type=int, default=30)
    parser.add_argument("--draggers", type=int, default=10, help="of the viewers")
    parser.add_argument("--tabs", type=int, default=2, help="real browsers, of the draggers")
    parser.add_argument("--designs", nargs="*", choices=DESIGNS, help="both by default")
    options = parser.parse_args()
    with served() as (url, process):
        print("| who drags, designs | what | median, s | p95, s | most, s | of | server, of a core | load |")
        print("|---|---|---|---|---|---|---|---|")
        asyncio.run(measure(url, process, options))


if __name__ == "__main__":
    main()
