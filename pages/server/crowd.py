"""Limit on open pages, and closing of idle ones.

A visitor beyond the limit gets a page that says so (429), and may retry.
"""

import asyncio
from collections import Counter

from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ldp_core.settings.table import IDLE_MINUTES, PAGES, PAGES_EACH, SILENT_SECONDS
from ldp_core.system import open_files
from ldp_core.system.rate_limit import RateLimit
from pages.server.address import of_request
from pages.server.host_check import is_file
from pages.server.private_streamlit import is_session, sessions

RETRY_SECONDS = 30
NEW_SECONDS = 0.5
"""Least interval between two new pages of an address that has used up its burst."""
AWAY = 1001
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Epsilon Studio is full</title>
<meta name="viewport" content="width=device-width"><body style="font: 1.1rem sans-serif; margin: 4rem auto;
max-width: 34rem; padding: 0 1rem"><h1>Epsilon Studio is full</h1><p>{why}</p><p>Close pages that you do not
need, and <a href="">try again</a> in half a minute. What is training goes on.</p></body></html>"""


class Crowd:
    """Middleware that counts open pages, refuses more, and closes silent ones."""

    def __init__(self, app: ASGIApp) -> None:
        self.app, self.most, self.each = app, PAGES.value(), PAGES_EACH.value()
        self.silent, self.idle = SILENT_SECONDS.value(), 60 * IDLE_MINUTES.value()
        self.open: Counter[str] = Counter()
        """Number of open pages by address."""
        self.room = max(1, (open_files.descriptors() - open_files.KEPT) // open_files.PER_PAGE)
        """Number of pages, open or reconnecting, for which this process has descriptors."""
        self.new = RateLimit(self.each, NEW_SECONDS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._page(scope, receive, send)
            return
        # a request that opens a page, and not one of a page that is open
        opens = scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and not is_file(scope["path"])
        why = self.full(of_request(scope)) if opens else ""
        await (_refused(why) if why else self.app)(scope, receive, send)

    def full(self, address: str) -> str:
        """Why no more pages open for this address; "" if one does."""
        if self.open.total() >= self.most:
            return f"{self.most} pages are open on this server, as many as it serves at a time."
        if sessions() >= self.room:
            return f"{self.room} pages were open on this server a moment ago, as many as it has room for."
        if self.open[address] >= self.each:
            return f"From your network {self.each} pages are open, as many as one may have."
        if self.new.wait(address) > 0:
            return "From your network too many pages were opened one after the other."
        return ""

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        address, names = of_request(scope), scope.get("subprotocols", [])
        back = len(names) > 2 and is_session(names[2])
        if why := self.full(address):
            await _refused(why)(scope, receive, send)
            return
        if not back:
            self.new.take(address)
        self.open[address] += 1
        try:
            await self.app(scope, self._awake(receive, send, back), send)
        finally:
            self.open[address] -= 1
            self.open += Counter()  # forgets those that are nought

    def _awake(self, receive: Receive, send: Send, known: bool) -> Receive:
        """`receive` with a timeout, after which a silent visitor counts as gone."""
        patience = self.idle if known else self.silent

        async def heard() -> Message:
            nonlocal patience
            try:
                message = await asyncio.wait_for(receive(), patience)
            except TimeoutError:
                await send({"type": "websocket.close", "code": AWAY, "reason": "nothing was heard for long"})
                return {"type": "websocket.disconnect", "code": AWAY}
            if message["type"] == "websocket.receive":
                patience = self.idle
            return message

        return heard


def _refused(why: str) -> HTMLResponse:
    headers = {"Retry-After": str(RETRY_SECONDS), "Cache-Control": "no-store"}
    return HTMLResponse(PAGE.format(why=why), status_code=429, headers=headers)
