"""What a browser hears first when its connection is back: a whole run, never what is left of the last.

A connection that drops stops the run of the page that it was drawing. Streamlit keeps the end of that
run for the browser's return, but what was on its way is lost, and an end without its beginning clears
the page or breaks it. So messages of runs are held back here until the next run begins. The browser
asks for one by itself where it knows that something is missing; where it does not (its click arrived,
the answer was lost), the run is asked for here.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pages.server.private_streamlit import run_again, session_named

SESSION = 2
"""A browser that comes back names its session as the third of the protocols that it offers."""

PATIENCE_SECONDS = 0.5
"""Within this time a browser that knows that it misses something has asked for it."""

OF_A_RUN = ("new_session", "delta", "ref_hash", "script_finished", "session_status_changed", "auto_rerun")


class Reconnect:
    """Middleware for the connections of browsers that come back; all others pass untouched."""

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
    """Closed until a run that was asked for on this connection begins.

    Attributes:
        closed: whether there may still be something to hold back.
        asked: whether a run was asked for.
    """

    def __init__(self) -> None:
        self.closed = True
        self.asked = False

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
    """Run the page of this session, unless its browser asks for that first or has gone again."""
    await asyncio.sleep(PATIENCE_SECONDS)
    session = session_named(session_id)
    if session is not None and not threshold.asked:
        threshold.asked = True
        run_again(session)
