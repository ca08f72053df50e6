"""Limits on connections below Streamlit: their number, and their idle time.

Uvicorn waits forever for a connection's first request and accepts any number; but a process has a limited
number of descriptors, and without one cannot open a database.
"""

import asyncio
import logging
from contextlib import suppress
from functools import lru_cache
from typing import Any

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from ldp_core.settings.table import ADDRESS_HEADER, CONNECTIONS, CONNECTIONS_EACH, SILENT_SECONDS
from ldp_core.system import open_files
from ldp_core.system.rate_limit import RateLimit
from pages.server.address import known
from pages.server.private_streamlit import sessions

WORDS = b"This server has as many connections as it may have; try again in half a minute.\n"
FULL = (
    b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/plain; charset=utf-8\r\nRetry-After: 30\r\n"
    b"Content-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(WORDS), WORDS)
)
MOST_HEARD = 3_000_000
"""Bytes of a websocket's message that are buffered: more than `messages` passes, far less than is sent."""
LINES = RateLimit(3, 600.0)
"""Rate limit of log lines."""
log = logging.getLogger(__name__)


def listen_within_limits() -> None:
    """Refuse connections beyond the limit, close idle ones; `address` alone decides on X-Forwarded-For."""
    middleware: Any = ProxyHeadersMiddleware
    middleware.__call__ = lambda self, scope, receive, send: self.app(scope, receive, send)
    room = _descriptors() - open_files.KEPT
    every, of_one, silent = CONNECTIONS.value(), CONNECTIONS_EACH.value(), SILENT_SECONDS.value()
    protocol: Any = AutoHTTPProtocol
    made = protocol.connection_made

    def connection_made(self: Any, transport: asyncio.Transport) -> None:
        self.config.ws_max_size = MOST_HEARD  # Streamlit has one limit for both directions
        made(self, transport)
        most = max(1, min(every, room - open_files.PER_LOOP * sessions()))
        address = _address(transport)
        # behind a proxy all connections are the proxy's, which counts its visitors itself
        each = of_one if not ADDRESS_HEADER.value() else most
        own = sum(_address(one.transport) == address for one in self.connections) if each < most else 0
        if len(self.connections) > most or own > each:
            if LINES.take():
                which = "EPSILON_CONNECTIONS_EACH" if own > each else "EPSILON_CONNECTIONS"
                log.warning("%d connections are open (%s); no more are taken", min(most, each), which)
            transport.write(FULL)
            transport.close()
        else:
            self.loop.call_later(silent, _close_if_silent, self, transport)

    protocol.connection_made = connection_made


def _address(transport: asyncio.BaseTransport | None) -> str:
    peer = transport.get_extra_info("peername") if transport else None
    return _network(str(peer[0]) if peer else "", ())


_network = lru_cache(4096)(known)


def _close_if_silent(protocol: Any, transport: asyncio.Transport) -> None:
    if protocol.scope is None and not transport.is_closing():
        transport.close()


def _descriptors() -> int:
    """File descriptors that this process may open, after raising its limit."""
    most = open_files.descriptors()
    with suppress(ImportError):  # Windows
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft == resource.RLIM_INFINITY or soft >= most:
            return max(soft, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most
