"""What is noted of uploads has an end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.datastructures import Headers

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

    door = Uploads(taken)
    assert asyncio.run(scene()) == {413, 411, 204}
    assert len(door.addresses) <= 1
    assert not door.coming


@pytest.mark.parametrize(
    ("origin", "cookie", "signed"),
    [
        (b"http://localhost:8501", b"a=b", True),
        (b"http://localhost:8501", b"_streamlit_xsrf=old", False),  # its own token counts, right or wrong
        (b"http://localhost:9999", b"a=b", False),
        (b"https://school.example", b"a=b", False),
        (b"null", b"a=b", False),
        (b"", b"a=b", False),
    ],
)
def test_a_page_of_this_server_needs_no_cookie(origin: bytes, cookie: bytes, signed: bool):
    """A browser keeps none where the page is embedded in another site; a forged page has another origin."""
    seen: list[Headers] = []

    async def taken(scope: Any, receive: Any, send: Any) -> None:
        seen.append(Headers(scope=scope))

    given = {b"host": b"localhost:8501", b"origin": origin, b"cookie": cookie, b"x-xsrftoken": b"forged"}
    scope = {"type": "http", "method": "DELETE", "path": f"{PATH}s/f", "headers": list(given.items())}
    asyncio.run(Uploads(taken)(scope, None, None))  # type: ignore[arg-type]
    token, cookies = seen[0].getlist("x-xsrftoken"), seen[0].getlist("cookie")
    assert (token != ["forged"]) is signed
    assert cookies == ([f"a=b; _streamlit_xsrf={token[0]}"] if signed else [cookie.decode()])
