"""The page that the server opens in a browser."""

import webbrowser
from threading import Thread

import streamlit as st

EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104


def open_browser() -> Thread | None:
    """Open a browser on this machine, in a thread, unless `server.headless` is set."""
    if st.get_option("server.headless"):
        return None
    opened = Thread(target=webbrowser.open, args=[_address()], daemon=True)
    opened.start()
    return opened


def _address() -> str:
    own = str(st.get_option("server.address") or "")
    named = str(st.get_option("browser.serverAddress"))
    host = named if own in EVERYWHERE or named != "localhost" else own
    scheme = "https" if st.get_option("server.sslCertFile") else "http"
    below = str(st.get_option("server.baseUrlPath")).strip("/")
    return "/".join(filter(None, [f"{scheme}://{host}:{st.get_option('server.port')}", below])) + "/"
