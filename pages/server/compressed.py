"""Compression of Streamlit's static files, once per process: 3.6 MB for a first visit without; and a small
font in the place of its icons'.
"""

import asyncio
import gzip
from functools import partial

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ICONS = "MaterialSymbols-Rounded.nEdyypZU.woff2"
"""Streamlit's file of 4 000 icons; the one in assets/web has those that its scripts name: 9 kB for 375."""
KINDS = ("text/javascript", "application/javascript", "text/css", "text/html", "image/svg+xml")
LEAST, MOST = 1_000, 5_000_000
"""Bytes of a file that is compressed."""
KEPT = 300
"""Compressed files in memory; Streamlit has about as many, and a visitor needs a third of them: 0.7 MB."""


class Compressed:
    """Middleware that sends files with a content tag (ETag) as gzip to browsers that accept it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.known: dict[tuple[str, str], bytes] = {}
        """By tag and length of the content."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (path := scope.get("path", "")).endswith(theirs := f"/static/media/{ICONS}"):
            scope["path"] = f"{path.removesuffix(theirs)}/assets/web/{ICONS}"
        asked = Headers(scope=scope) if scope["type"] == "http" and scope["method"] == "GET" else {}
        if "gzip" not in asked.get("accept-encoding", "") or "range" in asked:
            await self.app(scope, receive, send)
            return
        held: Message | None = None
        body = bytearray()

        async def send_some(message: Message) -> None:
            nonlocal held
            if message["type"] == "http.response.start" and _is_file(message):
                held = message
            elif held is None:
                await send(message)
            else:
                body.extend(message.get("body", b""))
                if not message.get("more_body", False):
                    await self._sent(held, bytes(body), send)

        await self.app(scope, receive, send_some)

    async def _sent(self, start: Message, body: bytes, send: Send) -> None:
        headers = MutableHeaders(raw=start["headers"])
        key = headers["etag"], headers["content-length"]
        if key not in self.known:
            packed = await asyncio.to_thread(partial(gzip.compress, compresslevel=6, mtime=0), body)
            if len(self.known) >= KEPT:
                self.known.clear()
            self.known[key] = packed
        packed = self.known[key]
        headers["content-encoding"], headers["content-length"] = "gzip", str(len(packed))
        headers["etag"] = f"W/{key[0].removeprefix('W/')}"  # the same content, in other bytes
        headers.add_vary_header("Accept-Encoding")
        await send(start)
        await send({"type": "http.response.body", "body": packed})


def _is_file(start: Message) -> bool:
    """Whether a response is an uncompressed file worth compressing."""
    headers = Headers(raw=start["headers"])
    length = headers.get("content-length", "")
    return (
        start["status"] == 200
        and headers.get("content-type", "").partition(";")[0] in KINDS
        and "etag" in headers
        and "content-encoding" not in headers
        and length.isdecimal()
        and LEAST <= int(length) <= MOST
    )
