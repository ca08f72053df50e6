"""Files go out compressed, once computed, to clients that accept gzip; others go out as they are."""

import gzip
from pathlib import Path

import pytest
from starlette.staticfiles import StaticFiles

from pages.server import compressed
from pages.server.compressed import Compressed
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
