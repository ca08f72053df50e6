"""What axe finds on pages that show something: `python -m tests.benchmarks.done_states [FOLDER]`.

A run on Train with all its tabs, two runs on Compare, a grid on Attack, a sweep on Tune: light and dark, wide
and on a phone. The gate looks at pages as they are first seen (tests/browser/test_pages.py). With a folder a
picture of each is left there.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.browser.screenshots import EMPTY, attack, compare, link, train
from tests.browser.server import Server

VIEWS = {"wide": (1440, 900), "phone": (390, 844)}
TABS = ("In words", "Whom it serves", "What is promised", "Round by round")
TOO_WIDE = "Math.max(0, document.documentElement.scrollWidth - window.innerWidth)"


def ready(page: Page, name: str) -> None:
    page.locator(EMPTY[name][1]).first.wait_for()
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()


def made(browser: Browser, server: Server) -> dict[str, str]:
    """What is looked at: the address of each page once it shows something."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(600_000)
    found = {}
    for n in (1, 2):
        page.goto(server.url + link(100 + n))
        ready(page, "train")
        train(page)
        found["train"] = page.url
    page.goto(server.url + "/attack")
    ready(page, "attack")
    attack(page)
    found["attack"] = page.url
    page.goto(server.url + "/tune")
    ready(page, "tune")
    seeds = page.get_by_role("spinbutton", name="Seeds")
    seeds.fill("1")
    seeds.press("Enter")
    page.get_by_text("25 settings × 1 seed").wait_for()
    page.get_by_role("button", name="Sweep", exact=True).click()
    page.get_by_role("button", name="Sweep again").wait_for()
    found["tune"] = page.url
    page.context.close()
    return found | {
        "compare": f"{server.url}/compare",
        "start": f"{server.url}/",
        "runs": f"{server.url}/runs",
    }


def shown(page: Page, urls: dict[str, str]) -> Iterator[str]:
    for name, url in urls.items():
        page.goto(url)
        if name == "compare":
            compare(page)
        elif name == "start":
            ready(page, name)
            page.get_by_role("button", name="Just show me").click()
            page.get_by_text("The plain mean listens").wait_for()
        else:
            ready(page, name)
        page.wait_for_timeout(2500)
        yield name
        if name == "tune":
            page.locator('.es-heat-cell[data-mark="trained"]').nth(12).click()
            page.get_by_text("Accuracy by seed").wait_for()
            page.wait_for_timeout(1000)
            yield "tune, a cell"
        for tab in TABS if name == "train" else ():
            page.get_by_role("tab", name=tab).click()
            page.wait_for_timeout(2500)
            yield f"train, {tab}"


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        os.environ["EPSILON_RUNS_DIR"] = str(Path(scratch) / "runs")
        server = Server(Path(scratch) / "runs")
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        try:
            urls = made(browser, server)
            for scheme, (view, (across, down)) in product(("light", "dark"), VIEWS.items()):
                page = browser.new_page(
                    viewport={"width": across, "height": down},
                    color_scheme="dark" if scheme == "dark" else "light",
                    reduced_motion="reduce",
                )
                page.set_default_timeout(120_000)
                for name in shown(page, urls):
                    if folder:
                        folder.mkdir(parents=True, exist_ok=True)
                        page.screenshot(path=folder / f"{name}-{view}-{scheme}.png".replace(", ", "-"))
                    found = Axe().run(page).response["violations"]
                    said = [f"{v['id']} {[n['html'][:200] for n in v['nodes'][:3]]}" for v in found]
                    if wide := page.evaluate(TOO_WIDE):
                        said.append(f"{wide} pixels too wide")
                    print(f"{name}, {view}, {scheme}: {said or 'nothing'}", flush=True)
                page.context.close()
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    main()
