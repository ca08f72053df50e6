"""How many pages there is room for: what the operator says, and what the system gives a process."""

import pytest
from starlette.responses import PlainTextResponse

from ldp_core.system import open_files
from ldp_core.system.open_files import KEPT
from pages.server import crowd
from pages.server.crowd import Crowd
from tests.pages.server.asgi import ask

NOTHING = PlainTextResponse()
"""The application behind it."""


def test_pages_end_where_descriptors_do(monkeypatch: pytest.MonkeyPatch):
    """One that was lost a moment ago holds three of the five of an open one, and may be back."""
    monkeypatch.setattr(open_files, "descriptors", lambda: KEPT + 5 * 20 + 4)
    small = Crowd(NOTHING)
    monkeypatch.setattr(crowd, "sessions", lambda: 19)
    assert small.full("192.0.2.1") == ""
    monkeypatch.setattr(crowd, "sessions", lambda: 20)
    assert small.full("192.0.2.1").startswith("20 pages were open on this server a moment ago")
    monkeypatch.setattr(open_files, "descriptors", lambda: 8192)
    assert Crowd(NOTHING).full("192.0.2.1") == ""


def test_a_full_house_refuses_pages_and_no_file_of_an_open_one_below_any_prefix(
    monkeypatch: pytest.MonkeyPatch,
):
    full = Crowd(NOTHING)
    monkeypatch.setattr(full, "full", lambda address: "It is full.")
    for prefix in ("", "/studio", "/media/a"):
        for file in ("/_stcore/health", "/assets/web/plot.js", "/static/js/x.js", "/media/x.png"):
            assert ask(full, prefix + file)[0] == 200
        for page in ("/", "/train"):
            assert ask(full, prefix + page)[0] == 429
