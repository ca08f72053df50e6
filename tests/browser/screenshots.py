"""Pictures of every page, to be looked at: `python -m tests.browser.screenshots FOLDER [light] [phone]`.

Every page as it is first seen, and those with runs while they go on and afterwards. Words after the folder
choose among schemes, screens and pages. With `--readme` it takes the one picture of the README instead.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from ldp_core import presets
from ldp_core.runs.record import drafts
from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.browser.server import Server
from tests.conftest import ROOT

EMPTY = {
    "start": ("/", "text=Latest runs on this server"),
    "clients": ("/clients", ".es-table"),
    "noise": ("/noise", ".es-chart.js-plotly-plot"),
    "train": ("/train", ".es-panels .js-plotly-plot"),
    "attack": ("/attack", ".es-ladder"),
    "tune": ("/tune", ".es-heat-cell"),
    "papers": ("/papers", ".js-plotly-plot"),
    "compare": ("/compare", "text=/No runs are chosen yet|Chosen for you/"),
    "runs": ("/runs", "text=What has been trained on this server?"),
}
SCREENS = {"wide": (1440, 900), "laptop": (1366, 768), "phone": (390, 1688), "tall": (1440, 2600)}
"""First screens, of a phone the first two; and far down, where asked for."""
SCHEMES = ("light", "dark")


def take(page: Page, file: Path) -> None:
    """As a visitor sees it who has waited a moment, and has the pointer elsewhere."""
    page.mouse.move(0, 0)
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
    page.wait_for_function("() => !document.querySelector('[data-testid=stSkeleton]')")
    page.wait_for_timeout(1500)
    page.screenshot(path=file)


def train(page: Page, meanwhile: Callable[[], None] = lambda: None) -> None:
    page.get_by_role("button", name="Train", exact=True).click()
    meanwhile()
    page.get_by_role("button", name="Train again").wait_for(timeout=200_000)


def running(page: Page, file: Path) -> None:
    page.wait_for_function(
        "() => [...document.querySelectorAll('.es-panels .es-plot')].some("
        "(plot) => (plot._fullData ?? []).some((line) => line.x.length > 4))",
        timeout=200_000,
    )
    page.screenshot(path=file)


def attack(page: Page) -> None:
    page.get_by_role("button", name="Attack", exact=True).click()
    page.get_by_role("button", name="Attack again").wait_for(timeout=200_000)


def compare(page: Page) -> None:
    page.locator("[class*='st-key-compare-'] button").first.click()
    page.locator(".es-cards .js-plotly-plot").first.wait_for()


def link(seed: int) -> str:
    """The default scenario with a seed that was not trained yet, and long enough to be seen running."""
    return f"/train?share={drafts.share(presets.get('two_volunteers').draft.with_base({'seed': seed}))}"


def pictures(browser: Browser, server: Server, folder: Path, wanted: set[str]) -> None:
    def asked(among: Iterator[str] | tuple[str, ...]) -> list[str]:
        found = list(among)
        return [one for one in found if one in wanted] or [one for one in found if one != "tall"]

    views = [*product(asked(SCHEMES), asked(tuple(SCREENS)))]
    names = asked(tuple(EMPTY))
    for n, (scheme, screen) in enumerate(views):
        across, down = SCREENS[screen]
        context = browser.new_context(
            viewport={"width": across, "height": down}, color_scheme="dark" if scheme == "dark" else "light"
        )
        page = context.new_page()
        page.set_default_timeout(120_000)

        def file(name: str, scheme: str = scheme, screen: str = screen) -> Path:
            return folder / f"{name}-{screen}-{scheme}.png"

        def opened(name: str, page: Page = page) -> Page:
            path, ready = EMPTY[name]
            page.goto(server.url + path)
            page.locator(ready).first.wait_for()
            return page

        first = [name for name in names if n == 0 or name not in ("compare", "runs")]
        for name in first:
            take(opened(name), file(name))
        if "train" in names:
            page.goto(server.url + link(n + 100))
            page.locator(EMPTY["train"][1]).first.wait_for()
            train(page, lambda page=page, file=file: running(page, file("train-running")))  # type: ignore[misc]
            take(page, file("train-done"))
        if "attack" in names:
            attack(opened("attack"))
            take(page, file("attack-done"))
        if "runs" in names:
            page.goto(server.url + "/runs")
            page.get_by_text("What has been trained").wait_for()
            take(page, file("runs-filled"))
        if "compare" in names and n:
            page.goto(server.url + "/compare")
            compare(page)
            take(page, file("compare-filled"))
        context.close()


def readme(browser: Browser, server: Server) -> None:
    across, down = SCREENS["wide"]
    page = browser.new_page(viewport={"width": across, "height": down}, color_scheme="light")
    page.goto(server.url + EMPTY["train"][0])
    page.locator(EMPTY["train"][1]).first.wait_for()
    train(page)
    take(page, ROOT / "assets" / "screenshot.png")


def main() -> None:
    folder = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        os.environ["EPSILON_RUNS_DIR"] = str(Path(scratch) / "runs")
        server = Server(Path(scratch) / "runs")
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        try:
            if "--readme" in sys.argv:
                readme(browser, server)
            else:
                folder.mkdir(parents=True, exist_ok=True)
                pictures(browser, server, folder, set(sys.argv[2:]))
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    main()
