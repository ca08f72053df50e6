"""S9: who is let in, and what browsers are sent (raw requests to a real server)."""

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import psutil
import pytest
from starlette.responses import HTMLResponse
from urllib3 import BaseHTTPResponse
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from ldp_core.errors import InvalidInput
from pages.server.host_check import Door, headers, is_own, welcome
from tests.browser.server import Server, without_worker
from tests.server.client import ask


def get(server: Server, path: str, host: str = "localhost") -> BaseHTTPResponse:
    return ask(server.port, path, headers={"Host": host})


def knock(server: Server, host: str, origin: str | None) -> int:
    """The status of a websocket's handshake; 101 is a welcome."""

    async def handshake() -> int:
        where = {"host": "127.0.0.1", "port": server.port, "subprotocols": ["streamlit"]}
        try:
            async with connect(f"ws://{host}/_stcore/stream", origin=origin, **where):  # type: ignore
                return 101
        except InvalidStatus as error:
            return error.response.status_code

    return asyncio.run(handshake())


def test_server_listens_on_localhost_only(idle: Server):
    listening = [c for c in psutil.Process(idle.process.pid).net_connections() if c.status == "LISTEN"]
    assert {c.laddr.ip for c in listening} == {"127.0.0.1"}


@pytest.mark.parametrize("path", ["/", "/_stcore/host-config", "/assets/web/plot.js", "/media/x.png"])
def test_foreign_host_name_is_refused(idle: Server, path: str):
    answer = get(idle, path, f"evil.example:{idle.port}")
    assert answer.status == 403
    words = answer.data.decode()
    assert words.startswith("This server was not told that it is called “evil.example")
    assert len(words) < 200
    assert get(idle, path, f"localhost:{idle.port}").status != 403


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("localhost:{}", "http://localhost:{}", 101),
        ("127.0.0.1:{}", "http://127.0.0.1:{}", 101),
        ("localhost:{}", "http://evil.example", 403),
        ("localhost:{}", None, 403),  # no browser
        ("evil.example:{}", "http://evil.example:{}", 403),  # rebound
    ],
)
def test_only_its_own_pages_open_a_connection(idle: Server, host: str, origin: str | None, status: int):
    assert knock(idle, host.format(idle.port), origin and origin.format(idle.port)) == status


def test_allowed_host_and_localhost_are_served(tmp_path: Path):
    names = "studio.example.org *.school.example"
    with Server(without_worker(tmp_path / "runs"), STREAMLIT_SERVER_ALLOWED_HOSTS=names) as named:
        for name in ("studio.example.org", "a.school.example:80"):
            assert get(named, "/_stcore/health", name).status == 200, name
        assert get(named, "/_stcore/health", "studio.example.org.evil.example").status == 403
        assert knock(named, "studio.example.org", "http://studio.example.org") == 101
        assert knock(named, "studio.example.org", "http://evil.example") == 403


@pytest.mark.parametrize(
    ("host", "allowed", "expected"),
    [
        ("anything", "", True),
        ("LOCALHOST:8501", "x.example", True),
        ("[::1]:8501", "x.example", True),
        ("x.example.", "X.example", True),
        ("y.example", "*", True),
        ("a.x.example", "*.x.example", True),
        ("x.example", "*.x.example", False),
        ("evilx.example", "*.x.example", False),
        ("", "", False),
        ("[", "", False),
        ("localhost@evil.example", "localhost", False),
        ("127.0.0.1.evil.example", "localhost", False),
    ],
)
def test_names(host: str, allowed: str, expected: bool):
    assert welcome(host, allowed.split()) is expected


def test_every_answer_carries_the_headers(idle: Server):
    for path in ("/", "/assets/web/plot.js", "/_stcore/health", "/nothing/here"):
        headers = get(idle, path).headers
        assert headers["X-Content-Type-Options"] == "nosniff", path
        assert headers["X-Frame-Options"] == "SAMEORIGIN"
        assert headers["Referrer-Policy"] == "same-origin"
        assert "default-src 'self'" in headers["Content-Security-Policy"]
        assert "http" not in headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("origin", "host", "own"),
    [
        ("https://studio.example.org", "studio.example.org", True),
        ("https://studio.example.org:8443", "studio.example.org", True),  # a proxy has left the port out
        ("https://studio.example.org", "studio.example.org:443", True),
        ("https://other.example.org", "studio.example.org", False),
        ("http://localhost", "localhost", True),
        ("http://localhost:9999", "localhost", False),  # another program of this machine
        ("http://127.0.0.1:8501", "localhost:8501", False),
        ("null", "localhost", False),
        ("", "", False),
        ("http://[", "localhost", False),
    ],
)
def test_an_origin_is_the_servers_own(origin: str, host: str, own: bool):
    assert is_own(origin, host) is own


