"""Guard of a server without a proxy: so many open pages in all, and half as many from one address.

A visitor beyond that gets a page that says so (429), and may retry. Rates are nginx's to limit.
"""

from collections import Counter

from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ldp_core.system import open_files
from pages.server.address import of_request
from pages.server.host_check import is_file
from pages.server.private_streamlit import sessions

HEADERS = {"Retry-After": "30", "Cache-Control": "no-store"}
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Epsilon Studio is full</title>
<meta name="viewport" content="width=device-width"><body style="font: 1.1rem sans-serif; margin: 4rem auto;
max-width: 34rem; padding: 0 1rem"><h1>Epsilon Studio is full</h1><p>{why}</p><p>Close pages that you do not
need, and <a href="">try again</a> in half a minute. What is training goes on.</p></body></html>"""


class Crowd:
    """Middleware that counts open pages, and refuses more."""

    def __init__(self, app: ASGIApp) -> None:
        self.app, self.most = app, open_files.most_pages()
        self.each = max(1, self.most // 2)
        self.open: Counter[str] = Counter()
        """Number of open pages by address."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        page = scope["type"] == "websocket"
        # a request that opens a page, and not one of a page that is open
        opens = scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and not is_file(scope["path"])
        address = of_request(scope) if page or opens else ""
        if address and (why := self.full(address)):
            await HTMLResponse(PAGE.format(why=why), 429, HEADERS)(scope, receive, send)
        elif not page:
            await self.app(scope, receive, send)
        else:
            self.open[address] += 1
            try:
                await self.app(scope, receive, send)
            finally:
                self.open[address] -= 1
                self.open += Counter()  # forgets those that are nought

    def full(self, address: str) -> str:
        """Why no more pages open for this address; "" if one does."""
        # those that were left a moment ago have descriptors still
        if self.open.total() >= self.most or sessions() >= open_files.room():
            return f"{self.most} pages are open on this server, as many as it serves at a time."
        if self.open[address] >= self.each:
            return f"From your network {self.each} pages are open, as many as one may have."
        return ""
