"""Connections below Streamlit, whose settings leave three things open: one that says nothing stays, a message
is buffered up to the size of what the server itself sends, and uvicorn believes X-Forwarded-For.
"""

import asyncio
import traceback
from typing import Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from ldp_core.system import open_files

SILENT_SECONDS = 15.0
"""How long a new connection may take for the head of its first request."""
MOST_HEARD = 3_000_000
"""Bytes of a websocket's message that are buffered: more than `messages` passes, far less than is sent."""


class Listening(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """uvicorn's protocol, whose silent connections end, and which leaves descriptors for databases."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        if len(self.connections) > open_files.descriptors() // 2:
            transport.close()
        self.loop.call_later(SILENT_SECONDS, self._close_if_silent)

    def _close_if_silent(self) -> None:
        if self.scope is None and not self.transport.is_closing():
            self.transport.close()


def listen() -> None:
    """Set the server that is importing the application up; only while `app.py` is imported is it in reach."""
    open_files.raise_limit()
    for frame, _ in traceback.walk_stack(None):
        config: Any = frame.f_locals.get("self")
        if isinstance(config, uvicorn.Config):
            config.http_protocol_class, config.ws_max_size = Listening, MOST_HEARD
            config.proxy_headers = False  # `address` alone decides on them
