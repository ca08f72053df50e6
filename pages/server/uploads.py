"""Limits on uploads, by session and in total, checked before the body is read."""

from __future__ import annotations

import asyncio
from collections import Counter

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ldp_core.settings.table import UPLOADS_EACH_MB, UPLOADS_MB
from pages.server.address import of_request
from pages.server.host_check import is_own
from pages.server.private_streamlit import uploaded, vouched

PATH = "/_stcore/upload_file/"
READING = ("GET", "HEAD", "OPTIONS")
SHARE = 0.5
"""Largest share of all stored uploads from one address."""
MOST_SECONDS = 60.0
"""Time limit of an upload, which takes up room meanwhile."""


class Uploads:
    """Middleware that accepts bodies for uploads only, within the limits."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.each, self.all = (1e6 * size.value() for size in (UPLOADS_EACH_MB, UPLOADS_MB))
        self.coming: Counter[str] = Counter()
        """Bytes of uploads in progress by session."""
        self.addresses: dict[str, str] = {}
        """Address of each session that has uploaded something."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in READING:
            await self.app(scope, receive, send)
            return
        _, path, rest = scope["path"].partition(PATH)
        if not path or scope["method"] not in ("PUT", "DELETE"):
            await PlainTextResponse("Nothing here takes that.\n", 405)(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if is_own(headers.get("origin", ""), headers.get("host", "")):
            scope = {**scope, "headers": vouched(headers)}
        if scope["method"] == "DELETE":
            await self.app(scope, receive, send)
        else:
            await self._upload(rest.partition("/")[0], scope, receive, send)

    async def _upload(self, session: str, scope: Scope, receive: Receive, send: Send) -> None:
        text = Headers(scope=scope).get("content-length", "")
        if not (text.isascii() and text.isdecimal()):
            words = "An upload says first how long it is.\n"
            await PlainTextResponse(words, 411, {"Connection": "close"})(scope, receive, send)
            return
        size, address = int(text), of_request(scope)
        if why := self._no_room(session, address, size):
            await PlainTextResponse(why, 413, {"Connection": "close"})(scope, receive, send)
            return
        begun = False

        async def send_on(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        self.coming[session] += size
        self.addresses[session] = address
        try:
            async with asyncio.timeout(MOST_SECONDS):
                await self.app(scope, receive, send_on)
        except TimeoutError:
            if not begun:
                words = "The upload took too long.\n"
                await PlainTextResponse(words, 408, {"Connection": "close"})(scope, receive, send)
        finally:
            self.coming[session] -= size
            if not self.coming[session]:
                del self.coming[session]

    def _no_room(self, session: str, address: str, size: int) -> str:
        """Why an upload is refused; "" if it fits."""
        own, every = uploaded(session)
        if own + self.coming[session] + size > self.each:
            most = self.each / 1e6
            return f"This page keeps {most:g} MB of uploads at most; remove one, or reload the page.\n"
        kept = {one: uploaded(one)[0] + self.coming[one] for one in self.addresses}
        self.addresses = {one: where for one, where in self.addresses.items() if kept[one]}
        near = sum(kept[one] for one, where in self.addresses.items() if where == address)
        if near + size > SHARE * self.all:
            most = SHARE * self.all / 1e6
            return f"From your network {most:g} MB of uploads are kept at most; close a page.\n"
        if every + self.coming.total() + size > self.all:
            most = self.all / 1e6
            return f"This server keeps {most:g} MB of uploads at most; try again in some minutes.\n"
        return ""
