"""What is noted of uploads has an end."""

from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse

from pages.server import uploads
from pages.server.uploads import PATH, UploadGate
from tests.pages.server.asgi import ask


def test_refused_uploads_leave_no_trace(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(uploads, "uploaded", lambda session: (0, 0))

    door = UploadGate(PlainTextResponse(status_code=204))
    sizes = {"9" * 12: 413, "none": 411, "1000": 204}
    for n in range(50):
        for size, status in sizes.items():
            assert ask(door, f"{PATH}{size}{n}/f", "PUT", content_length=size)[0] == status
    chunked = {"content_length": "1", "transfer_encoding": "chunked"}
    assert ask(door, f"{PATH}s/f", "PUT", **chunked)[0] == 411
    assert ask(door, "/anything", "PUT", content_length="1")[0] == 405
    assert len(door.addresses) <= 1
    assert not door.coming


@pytest.mark.parametrize(
    ("origin", "cookie", "signed"),
    [
        ("http://localhost:8501", "a=b", True),
        ("http://localhost:8501", "_streamlit_xsrf=old", False),  # its own token counts, right or wrong
        ("http://localhost:9999", "a=b", False),
        ("https://school.example", "a=b", False),
        ("null", "a=b", False),
        ("", "a=b", False),
    ],
)
def test_a_page_of_this_server_needs_no_cookie(origin: str, cookie: str, signed: bool):
    """A browser keeps none where the page is embedded in another site; a forged page has another origin."""
    seen: list[Headers] = []

    async def taken(scope: Any, receive: Any, send: Any) -> None:
        seen.append(Headers(scope=scope))
        await PlainTextResponse()(scope, receive, send)

    given = {"host": "localhost:8501", "origin": origin, "cookie": cookie, "x_xsrftoken": "forged"}
    ask(UploadGate(taken), f"{PATH}s/f", "DELETE", **given)
    token, cookies = seen[0].getlist("x-xsrftoken"), seen[0].getlist("cookie")
    assert (token != ["forged"]) is signed
    assert cookies == ([f"a=b; _streamlit_xsrf={token[0]}"] if signed else [cookie])
