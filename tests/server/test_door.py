"""S9: who is let in, and what browsers are sent (raw requests to a real server)."""

import asyncio
import http.client
from dataclasses import dataclass
from email.message import Message
from urllib.parse import urljoin

import psutil
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from ldp_core.errors import InvalidInput
from pages.server.host_check import headers, is_own, welcome
from tests.browser.server import Server, without_worker
from tests.server.client import Viewer


@dataclass
class Answer:
    status: int
    headers: Message
    text: str


def get(server: Server, path: str, host: str) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.putrequest("GET", path, skip_host=True)
        connection.putheader("Host", host)
        connection.putheader("Connection", "close")
        connection.endheaders()
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read().decode("utf-8", "replace"))
    finally:
        connection.close()


def knock(server: Server, host: str, origin: str | None) -> int:
    """The status of a websocket's handshake; 101 is a welcome."""

    async def handshake() -> int:
        try:
            opened = await connect(
                f"ws://{host}/_stcore/stream",
                host="127.0.0.1",
                port=server.port,
                origin=origin,  # type: ignore[arg-type]
                subprotocols=["streamlit"],  # type: ignore[list-item]
            )
        except InvalidStatus as error:
            return error.response.status_code
        await opened.close()
        return 101

    return asyncio.run(handshake())


def test_it_listens_to_its_own_machine_only(idle: Server):
    listening = [c for c in psutil.Process(idle.process.pid).net_connections() if c.status == "LISTEN"]
    assert {c.laddr.ip for c in listening} == {"127.0.0.1"}


@pytest.mark.parametrize(
    "path", ["/", "/train", "/_stcore/host-config", "/assets/web/plot.js", "/media/x.png"]
)
def test_a_name_that_was_made_to_lead_here_reads_nothing(idle: Server, path: str):
    evil = f"evil.example:{idle.port}"
    answer = get(idle, path, evil)
    assert answer.status == 403
    words = answer.text
    assert words.startswith("This server was not told that it is called “evil.example")
    assert "--server.allowedHosts" in words
    assert len(words) < 200
    assert get(idle, path, f"localhost:{idle.port}").status != 403


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("localhost:{}", "http://localhost:{}", 101),
        ("127.0.0.1:{}", "http://127.0.0.1:{}", 101),
        ("localhost:{}", "http://127.0.0.1:{}", 403),
        ("localhost:{}", "http://localhost:1", 403),  # another program of this machine
        ("localhost:{}", "http://evil.example", 403),
        ("localhost:{}", "null", 403),
        ("localhost:{}", None, 403),  # no browser
        ("evil.example:{}", "http://evil.example:{}", 403),  # rebound
        ("evil.example:{}", None, 403),
    ],
)
def test_only_its_own_pages_open_a_connection(idle: Server, host: str, origin: str | None, status: int):
    assert knock(idle, host.format(idle.port), origin and origin.format(idle.port)) == status


def test_a_class_comes_by_its_name_and_the_machine_itself_still_may(tmp_path):
    named = Server(
        without_worker(tmp_path / "runs"),
        STREAMLIT_SERVER_ALLOWED_HOSTS="studio.example.org *.school.example",
    )
    try:
        for name, status in (
            ("studio.example.org", 200),
            ("a.school.example:80", 200),
            ("localhost", 200),
            ("studio.example.org.evil.example", 403),
        ):
            assert get(named, "/_stcore/health", name).status == status, name
        assert knock(named, "studio.example.org", "http://studio.example.org") == 101
        assert knock(named, "studio.example.org", "http://evil.example") == 403
    finally:
        named.stop()


@pytest.mark.parametrize(
    ("host", "allowed", "expected"),
    [
        ("anything", [], True),
        ("LOCALHOST:8501", ["x.example"], True),
        ("[::1]:8501", ["x.example"], True),
        ("x.example.", ["X.example"], True),
        ("y.example", ["*"], True),
        ("a.x.example", ["*.x.example"], True),
        ("x.example", ["*.x.example"], False),
        ("evilx.example", ["*.x.example"], False),
        ("", [], False),
        ("[", [], False),
        ("localhost.evil.example", ["localhost"], False),
        ("localhost@evil.example", ["localhost"], False),
        ("127.0.0.1.evil.example", ["localhost"], False),
    ],
)
def test_names(host: str, allowed: list[str], expected: bool):
    assert welcome(host, allowed) is expected


