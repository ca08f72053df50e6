"""Pictures of every page, to be looked at: `python -m tests.browser.screenshots FOLDER [light] [phone]`.

Every page as it is first seen, and those with runs while they go on and afterwards. Words after the folder
choose among schemes, screens and pages. With `--readme` it takes the one picture of the README instead.
"""

import os
import sys
import tempfile
from collections.abc import Iterable
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from ldp_core import presets
from ldp_core.runs.record import drafts
from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.browser.conftest import READY, TRAINING, Visitor, at_rest, press
from tests.browser.server import Server
from tests.conftest import ROOT

SCREENS = {"wide": (1440, 900), "laptop": (1366, 768), "phone": (390, 1688), "tall": (1440, 2600)}
"""First screens, of a phone the first two; and far down, where asked for."""
RUNNING = """() => [...document.querySelectorAll('.es-panels .es-plot')].some(
  (plot) => (plot._fullData ?? []).some((line) => line.x.length > 4))"""


def take(page: Page, file: Path) -> None:
    """As a visitor sees it who has waited a moment, and has the pointer elsewhere."""
    page.mouse.move(0, 0)
    at_rest(page)
    page.wait_for_function("() => !document.querySelector('[data-testid=stSkeleton]')")
    page.wait_for_timeout(1500)
    page.screenshot(path=file)


def seen(browser: Browser, server: Server, screen: str, scheme: str) -> Visitor:
    across, down = SCREENS[screen]
    return Visitor(browser, server, viewport={"width": across, "height": down}, color_scheme=scheme)


def pictures(browser: Browser, server: Server, folder: Path, wanted: set[str]) -> None:
    def asked(among: Iterable[str]) -> list[str]:
        found = list(among)
        return [one for one in found if one in wanted] or [one for one in found if one != "tall"]

    names = asked(READY)
    for n, (scheme, screen) in enumerate(product(asked(("light", "dark")), asked(SCREENS))):
        visitor = seen(browser, server, screen, scheme)

        def shot(name: str, page: Page = visitor.page, end: str = f"{screen}-{scheme}.png") -> None:
            take(page, folder / f"{name}-{end}")

        for name in names:
            if n == 0 or name not in ("compare", "runs"):
                visitor.open(f"/{name.removesuffix('start')}")
                shot(name)
        if "train" in names:  # with a seed that was not trained yet, and long enough to be seen running
            draft = presets.get("two_volunteers").draft.with_base({"seed": n + 100})
            page = visitor.open(f"/train?share={drafts.share(draft)}")
            press(page, "Train")
            page.wait_for_function(RUNNING, timeout=TRAINING)
            page.screenshot(path=folder / f"train-running-{screen}-{scheme}.png")
            expect(page.get_by_text("Finished:")).to_be_visible(timeout=TRAINING)
            shot("train-done")
        if "attack" in names:
            page = visitor.open("/attack")
            press(page, "Attack")
            page.get_by_role("button", name="Attack again").wait_for(timeout=TRAINING)
            shot("attack-done")
        if "runs" in names:
            visitor.open("/runs")
            shot("runs-filled")
        if "compare" in names and n:
            page = visitor.open("/compare")
            page.locator("[class*='st-key-compare-'] button").first.click()
            page.locator(".es-cards .js-plotly-plot").first.wait_for()
            shot("compare-filled")
        visitor.context.close()


def main() -> None:
    folder = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        runs_dir = Path(scratch) / "runs"
        os.environ["EPSILON_RUNS_DIR"] = str(runs_dir)
        with (
            Server(runs_dir) as server,
            playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS) as browser,
        ):
            if "--readme" in sys.argv:
                page = browser.new_page(viewport={"width": 1440, "height": 1400})
                page.goto((ROOT / "assets" / "still.html").as_uri())
                page.locator("body[data-ready]").wait_for()
                page.screenshot(path=ROOT / "assets" / "still.png")
            else:
                folder.mkdir(parents=True, exist_ok=True)
                pictures(browser, server, folder, set(sys.argv[2:]))


if __name__ == "__main__":
    main()
