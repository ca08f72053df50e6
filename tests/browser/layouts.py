"""What pages look like from far away: small grey pictures, kept under tests/browser/layouts.

`python -m tests.browser.layouts` takes them anew, after somebody has looked at the pages themselves
(tests/browser/screenshots.py). They show where things are and how heavy, and no letter: fonts, and what a
browser draws a little otherwise, do not matter. What lives (times, what others trained) is hidden.
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.browser.screenshots import EMPTY
from tests.browser.server import Server

FOLDER = Path(__file__).parent / "layouts"
CELL = 16
"""Pixels on a side that become one grey value."""
VIEWS = {
    "start-wide": ("start", (1440, 896), "light"),
    "clients-wide": ("clients", (1440, 896), "dark"),
    "noise-wide": ("noise", (1440, 896), "light"),
    "train-wide": ("train", (1360, 768), "dark"),
    "attack-wide": ("attack", (1440, 896), "light"),
    "train-phone": ("train", (384, 1600), "light"),
}
LIVE = """
.es-memory, [class*="st-key-run-"], .st-key-launch [data-testid="stCaptionContainer"],
[class*="st-key-card-"] [data-testid="stCaptionContainer"] { visibility: hidden !important; }
"""
Grey = NDArray[np.float64]


def taken(browser: Browser, server: Server, view: str) -> Grey:
    """One of the views as grey values between 0 and 1, a cell each."""
    name, (across, down), scheme = VIEWS[view]
    context = browser.new_context(
        viewport={"width": across, "height": down},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page: Page = context.new_page()
    page.set_default_timeout(120_000)
    page.goto(server.url + EMPTY[name][0])
    page.locator(EMPTY[name][1]).first.wait_for()
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
    page.add_style_tag(content=LIVE)
    page.wait_for_timeout(1500)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("L")
    context.close()
    pixels = np.asarray(picture, dtype=np.float64) / 255
    return pixels.reshape(down // CELL, CELL, across // CELL, CELL).mean(axis=(1, 3))


def kept(view: str) -> Grey:
    """As it was when somebody looked at it."""
    return np.asarray(Image.open(FOLDER / f"{view}.png"), dtype=np.float64) / 255


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        server = Server(Path(scratch) / "runs")
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        try:
            for view in VIEWS:
                grey = np.rint(255 * taken(browser, server, view)).astype(np.uint8)
                Image.fromarray(grey, "L").save(FOLDER / f"{view}.png", optimize=True)
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    main()