def test_every_answer_carries_the_headers(idle: Server):
    for path in ("/", "/assets/web/plot.js", "/_stcore/health", "/nothing/here"):
        headers = get(idle, path, "localhost").headers
        assert headers["X-Content-Type-Options"] == "nosniff", path
        assert headers["X-Frame-Options"] == "SAMEORIGIN"
        assert headers["Referrer-Policy"] == "same-origin"
        assert "default-src 'self'" in headers["Content-Security-Policy"]
        assert "http" not in headers["Content-Security-Policy"]


def test_a_visitor_without_a_browser_is_served(idle: Server):
    viewer = Viewer.visited(f"http://localhost:{idle.port}", "noise")
    assert viewer.errors == []
    assert "studio_strip" in viewer.widgets


@pytest.mark.parametrize(
    ("origin", "host", "own"),
    [
        ("https://studio.example.org", "studio.example.org", True),
        ("https://studio.example.org:8443", "studio.example.org", True),  # a proxy has left the port out
        ("https://studio.example.org", "studio.example.org:443", True),
        ("https://other.example.org", "studio.example.org", False),
        ("http://localhost:9999", "localhost", False),
        ("http://localhost", "localhost", True),
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
def test_what_is_not_there_is_not_found_below_any_prefix(idle: Server, path: str):
    missing = get(idle, path, "localhost")
    assert (missing.status, missing.text.strip()) == (404, "Not Found")
    assert missing.headers["X-Content-Type-Options"] == "nosniff"


def test_a_file_is_found_below_any_prefix_and_a_page_is_no_file(idle: Server):
    for prefix in ("", "/studio", "/a/b"):
        found = get(idle, f"{prefix}/assets/web/plot.js", "localhost")
        assert found.status == 200 and found.headers.get_content_type().endswith("/javascript")
    assert get(idle, "/train", "localhost").status == 200


def test_the_advice_to_a_host_that_is_not_known_works(idle: Server):
    result = get(idle, "/", "192.168.1.5:8672").text
    assert "--server.allowedHosts 192.168.1.5\n" in result
    assert welcome("192.168.1.5:8672", ["192.168.1.5"])
    for none in ("", "a b", "x;y"):
        assert "--server" not in get(idle, "/", none).text


@pytest.mark.parametrize("path", ["/train/?draft=1", "/a/b/train/?draft=1"])
def test_a_slash_too_many_leads_out_of_no_prefix(idle: Server, path: str):
    result = get(idle, path, "localhost")
    assert result.status == 301
    outside = f"http://localhost/studio{path}"
    assert urljoin(outside, result.headers["Location"]) == outside.replace("/?", "?")


def test_a_page_that_is_refused_is_logged_for_the_operator(idle: Server):
    assert knock(idle, f"localhost:{idle.port}", "https://school.example") == 403
    assert "add to the start: --server.corsAllowedOrigins http" in idle.log.read_text()


def test_pages_are_embedded_where_the_operator_says_so(monkeypatch: pytest.MonkeyPatch):
    assert headers()["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in headers()["Content-Security-Policy"]
    monkeypatch.setenv("EPSILON_FRAME_ANCESTORS", "https://moodle.example.org https://*.school.example")
    assert "X-Frame-Options" not in headers()
    policy = headers()["Content-Security-Policy"]
    assert policy.endswith("frame-ancestors 'self' https://moodle.example.org https://*.school.example")
    monkeypatch.setenv("EPSILON_FRAME_ANCESTORS", "https://a.example; script-src *")
    with pytest.raises(InvalidInput, match="must be addresses between spaces"):
        headers()
