"""What is noted of uploads has an end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ldp_core.runs.visitor_limits import limits
from pages.server import uploads
from pages.server.uploads import PATH, Uploads


def test_refused_uploads_and_those_that_nothing_is_left_of_leave_no_trace(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(uploads, "uploaded", lambda session: (0, 0))

    async def taken(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})

    async def put(session: str, length: bytes) -> int:
        said: list[dict[str, Any]] = []
        scope = {"type": "http", "method": "PUT", "path": f"{PATH}{session}/f", "client": ("192.0.2.1", 5)}

        async def send(message: Any) -> None:
            said.append(message)

        await door(scope | {"headers": [(b"content-length", length)]}, None, send)  # type: ignore[arg-type]
        return int(said[0]["status"])

    async def scene() -> set[int]:
        return {await put(f"{size!r}{n}", size) for n in range(50) for size in (b"9" * 12, b"none", b"1000")}

    door = Uploads(taken, limits())
    assert asyncio.run(scene()) == {413, 411, 204}
    assert len(door.addresses) <= 1
    assert not door.coming
