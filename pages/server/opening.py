"""The page that the server opens in a browser: Start, or the one of its command line."""

import webbrowser
from collections.abc import Sequence
from threading import Thread

import streamlit as st

from ldp_core import mechanisms, presets
from ldp_core.errors import UnknownName

EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104


def page_for(arguments: Sequence[str]) -> str:
    """Path of a scenario on Train, or of a mechanism on Noise; raises `UnknownName`. "" without arguments."""
    if not arguments:
        return ""
    name, known = arguments[0], [*presets.names(), *mechanisms.names()]
    if name not in known:
        raise UnknownName("a scenario or a mechanism", name, known)
    return f"train?scenario={name}" if name in presets.names() else f"noise?mechanism={name}"


def open_browser(page: str) -> Thread | None:
    """Open a browser on this machine, in a thread, unless `server.headless` is set."""
    address = _address(page)
    if page:
        print(f"  Opened: {address}\n")
    if st.get_option("server.headless"):
        return None
    opened = Thread(target=webbrowser.open, args=[address], daemon=True)
    opened.start()
    return opened


def _address(page: str) -> str:
    own = str(st.get_option("server.address") or "")
    named = str(st.get_option("browser.serverAddress"))
    host = named if own in EVERYWHERE or named != "localhost" else own
    scheme = "https" if st.get_option("server.sslCertFile") else "http"
    below = str(st.get_option("server.baseUrlPath")).strip("/")
    return "/".join(filter(None, [f"{scheme}://{host}:{st.get_option('server.port')}", below])) + f"/{page}"
