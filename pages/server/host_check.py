"""The server's door: the names it answers to, and what a browser may do with what it is given.

Streamlit checks the name of the host when a page opens its connection; here the same list holds for
every request, so that a page of somebody else's, whose name was made to lead here (DNS rebinding),
reads nothing at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ldp_core.errors import shown

OWN_NAMES = ("localhost", "127.0.0.1", "::1")
"""Whoever is on this machine may always come in: no name of somebody else's reads like these."""

HEADERS = {
    # pages fetch nothing from other hosts, whatever somebody has typed, and are framed by nobody
    "Content-Security-Policy": "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; "
    "object-src 'none'; base-uri 'self'; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "same-origin",
}


class Door:
    """Middleware: 403 for a host that this server was not told of; headers on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        host = Headers(scope=scope).get("host", "")
        if not welcome(host, st.get_option("server.allowedHosts")):
            await PlainTextResponse(refusal(host), status_code=403)(scope, receive, send)
            return

        async def marked(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self.app(scope, receive, marked)


def welcome(host: str, allowed: Sequence[str]) -> bool:
    """True for a Host header that names this server; an empty list takes every name.

    `*.example.org` stands for every name below it, `*` for every name there is.
    """
    try:
        name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return False
    patterns = [pattern.strip().lower().rstrip(".") for pattern in allowed]
    return bool(name) and (
        not patterns
        or name in OWN_NAMES
        or any(
            pattern in ("*", name) or (pattern.startswith("*.") and name.endswith(pattern[1:]))
            for pattern in patterns
        )
    )


def refusal(host: str) -> str:
    """What somebody reads who comes by a name that the server was not told."""
    return (
        f"This server was not told that it is called {shown(host)}; "
        "start it with --server.allowedHosts and that name.\n"
    )
