"""S9: who is let in, and what browsers are sent (raw requests to a real server)."""

from __future__ import annotations

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


def test_a_page_of_this_server_is_welcome_and_another_one_is_not(idle: Server):
    own = f"localhost:{idle.port}"
    assert knock(idle, own, f"http://{own}") == 101
    assert knock(idle, own, "http://evil.example") == 403
    assert knock(idle, own, "null") == 403


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


def test_a_rebound_name_opens_no_connection(idle: Server):
    evil = f"evil.example:{idle.port}"
    assert knock(idle, evil, f"http://{evil}") == 403
    assert knock(idle, evil, None) == 403


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


def test_only_its_own_pages_open_a_connection(idle: Server):
    """Another program's page on this machine has another port, and a program that is no browser no origin."""
    own = f"localhost:{idle.port}"
    assert knock(idle, own, None) == 403
    assert knock(idle, own, "http://localhost:1") == 403
    assert knock(idle, own, f"http://127.0.0.1:{idle.port}") == 403
    assert knock(idle, f"127.0.0.1:{idle.port}", f"http://127.0.0.1:{idle.port}") == 101


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
    "path", ["/_stcore/metrics", "/auth/login", "/oauth2callback", "/studio/_stcore/metrics"]
)
def test_what_serves_operators_or_a_sign_in_that_is_not_set_up_is_not_there(idle: Server, path: str):
    assert get(idle, path, "localhost").status == 404


def test_a_file_that_is_not_there_is_not_found_below_any_prefix(idle: Server):
    for prefix in ("", "/studio", "/a/b"):
        assert get(idle, f"{prefix}/assets/web/none.js", "localhost").status == 404
        found = get(idle, f"{prefix}/assets/web/plot.js", "localhost")
        assert found.status == 200
        assert found.headers.get_content_type().endswith("/javascript")


def test_the_advice_to_a_host_that_is_not_known_works(idle: Server):
    result = get(idle, "/", "192.168.1.5:8672").text
    assert "--server.allowedHosts 192.168.1.5\n" in result
    assert welcome("192.168.1.5:8672", ["192.168.1.5"])
    for none in ("", "a b", "x;y"):
        assert "--server" not in get(idle, "/", none).text


@pytest.mark.parametrize("path", ["/static/js/none.js", "/none.png", "/_stcore/none", "/a/static/none.css"])
def test_a_file_of_streamlits_that_is_not_there_is_not_found_either(idle: Server, path: str):
    missing = get(idle, path, "localhost")
    assert (missing.status, missing.text) == (404, "Not Found\n")
    assert missing.headers["X-Content-Type-Options"] == "nosniff"
    assert get(idle, "/train", "localhost").status == 200


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
