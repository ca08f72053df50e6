"""Files go out compressed, once computed, to clients that accept gzip; others go out as they are."""

import gzip
import re
from pathlib import Path

import pytest
import streamlit
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from ldp_core.system.shipped import ASSETS
from pages.server import compressed
from pages.server.compressed import ICONS, Compressed
from tests.pages.server.asgi import ask

TEXT = b"const answer = 42;\n" * 500


@pytest.fixture
def app(tmp_path: Path) -> Compressed:
    (tmp_path / "page.js").write_bytes(TEXT)
    (tmp_path / "short.js").write_bytes(TEXT[:100])
    (tmp_path / "font.woff2").write_bytes(TEXT)
    return Compressed(StaticFiles(directory=tmp_path))


def test_a_file_is_compressed_once_and_the_same_to_all(app: Compressed, monkeypatch: pytest.MonkeyPatch):
    status, headers, body = ask(app, "/page.js", accept_encoding="gzip, br")
    assert (status, headers["content-encoding"], gzip.decompress(body)) == (200, "gzip", TEXT)
    assert int(headers["content-length"]) == len(body) < len(TEXT) / 10
    assert "Accept-Encoding" in headers["vary"]
    monkeypatch.setattr("gzip.compress", lambda *_: pytest.fail("compressed again"))
    assert ask(app, "/page.js", accept_encoding="gzip")[2] == body
    assert ask(app, "/page.js", accept_encoding="gzip", if_none_match=headers["etag"])[::2] == (304, b"")


@pytest.mark.parametrize(
    ("path", "method", "headers"),
    [
        ("/page.js", "GET", {}),
        ("/page.js", "GET", {"accept_encoding": "br"}),
        ("/page.js", "GET", {"accept_encoding": "gzip", "range": "bytes=0-9"}),
        ("/page.js", "HEAD", {"accept_encoding": "gzip"}),
        ("/short.js", "GET", {"accept_encoding": "gzip"}),
        ("/font.woff2", "GET", {"accept_encoding": "gzip"}),
    ],
)
def test_uncompressible_responses_are_sent_unchanged(
    app: Compressed, path: str, method: str, headers: dict[str, str]
):
    _, given, body = ask(app, path, method, **headers)
    assert "content-encoding" not in given
    assert body in (TEXT, TEXT[:100], TEXT[:10], b"")


def test_memory_is_bounded(app: Compressed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(compressed, "KEPT", 2)
    for i in range(5):
        (tmp_path / f"{i}.js").write_bytes(TEXT + bytes(i))
        assert gzip.decompress(ask(app, f"/{i}.js", accept_encoding="gzip")[2]) == TEXT + bytes(i)
    assert len(app.known) <= 2


STATIC = Path(streamlit.__file__).parent / "static" / "static"
NAMED = 78
"""Icons that Streamlit's scripts named when the font was made (by pyftsubset, without layout closure); one
of them, star_filled, is none."""


@pytest.fixture
def shipped() -> Starlette:
    """What is below /assets and /static, as the server has both."""
    routes = [Mount(f"{path}/assets", StaticFiles(directory=ASSETS)) for path in ("", "/{prefix:path}")]
    static = Mount("/static", StaticFiles(directory=STATIC))
    return Starlette(routes=[*routes, static], middleware=[Middleware(Compressed)])


def test_sent_font_stands_in_for_the_installed_one(shipped: Starlette):
    installed, sent = STATIC / "media" / ICONS, (ASSETS / "web" / ICONS).read_bytes()
    assert installed.exists(), "another Streamlit: make the font anew"
    assert len(sent) < installed.stat().st_size / 20
    for prefix in ("", "/studio"):
        assert ask(shipped, f"{prefix}/static/media/{ICONS}", accept_encoding="gzip")[2] == sent


def test_scripts_name_the_icons_that_the_font_was_made_of():
    scripts = [path.read_text(encoding="utf-8") for path in (STATIC / "js").glob("*.js")]
    assert len({name for text in scripts for name in re.findall(r":material/(\w+):", text)}) == NAMED
