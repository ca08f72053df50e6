"""The icons' font that is sent in the place of Streamlit's."""

import re
from pathlib import Path

import pytest
import streamlit
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from ldp_core.system.shipped import ASSETS
from pages.server.compressed import ICONS, Compressed
from tests.pages.server.asgi import ask

STATIC = Path(streamlit.__file__).parent / "static" / "static"
NAMED = 78
"""Icons that Streamlit's scripts named when the font was made (by pyftsubset, without layout closure); one
of them, star_filled, is none."""


@pytest.fixture
def app() -> Starlette:
    """What is below /assets and /static, as the server has both."""
    routes = [Mount(f"{path}/assets", StaticFiles(directory=ASSETS)) for path in ("", "/{prefix:path}")]
    static = Mount("/static", StaticFiles(directory=STATIC))
    return Starlette(routes=[*routes, static], middleware=[Middleware(Compressed)])


def test_sent_font_stands_in_for_the_installed_one(app: Starlette):
    installed, sent = STATIC / "media" / ICONS, (ASSETS / "web" / ICONS).read_bytes()
    assert installed.exists(), "another Streamlit: make the font anew"
    assert len(sent) < installed.stat().st_size / 20
    for prefix in ("", "/studio"):
        assert ask(app, f"{prefix}/static/media/{ICONS}", accept_encoding="gzip")[2] == sent


def test_scripts_name_the_icons_that_the_font_was_made_of():
    scripts = [path.read_text(encoding="utf-8") for path in (STATIC / "js").glob("*.js")]
    assert len({name for text in scripts for name in re.findall(r":material/(\w+):", text)}) == NAMED
