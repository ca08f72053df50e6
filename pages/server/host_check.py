"""Host names that the server answers to, and security headers.

Streamlit checks the host name for websockets; here the same list applies to every request, so that a page of
another site whose name resolves here (DNS rebinding) reads nothing.
"""

import logging
import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime.secrets import secrets_singleton

from ldp_core.classroom.sessions import is_code, spelled
from ldp_core.errors import on_one_line, shown
from ldp_core.settings import FRAME_ANCESTORS
from ldp_core.system.rate_limit import RateLimit

OWN_NAMES = ("localhost", "127.0.0.1", "::1")
"""Names of this machine, which are always allowed, since other sites cannot have them."""

HIDDEN = ("/_stcore/metrics", "/auth/login", "/auth/logout", "/oauth2callback")
"""Paths of Streamlit for operators, and of sign-in if it is not configured."""
PAGES = ("ask", "learn", "clients", "noise", "train", "attack", "tune", "papers", "compare", "runs", "class")
NAME = re.compile(r"[\w.:-]{1,253}")
LINES = RateLimit(3, 600.0)
"""Rate limit of log lines."""
log = logging.getLogger(__name__)


def headers() -> Mapping[str, str]:
    """Headers of every response: nothing is fetched from other hosts, and only named sites may embed."""
    ancestors = FRAME_ANCESTORS.value().split()
    frames = " ".join(["'self'", *ancestors])
    found = {
        "Content-Security-Policy": "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; "
        f"object-src 'none'; base-uri 'self'; frame-ancestors {frames}",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
    }
    return found if ancestors else found | {"X-Frame-Options": "SAMEORIGIN"}


class Door:
    """Middleware: 403 for unknown host names and for other pages' websockets; headers on every response."""

    def __init__(self, app: ASGIApp) -> None:
        self.app, self.headers = app, headers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
        elif why := _why_not(scope):
            await PlainTextResponse(why, status_code=403)(scope, receive, send)
        elif page := _meant(scope):
            await RedirectResponse(page)(scope, receive, send)
        else:
            await self._marked(scope, receive, send)

    async def _marked(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, lost = scope["path"], False
        missing = PlainTextResponse("Not Found\n", 404, dict(self.headers))
        # whether an identity provider is configured (.streamlit/secrets.toml)
        signs_in = secrets_singleton.load_if_toml_exists() and "auth" in secrets_singleton
        if path.endswith(HIDDEN[:1] if signs_in else HIDDEN):
            await missing(scope, receive, send)
            return

        async def marked(message: Message) -> None:
            nonlocal lost
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                found = MutableHeaders(scope=message)
                found.update(self.headers)
                # Streamlit has a page for every path, no page has a dot in its name, a report is attached
                is_page = message["status"] == 200 and found.get("content-type", "").startswith("text/html")
                lost = is_page and is_file(path) and "content-disposition" not in found
                if lost:
                    await missing(scope, receive, send)
                elif path.endswith("/") and found.get("location", "").startswith("/"):
                    found["location"] = beside(path, found["location"])
            if not lost:
                await send(message)

        await self.app(scope, receive, marked)


def _why_not(scope: Scope) -> str:
    """Why a request is refused; "" if it is not."""
    given = Headers(scope=scope)
    host, origin = given.get("host", ""), given.get("origin", "")
    if not welcome(host, st.get_option("server.allowedHosts")):
        return refusal(host)
    if scope["type"] != "websocket" or is_own(origin, host):
        return ""
    if origin and LINES.take():
        log.warning(
            "A page of %s asked for %s and was refused; if it is this server's own, its proxy is to "
            "pass the Host header on, or add to the start: --server.corsAllowedOrigins %s",
            *(on_one_line(one[:200]) for one in (origin, host, origin)),
        )
    return "Only a page of this server opens a connection here.\n"


def _meant(scope: Scope) -> str:
    """The address, relative, of a class whose code was typed, or of a page with capitals; "" otherwise."""
    name, query = scope["path"].rpartition("/")[2], scope.get("query_string", b"").decode("latin-1")
    if scope["type"] == "http" and is_code(name):
        return f"class?code={spelled(name)}"
    if scope["type"] != "http" or name == name.lower() or name.lower() not in PAGES:
        return ""
    return name.lower() + (f"?{query}" if query else "")


def is_file(path: str) -> bool:
    """Whether a path is a file's, not a page's."""
    return "." in path.rpartition("/")[2] or "/_stcore/" in path


def beside(path: str, location: str) -> str:
    """Relative redirect for a path with trailing slashes, as a proxy may have removed a prefix."""
    slashes = len(path) - len(path.rstrip("/"))
    page, mark, query = location.partition("?")
    return "../" * slashes + page.rpartition("/")[2] + mark + query


def is_own(origin: str, host: str) -> bool:
    """Whether a page from `origin` belongs to the server requested as `host`: it has the same name, and the
    same port (a proxy may drop it), as other programs on this machine have its names and other ports.
    """
    if origin in st.get_option("server.corsAllowedOrigins"):
        return True
    try:
        page, asked = urlsplit(origin), urlsplit(f"//{host}")
        if asked.port is None:
            fits = page.port is None or asked.hostname not in OWN_NAMES
        else:
            fits = asked.port == (page.port or {"http": 80, "https": 443}.get(page.scheme))
        return fits and bool(page.hostname) and page.hostname == asked.hostname
    except ValueError:
        return False


def welcome(host: str, allowed: Sequence[str]) -> bool:
    """Whether a Host header names this server: `*.example.org` accepts every name below it, `*` any name, and
    so does an empty list.
    """
    try:
        name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return False
    if not name or not allowed or name in OWN_NAMES:
        return bool(name)
    patterns = [pattern.strip().lower().rstrip(".") for pattern in allowed]
    return any(one in ("*", name) or (one.startswith("*.") and name.endswith(one[1:])) for one in patterns)


def refusal(host: str) -> str:
    """Page for a host name that is not configured."""
    try:
        name = urlsplit(f"//{host}").hostname or host
    except ValueError:
        name = host
    if not NAME.fullmatch(name):
        return f"A request says of which host it asks, by its name or address; this one said {shown(name)}.\n"
    return (
        f"This server was not told that it is called {shown(name)}; "
        f"add to its start: --server.allowedHosts {on_one_line(name)}\n"
    )
