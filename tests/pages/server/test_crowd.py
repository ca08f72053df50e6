"""Guard on open pages, by address, in all, and by descriptors."""

import webbrowser
from typing import Any

import pytest
import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse

from ldp_core import settings
from ldp_core.errors import InvalidInput
from ldp_core.system import open_files
from pages.server import crowd, opening, uploads
from pages.server.address import UNKNOWN, known, of_request
from pages.server.crowd import Crowd
from pages.server.uploads import PATH, UploadGate
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


def test_refused_uploads_leave_no_trace(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(uploads, "uploaded", lambda session: (0, 0))

    door = UploadGate(PlainTextResponse(status_code=204))
    sizes = {"9" * 12: 413, "none": 411, "1000": 204}
    for n in range(50):
        for size, status in sizes.items():
            assert ask(door, f"{PATH}{size}{n}/f", "PUT", content_length=size)[0] == status
    chunked = {"content_length": "1", "transfer_encoding": "chunked"}
    assert ask(door, f"{PATH}s/f", "PUT", **chunked)[0] == 411
    assert ask(door, "/anything", "PUT", content_length="1")[0] == 405
    assert len(door.addresses) <= 1
    assert not door.coming


@pytest.mark.parametrize(
    ("origin", "cookie", "signed"),
    [
        ("http://localhost:8501", "a=b", True),
        ("http://localhost:8501", "_streamlit_xsrf=old", False),  # its own token counts, right or wrong
        ("http://localhost:9999", "a=b", False),
        ("https://school.example", "a=b", False),
        ("null", "a=b", False),
        ("", "a=b", False),
    ],
)
def test_a_page_of_this_server_needs_no_cookie(origin: str, cookie: str, signed: bool):
    """A browser keeps none where the page is embedded in another site; a forged page has another origin."""
    seen: list[Headers] = []

    async def taken(scope: Any, receive: Any, send: Any) -> None:
        seen.append(Headers(scope=scope))
        await PlainTextResponse()(scope, receive, send)

    given = {"host": "localhost:8501", "origin": origin, "cookie": cookie, "x_xsrftoken": "forged"}
    ask(UploadGate(taken), f"{PATH}s/f", "DELETE", **given)
    token, cookies = seen[0].getlist("x-xsrftoken"), seen[0].getlist("cookie")
    assert (token != ["forged"]) is signed
    assert cookies == ([f"a=b; _streamlit_xsrf={token[0]}"] if signed else [cookie])


ADDRESS_HEADER = settings.ADDRESS_HEADER.name
FORGED = [(b"x-forwarded-for", b"192.0.2.66")]


def scope(headers: list[tuple[bytes, bytes]]) -> dict[str, object]:
    return {"type": "http", "client": ("192.0.2.7", 50000), "headers": headers}


def test_forged_address_header_is_ignored_without_proxy(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(ADDRESS_HEADER, raising=False)
    assert of_request(scope(FORGED)) == "192.0.2.7"


def test_behind_one_its_own_word_counts_and_not_the_visitors(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(ADDRESS_HEADER, "X-Forwarded-For")
    result = [(b"x-forwarded-for", b"192.0.2.66, 198.51.100.4")]
    assert of_request(scope(result)) == "198.51.100.4"
    assert of_request(scope([*FORGED, *result])) == "198.51.100.4"
    assert of_request(scope([])) == "192.0.2.7"
    assert of_request(scope([(b"x-forwarded-for", b"<script>")])) == UNKNOWN
    assert of_request(scope([(b"x-forwarded-for", b"198.51.100.4:50123")])) == "198.51.100.4", "as Azure's"
    assert of_request(scope([(b"x-forwarded-for", b"[2001:db8:1:2::3]:443")])) == "2001:db8:1:2::/64"


@pytest.mark.parametrize("given", ["X Forwarded", "X:1", "x" * 61, "é"])
def test_invalid_address_header_is_refused(monkeypatch: pytest.MonkeyPatch, given: str):
    monkeypatch.setenv(ADDRESS_HEADER, given)
    with pytest.raises(
        InvalidInput, match=f"^{ADDRESS_HEADER} must be a header's name, like X-Forwarded-For; got "
    ):
        settings.ADDRESS_HEADER.value()


def test_a_home_with_many_addresses_is_one():
    assert known("2001:db8:1:2:3:4:5:6", []) == known("2001:db8:1:2:ffff::1", []) == "2001:db8:1:2::/64"
    assert known("2001:db8:1:3::1", []) != known("2001:db8:1:2::1", [])
    assert known("::ffff:192.0.2.1", []) == known("192.0.2.1", []) == "192.0.2.1"
    assert known("", []) == UNKNOWN


OPTIONS = {"server.address": "127.0.0.1", "browser.serverAddress": "localhost", "server.port": 8501}


@pytest.mark.parametrize(
    ("options", "address"),
    [
        ({}, "http://127.0.0.1:8501/"),
        ({"server.address": "0.0.0.0", "server.baseUrlPath": "/studio/"}, "http://localhost:8501/studio/"),
        ({"browser.serverAddress": "a.example", "server.sslCertFile": "x"}, "https://a.example:8501/"),
    ],
)
def test_browser_opens_the_servers_address(
    options: dict[str, object], address: str, monkeypatch: pytest.MonkeyPatch
):
    opened: list[str] = []
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": "", **OPTIONS, **options}.get)
    monkeypatch.setattr(webbrowser, "open", opened.append)
    thread = opening.open_browser()
    assert thread is not None
    thread.join()
    assert opened == [address]
    monkeypatch.setattr(st, "get_option", {"server.headless": True, "server.baseUrlPath": "", **OPTIONS}.get)
    assert opening.open_browser() is None
