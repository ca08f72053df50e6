"""Pictures of every page, to be looked at: `python -m tests.browser.screenshots FOLDER`.

With `--readme` it takes the one picture of the README instead.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.browser.server import Server
from tests.conftest import ROOT

PAGES = {
    "start": ("/", "text=Latest runs on this server"),
    "clients": ("/clients", ".es-table"),
    "noise": ("/noise", ".es-chart.js-plotly-plot"),
    "papers": ("/papers", ".st-key-look-personalized_ldp_fl .js-plotly-plot"),
    "attack": ("/attack", "text=The ladder fills here"),
    "tune": ("/tune", ".es-heat-cell"),
    "train": ("/train", ".es-panels .js-plotly-plot"),
}
WIDTHS = {"wide": (1440, 900), "laptop": (1366, 768), "narrow": (390, 1688)}
"""First screens; of a phone the first two."""


def train(page: Page) -> None:
    """Run the draft on the page to its end."""
    page.get_by_role("button", name="Train", exact=True).click()
    page.get_by_role("button", name="Train again").wait_for(timeout=60_000)
    page.mouse.move(0, 0)
    page.wait_for_timeout(1200)


def main() -> None:
    readme = "--readme" in sys.argv
    folder = ROOT / "assets" if readme else Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        server = Server(Path(scratch) / "runs")
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        for scheme in ("light",) if readme else ("light", "dark"):
            for width, (across, down) in WIDTHS.items():
                if readme and width != "wide":
                    continue
                context = browser.new_context(
                    viewport={"width": across, "height": down},
                    color_scheme="dark" if scheme == "dark" else "light",
                )
                page = context.new_page()
                for name, (path, ready) in PAGES.items():
                    if readme and name != "train":
                        continue
                    page.goto(server.url + path)
                    page.locator(ready).first.wait_for()
                    page.wait_for_timeout(1500)
                    if name == "train" and not readme:
                        page.screenshot(path=folder / f"train-before-{width}-{scheme}.png")
                    if name == "train":
                        train(page)
                    if name == "attack":
                        page.get_by_role("button", name="Attack", exact=True).click()
                        page.get_by_role("button", name="Attack again").wait_for(timeout=120_000)
                        page.wait_for_timeout(1200)
                    file = "screenshot.png" if readme else f"{name}-{width}-{scheme}.png"
                    page.screenshot(path=folder / file)
                context.close()
        browser.close()
        server.stop()


if __name__ == "__main__":
    main()
