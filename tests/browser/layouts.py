"""What pages look like from far away: small grey pictures, kept under tests/browser/layouts.

`python -m tests.browser.layouts` takes them anew, after the pages themselves have been looked at
(tests/browser/screenshots.py). They show where things are and how heavy, and no letter: fonts, and what a
browser draws a little otherwise, do not matter. What lives (times, what others trained) is hidden.

Pages as they are first seen are opened for that (VIEWS); those with a run are looked at by the tests that
come there anyway (SHOWN), which costs no more than a look. To take pictures is to run these tests, and have
each keep what it would compare.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, Page

from tests.browser.screenshots import EMPTY
from tests.browser.server import Server
from tests.conftest import ROOT

FOLDER = Path(__file__).parent / "layouts"
TAKES = "EPSILON_TAKE_LAYOUTS"
"""Set where pictures are taken and not compared."""
CELL = 16
"""Pixels on a side that become one grey value."""
OTHERWISE = 0.08
"""Greys that differ by more than this are distinct; letters of another font differ by less."""
MOST = 0.02
"""The share of a page that may be otherwise: a line that wraps, a card that is a row taller."""
VIEWS = {
    "start-wide": ("start", (1440, 896), "light"),
    "clients-wide": ("clients", (1440, 896), "dark"),
    "noise-wide": ("noise", (1440, 896), "light"),
    "train-wide": ("train", (1360, 768), "dark"),
    "attack-wide": ("attack", (1440, 896), "light"),
    "train-phone": ("train", (384, 1600), "light"),
}
SHOWN = {
    "train-running": "test_first_run.py",
    "train-done": "test_first_run.py",
    "attack-done": "test_attack.py",
    "tune-filled": "test_tune.py",
    "compare-filled": "test_compare.py",
    "runs-filled": "test_compare.py",
    "papers": "test_papers.py",
}
"""And which file of tests comes there; all 1440 × 1200 pixels, light."""
LIVE = """
.es-memory, .es-runs tbody, .st-key-launch [data-testid="stCaptionContainer"],
[class*="st-key-card-"] [data-testid="stCaptionContainer"] { visibility: hidden !important; }
"""
MASKS = {
    "train-running": """.es-plot > *, .es-panels canvas, .es-rows, .es-head-of-page,
    .st-key-state-line { visibility: hidden !important; }""",
    "train-done": ".st-key-state-line { visibility: hidden !important; }",
    "runs-filled": ".es-runs tbody { visibility: visible !important; }",
    "compare-filled": '[data-baseweb="tag"] span { color: transparent !important; }',
}
"""What lives besides: of what is still trained all that is drawn; how long something took, or is ago. Of the
list of runs the newest is known, and seen."""
Grey = NDArray[np.float64]


def look(page: Page, name: str) -> Grey:
    """A page as it stands, as grey values between 0 and 1, a cell each."""
    masks = page.add_style_tag(content=LIVE + MASKS.get(name, ""))
    page.mouse.move(0, 0)
    page.wait_for_timeout(300)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("L")
    masks.evaluate("(style) => style.remove()")
    down, across = picture.height // CELL, picture.width // CELL
    pixels = np.asarray(picture, dtype=np.float64)[: down * CELL, : across * CELL] / 255
    return pixels.reshape(down, CELL, across, CELL).mean(axis=(1, 3))


def opened(browser: Browser, server: Server, view: str) -> Grey:
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
    page.wait_for_function("() => !document.querySelector('.es-chart:not(.js-plotly-plot)')")
    before, grey = look(page, view), look(page, view)
    while (np.abs(before - grey) > OTHERWISE).any():  # something is drawn yet
        before, grey = grey, look(page, view)
    context.close()
    return grey


def kept(view: str) -> Grey:
    """As it was when it was last approved."""
    return np.asarray(Image.open(FOLDER / f"{view}.png"), dtype=np.float64) / 255


def as_it_was(view: str, grey: Grey) -> None:
    """Compare it with the picture that is kept, or keep it where pictures are taken.

    Raises:
        AssertionError: more of it is otherwise than a line that wraps.
    """
    if os.environ.get(TAKES):
        Image.fromarray(np.rint(255 * grey).astype(np.uint8), "L").save(FOLDER / f"{view}.png", optimize=True)
        return
    before = kept(view)
    assert before.shape == grey.shape, f"{view} has another size: python -m tests.browser.layouts"
    share = float((np.abs(grey - before) > OTHERWISE).mean())
    assert share <= MOST, (
        f"{share:.0%} of {view} looks otherwise: look at it, and if it is as you want it, "
        "python -m tests.browser.layouts"
    )


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    here = Path(__file__).parent.relative_to(ROOT)
    files = sorted({str(here / name) for name in (*SHOWN.values(), "test_layouts.py")})
    environment = os.environ | {TAKES: "1", "EPSILON_TEST_ALL": "1"}
    chosen = [*files, "-k", " and ".join(f"not {name}" for name in ELSEWHERE)]
    sys.exit(subprocess.call([sys.executable, "-m", "pytest", "-q", *chosen], cwd=ROOT, env=environment))


ELSEWHERE = ("another_page", "double_click", "found_again", "reconstruction", "formulas_limits", "run_again")
"""Tests of these files that come by none of the pages."""


if __name__ == "__main__":
    main()
