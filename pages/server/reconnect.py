"""Reconnection of browsers: a whole script run, never the rest of an interrupted one.

A dropped connection stops the page's script run. Streamlit keeps the rest of that run for the browser's
return, but messages in transit are lost, and an end without its beginning clears or breaks the page. So
messages of runs are held back until the next run begins. The browser requests one if it knows that something
is missing; otherwise it is requested here.
"""

import asyncio
from contextlib import suppress

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pages.server.private_streamlit import run_again, session_named

SESSION = 2
"""Position of the session id among the websocket protocols that a reconnecting browser offers."""

PATIENCE_SECONDS = 0.5
"""Time within which a browser that misses messages requests a run by itself."""

OF_A_RUN = ("new_session", "delta", "ref_hash", "script_finished", "session_status_changed", "auto_rerun")


class Reconnect:
    """Middleware for connections of reconnecting browsers; others pass unchanged."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        names = scope.get("subprotocols", [])
        if scope["type"] != "websocket" or len(names) <= SESSION:
            await self.app(scope, receive, send)
            return
        threshold = Threshold()
        asking = asyncio.create_task(ask_for_a_run(names[SESSION], threshold))

        async def heard() -> Message:
            message = await receive()
            if threshold.closed and message["type"] == "websocket.receive":
                threshold.hear(message.get("bytes") or b"")
            return message

        async def send_some(message: Message) -> None:
            if message["type"] != "websocket.send" or threshold.lets_pass(message.get("bytes") or b""):
                await send(message)

        try:
            await self.app(scope, heard, send_some)
        finally:
            asking.cancel()


class Threshold:
    """Holds messages back until a run requested on this connection begins."""

    closed = True
    """Whether messages may still have to be held back."""
    asked = False
    """Whether a run was requested."""

    def hear(self, payload: bytes) -> None:
        with suppress(DecodeError):  # what is no message at all is the server's to refuse
            self.asked |= BackMsg.FromString(payload).WhichOneof("type") == "rerun_script"

    def lets_pass(self, payload: bytes) -> bool:
        """Whether a message is passed on to the browser."""
        if not self.closed:
            return True
        kind = ForwardMsg.FromString(payload).WhichOneof("type")
        self.closed = not (self.asked and kind == "new_session")
        return not self.closed or kind not in OF_A_RUN


async def ask_for_a_run(session_id: str, threshold: Threshold) -> None:
    """Rerun the session's page, unless its browser requests that first or is gone."""
    await asyncio.sleep(PATIENCE_SECONDS)
    session = session_named(session_id)
    if session is not None and not threshold.asked:
        threshold.asked = True
        run_again(session)
