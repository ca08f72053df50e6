"""What pages look like from far away: small grey pictures, kept under tests/browser/layouts.

`python -m tests.browser.layouts` takes them anew, after the pages have been looked at (screenshots.py): of
pages as they are first seen (VIEWS), and with a run by the tests that come there anyway (SHOWN). They show
where things are and how heavy, and no letter, so fonts do not matter; what lives (times) is hidden.
"""

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Visitor, at_rest
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
    "papers": "test_papers.py",
}
"""And which file of tests comes there; all 1440 × 1200 pixels, light."""
LIVE = """
.es-memory, .st-key-launch [data-testid="stCaptionContainer"],
[class*="st-key-card-"] [data-testid="stCaptionContainer"] { visibility: hidden !important; }
"""
MASKS = {
    "train-running": """.es-plot > *, .es-panels canvas, .es-rows, .es-head-of-page,
    .st-key-state-line { visibility: hidden !important; }""",
    "train-done": ".st-key-state-line { visibility: hidden !important; }",
}
"""What lives besides: what is still trained, how long something took or is ago."""
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
    size = {"width": across, "height": down}
    visitor = Visitor(browser, server, viewport=size, color_scheme=scheme, reduced_motion="reduce")
    page = visitor.open(f"/{name.removesuffix('start')}")
    at_rest(page)
    page.wait_for_function("() => !document.querySelector('.es-chart:not(.js-plotly-plot)')")
    before, grey = look(page, view), look(page, view)
    while (np.abs(before - grey) > OTHERWISE).any():  # something is drawn yet
        before, grey = grey, look(page, view)
    visitor.context.close()
    return grey


def kept(view: str) -> Grey:
    """As it was when it was last approved."""
    return np.asarray(Image.open(FOLDER / f"{view}.png"), dtype=np.float64) / 255


def as_it_was(view: str, grey: Grey) -> None:
    """Compare it with the picture that is kept, or keep it where pictures are taken."""
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
    sys.exit(subprocess.call([sys.executable, "-m", "pytest", "-q", *files], cwd=ROOT, env=environment))


if __name__ == "__main__":
    main()
