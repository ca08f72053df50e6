"""The page that a browser is opened on."""

import webbrowser

import pytest
import streamlit as st

from ldp_core.errors import UnknownName
from pages.server import opening

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
    options: dict[str, object],
    address: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    opened: list[str] = []
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": "", **OPTIONS, **options}.get)
    monkeypatch.setattr(webbrowser, "open", opened.append)
    for page in ("", opening.page_for(["half_and_half"]), opening.page_for(["duchi"])):
        thread = opening.open_browser(page)
        assert thread is not None
        thread.join()
    assert opened == [address, f"{address}train?scenario=half_and_half", f"{address}noise?mechanism=duchi"]
    assert capsys.readouterr().out.split() == ["Opened:", opened[1], "Opened:", opened[2]]
    monkeypatch.setattr(st, "get_option", {"server.headless": True, "server.baseUrlPath": "", **OPTIONS}.get)
    assert opening.open_browser("") is None


def test_unknown_start_page_is_refused():
    assert opening.page_for([]) == ""
    with pytest.raises(UnknownName, match="a scenario or a mechanism must be"):
        opening.page_for(["halves"])
