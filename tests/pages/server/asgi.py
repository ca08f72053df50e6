"""An application of the server, asked without one."""

import asyncio
from typing import Any

import anyio
from starlette.datastructures import Headers
from starlette.types import ASGIApp


def ask(app: ASGIApp, path: str, method: str = "GET", **headers: str) -> tuple[int, Headers, bytes]:
    """Status, headers and body of an answer."""
    said: list[Any] = []

    async def send(message: Any) -> None:
        said.append(message)

    async def receive() -> Any:
        return await asyncio.Event().wait()  # the visitor stays

    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "root_path": "", "client": ("192.0.2.1", 5)}
    anyio.run(app, scope | {"headers": raw, "extensions": {}}, receive, send)
    body = b"".join(one.get("body", b"") for one in said[1:])
    return said[0]["status"], Headers(raw=said[0]["headers"]), body