@pytest.mark.parametrize(
    "path",
    ["/_stcore/metrics", "/auth/login", "/oauth2callback", "/studio/_stcore/metrics"]  # for operators
    + ["/static/js/none.js", "/none.png", "/_stcore/none", "/a/static/none.css"]
    + [f"{prefix}/assets/web/none.js" for prefix in ("", "/studio", "/a/b")],
)
def test_unknown_paths_are_404_below_any_prefix(idle: Server, path: str):
    missing = get(idle, path)
    assert (missing.status, missing.data.strip()) == (404, b"Not Found")
    assert missing.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(("headers", "status"), [({}, 404), ({"Content-Disposition": "attachment"}, 200)])
def test_a_report_in_html_is_taken_away(headers: dict[str, str], status: int):
    said: list[Any] = []

    async def send(message: Any) -> None:
        said.append(message)

    scope = {"type": "http", "path": "/media/1f.html", "headers": [(b"host", b"localhost")]}
    asyncio.run(Door(HTMLResponse("<p>", headers=headers))(scope, None, send))  # type: ignore[arg-type]
    assert said[0]["status"] == status


@pytest.mark.parametrize(
    ("path", "query", "to"),
    [
        ("/Train", b"draft=1", "train?draft=1"),
        ("/a/CLASS", b"", "class"),
        ("/train", b"", ""),
        ("/LV", b"", ""),
        ("/hlvdk", b"", "class?code=HLVDK"),
        ("/a/HLV-DK", b"", "class?code=HLVDK"),
    ],
)
def test_typed_code_or_page_in_capitals_is_found(path: str, query: bytes, to: str):
    """Streamlit said “Page not found” in a dialog over Start."""
    said: list[Any] = []

    async def send(message: Any) -> None:
        said.append(message)

    scope = {"type": "http", "path": path, "query_string": query, "headers": [(b"host", b"localhost")]}
    asyncio.run(Door(HTMLResponse("<p>"))(scope, None, send))  # type: ignore[arg-type]
    assert dict(said[0]["headers"]).get(b"location", b"").decode() == to


def test_the_advice_to_a_host_that_is_not_known_works(idle: Server):
    assert b"--server.allowedHosts 192.168.1.5\n" in get(idle, "/", "192.168.1.5:8672").data
    assert welcome("192.168.1.5:8672", ["192.168.1.5"])
    for none in ("", "a b", "x;y"):
        assert b"--server" not in get(idle, "/", none).data


@pytest.mark.parametrize("path", ["/train/?draft=1", "/a/b/train/?draft=1"])
def test_a_slash_too_many_leads_out_of_no_prefix(idle: Server, path: str):
    result = get(idle, path)
    assert result.status == 301
    outside = f"http://localhost/studio{path}"
    assert urljoin(outside, result.headers["Location"]) == outside.replace("/?", "?")


def test_a_page_that_is_refused_is_logged_for_the_operator(idle: Server):
    assert knock(idle, f"localhost:{idle.port}", "https://school.example") == 403
    assert "add to the start: --server.corsAllowedOrigins http" in idle.log.read_text()


def test_pages_are_embedded_where_the_operator_says_so(monkeypatch: pytest.MonkeyPatch):
    assert headers()["Content-Security-Policy"].endswith("frame-ancestors 'self'")
    sites = "https://moodle.example.org https://*.school.example"
    monkeypatch.setenv("EPSILON_FRAME_ANCESTORS", sites)
    assert "X-Frame-Options" not in headers()
    assert headers()["Content-Security-Policy"].endswith(f"frame-ancestors 'self' {sites}")
    monkeypatch.setenv("EPSILON_FRAME_ANCESTORS", "https://a.example; script-src *")
    with pytest.raises(InvalidInput, match="must be addresses between spaces"):
        headers()
