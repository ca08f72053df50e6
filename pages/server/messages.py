"""Filter and rate limit of messages that browsers send to Streamlit.

Streamlit accepts messages for developers or embedding hosts: one clears all caches, one writes a file on the
server. Only the messages listed here pass.
"""

import asyncio
import re
import time
from contextlib import suppress

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnected
from streamlit.proto.BackMsg_pb2 import BackMsg

from pages.server.private_streamlit import is_download

MOST_FILES = 20
"""Largest number of upload addresses that one message may request; pages request one."""
MOST_BYTES = 2_000_000
"""Largest size of a message; the values of all fields of a page are far smaller."""
MOST_QUERY = 4_000
"""Largest number of characters of an address's query."""
MOST_NAME = 100
NAME = re.compile(r"[0-9a-f]{0,64}")
"""Valid identifiers of pages and fragments."""
BURST, A_SECOND = 60, 30.0
"""Number of messages at once, and rate per second; dragging a slider sends about 25 per second."""


class Messages:
    """Middleware that passes messages visitors need, at a human rate."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        left, at = float(BURST), time.monotonic()

        async def heard() -> Message:
            nonlocal left, at
            while True:
                message = await receive()
                if message["type"] != "websocket.receive":
                    return message
                now = time.monotonic()
                left, at = min(BURST, left + (now - at) * A_SECOND) - 1, now
                if left < 0:  # while it waits here the network makes the sender wait
                    await asyncio.sleep(-left / A_SECOND)
                if is_needed(message.get("bytes") or b""):
                    return message

        # a browser that leaves while it is sent something is none that Streamlit has listened to
        with suppress(WebSocketDisconnected):
            await self.app(scope, heard, send)


def is_needed(payload: bytes) -> bool:
    """Whether a message is valid and listed."""
    if not payload or len(payload) > MOST_BYTES:
        return False
    try:
        message = BackMsg.FromString(payload)
    except DecodeError:
        return False
    kind = message.WhichOneof("type")
    if kind == "rerun_script":
        asked = message.rerun_script
        names = asked.fragment_id, asked.page_script_hash
        return len(asked.query_string) <= MOST_QUERY and all(map(NAME.fullmatch, names))
    if kind == "file_urls_request":
        return len(message.file_urls_request.file_names) <= MOST_FILES
    if kind == "backend_operation_request":  # others than this one install things on the server
        wanted = message.backend_operation_request
        return len(wanted.request_id) <= MOST_NAME and is_download(wanted.deferred_file.file_id)
    return kind == "stop_script"
