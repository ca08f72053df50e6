"""Limits on uploads, by session and in total, checked before the body is read."""

import asyncio
from collections import Counter

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.address import of_request
from pages.server.host_check import is_own
from pages.server.private_streamlit import uploaded, vouched

PATH = "/_stcore/upload_file/"
READING = ("GET", "HEAD", "OPTIONS")
OF_EACH, OF_NEAR, OF_ALL = 20e6, 50e6, 100e6
"""Bytes of uploads that are kept: of a page, of an address, of all."""
MOST_SECONDS = 60.0
"""Time limit of an upload, which takes up room meanwhile."""
TO_A_PAGE = "This page keeps %g MB of uploads at most; remove one, or reload the page.\n"
TO_AN_ADDRESS = "From your network %g MB of uploads are kept at most; close a page.\n"
TO_ALL = "This server keeps %g MB of uploads at most; try again in some minutes.\n"


class UploadGate:
    """Middleware that accepts bodies for uploads only, within the limits."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
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
            return
        session, address = rest.partition("/")[0], of_request(scope)
        length = headers.get("content-length", "")
        # in chunks a body may be longer than its length says
        known = length.isascii() and length.isdecimal() and "transfer-encoding" not in headers
        if not known or (why := self._no_room(session, address, int(length))):
            refused = _refused(why, 413) if known else _refused("An upload says first how long it is.\n", 411)
            await refused(scope, receive, send)
            return
        begun = False

        async def send_on(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        self.coming[session] += int(length)
        self.addresses[session] = address
        try:
            async with asyncio.timeout(MOST_SECONDS):
                await self.app(scope, receive, send_on)
        except TimeoutError:
            if not begun:
                await _refused("The upload took too long.\n", 408)(scope, receive, send)
        finally:
            self.coming[session] -= int(length)
            self.coming += Counter()  # forgets those that are nought

    def _no_room(self, session: str, address: str, size: int) -> str:
        """Why an upload is refused; "" if it fits."""
        own, every = uploaded(session)
        kept = {one: uploaded(one)[0] + self.coming[one] for one in self.addresses}
        self.addresses = {one: where for one, where in self.addresses.items() if kept[one]}
        near = sum(kept[one] for one, where in self.addresses.items() if where == address)
        for taken, limit, words in (
            (own + self.coming[session], OF_EACH, TO_A_PAGE),
            (near, OF_NEAR, TO_AN_ADDRESS),
            (every + self.coming.total(), OF_ALL, TO_ALL),
        ):
            if taken + size > limit:
                return words % (limit / 1e6)
        return ""


def _refused(why: str, status: int) -> PlainTextResponse:
    return PlainTextResponse(why, status, {"Connection": "close"})
