"""Guard on open pages, by address, in all, and by descriptors."""

import pytest
from starlette.responses import PlainTextResponse

from ldp_core.system import open_files
from pages.server import crowd
from pages.server.crowd import Crowd
from tests.pages.server.asgi import ask

NOTHING = PlainTextResponse()
"""The application behind it."""


def test_pages_are_limited_by_file_descriptors(monkeypatch: pytest.MonkeyPatch):
    """Pages that were left a moment ago hold some too."""
    monkeypatch.setattr(open_files, "descriptors", lambda: open_files.KEPT + open_files.PER_PAGE * 20 + 4)
    small = Crowd(NOTHING)
    assert (small.most, small.each) == (20, 10)
    monkeypatch.setattr(crowd, "sessions", lambda: 19)
    assert small.full("192.0.2.1") == ""
    monkeypatch.setattr(crowd, "sessions", lambda: 20)
    assert "20 pages" in small.full("192.0.2.1")


def test_full_server_refuses_pages_and_serves_files(monkeypatch: pytest.MonkeyPatch):
    full = Crowd(NOTHING)
    monkeypatch.setattr(full, "full", lambda address: "It is full.")
    for prefix in ("", "/studio", "/media/a"):
        for file in ("/_stcore/health", "/assets/web/plot.js", "/static/js/x.js", "/media/x.png"):
            assert ask(full, prefix + file)[0] == 200
        for page in ("/", "/train"):
            assert ask(full, prefix + page)[0] == 429
