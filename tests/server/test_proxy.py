"""Opened to the net: a real nginx, configured as shipped, before the real server."""

import asyncio
import shutil
import socket
import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus

from tests.browser.server import Server, without_worker
from tests.server.client import Viewer
from tests.server.proxy import KNOWN, NAME, PASS, SIGNED, Proxy, find_nginx, request

pytestmark = pytest.mark.skipif(
    find_nginx() is None or not shutil.which("openssl"), reason="nginx and openssl are not installed"
)
EACH = 300
"""Connections of one address, as the configuration has it."""


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(
        without_worker(tmp_path_factory.mktemp("behind") / "runs"),
        EPSILON_ADDRESS_HEADER="X-Real-IP",
        EPSILON_PAGES_EACH="2",
        STREAMLIT_SERVER_ALLOWED_HOSTS=NAME,
    )
    yield running
    running.stop()


@pytest.fixture(scope="module")
def proxy(behind: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    running = Proxy(tmp_path_factory.mktemp("proxy"), behind.port)
    yield running
    running.stop()


async def opened(proxy: Proxy, source: str, **headers: str) -> Viewer:
    return await Viewer.open(proxy.way(source), "compare", **headers)


def given(answer: HTTPResponse) -> list[str]:
    """The cookies of nginx's own in an answer."""
    return [one for one in answer.headers.get_all("Set-Cookie") or [] if one.startswith("studio_pass")]


def test_without_the_password_nothing_is_read(proxy: Proxy):
    wrong = {"Authorization": "Basic Y2xhc3M6d3Jvbmc="}
    asked: list[dict[str, str]] = [
        {},
        wrong,
        {"Cookie": "studio_pass="},
        {"Cookie": f"studio_pass={'0' * 48}"},
    ]
    with ThreadPoolExecutor(len(asked)) as visitors:  # each is answered a second later
        for status, answer in visitors.map(lambda headers: proxy.ask("/", headers, "127.0.0.3"), asked):
            assert status == 401
            assert answer.headers["WWW-Authenticate"] == 'Basic realm="Epsilon Studio"'
            assert given(answer) == []
    with pytest.raises(InvalidStatus) as refused:
        asyncio.run(opened(proxy, "127.0.0.3"))
    assert refused.value.response.status_code == 401
    status, answer = proxy.ask("/_stcore/health", wrong, "127.0.0.3")
    assert (status, given(answer)) == (200, []), "the health check needs no password, and is given nothing"


def test_a_page_and_its_files_and_its_websocket_come_through(proxy: Proxy):
    for path in ("/", "/train", "/assets/web/plot.js"):
        status, answer = proxy.ask(path, SIGNED)
        assert status == 200
        assert answer.headers["Strict-Transport-Security"]
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]

    async def visit(**headers: str) -> Viewer:
        viewer = await Viewer.open(proxy.way(), "noise", **headers)
        await viewer.move(
            "studio_strip", "json_value", '{"asked": {"weight": 0.7, "seq": 1, "settled": false}}'
        )
        await viewer.close()
        return viewer

    for headers in (SIGNED, KNOWN):
        viewer = asyncio.run(visit(**headers))
        assert viewer.errors == []
        assert "studio_strip" in viewer.widgets


def test_the_password_gives_a_cookie_that_does_as_well(proxy: Proxy):
    # from an address of its own: of the one before pages may still be closing, and it may have two
    status, answer = proxy.ask("/", SIGNED, "127.0.0.9")
    assert status == 200
    (cookie,) = given(answer)
    assert cookie.startswith(f"studio_pass={PASS}; ")
    assert all(word in cookie for word in ("Secure", "HttpOnly", "SameSite=Lax"))
    status, answer = proxy.ask("/", KNOWN, "127.0.0.9")
    assert (status, given(answer)) == (200, [])


def test_a_visitors_address_is_passed_on_and_what_a_visitor_writes_there_is_not_believed(proxy: Proxy):
    """Of one address two pages may be open here, whatever addresses their visitor makes up."""

    async def scene() -> int:
        forged = [
            {"X-Real-IP": f"192.0.2.{n}", "X-Forwarded-For": f"192.0.2.{n}", "Forwarded": f"for=192.0.2.{n}"}
            for n in range(3)
        ]
        mine = [await opened(proxy, "127.0.0.4", **KNOWN, **one) for one in forged[:2]]
        with pytest.raises(InvalidStatus) as refused:
            await opened(proxy, "127.0.0.4", **KNOWN, **forged[2])
        other = await opened(proxy, "127.0.0.5", **KNOWN)
        for one in (*mine, other):
            await one.close()
        return refused.value.response.status_code

    assert asyncio.run(scene()) == 429


def test_a_body_that_is_too_long_is_refused_before_it_is_sent(proxy: Proxy):
    headers = KNOWN | {"Content-Length": str(7 * 10**6)}
    assert proxy.ask("/_stcore/upload_file/0/0", headers, method="PUT")[0] == 413


def test_connections_end_at_the_limit_of_an_address(proxy: Proxy):
    """Each sends the head of an upload, and nothing more."""
    head = request(proxy, "/_stcore/upload_file/0/0", KNOWN | {"Content-Length": "9"}, "PUT")
    lines = list[ssl.SSLSocket]()
    try:
        for _ in range(EACH):
            lines.append(proxy.connect("127.0.0.6"))
            lines[-1].sendall(head)
        assert _until(proxy, "127.0.0.6", 429) == 429
        assert proxy.ask("/_stcore/health", source="127.0.0.7")[0] == 200, "others are let in"
    finally:
        for line in lines:
            line.close()
    assert _until(proxy, "127.0.0.6", 200) == 200, "and there is room once some have left"


def _until(proxy: Proxy, source: str, wanted: int) -> int:
    """What is answered at last: nginx may take a moment to see who has come or gone."""
    status = 0
    for _ in range(200):
        if (status := proxy.ask("/_stcore/health", source=source)[0]) == wanted:
            break
    return status


def test_guesses_of_the_password_are_slowed(proxy: Proxy):
    """Sixty at once are looked at, each answered a second later; what comes on top of that is not."""
    lines = [proxy.connect("127.0.0.8") for _ in range(90)]
    for n, line in enumerate(lines):
        line.sendall(request(proxy, "/", {"Authorization": f"Basic {n:04}", "Connection": "close"}))
    statuses = []
    for line in lines:
        answer = HTTPResponse(line)
        answer.begin()
        statuses.append(answer.status)
        line.close()
    assert set(statuses) == {401, 429}
    assert statuses.count(401) < 85


def test_requests_end_where_no_hand_makes_so_many(behind: Server, tmp_path: Path):
    """With a limit of 20 in the place of 3 000."""
    small = {"rate=100r/s": "rate=1r/s", "burst=3000": "burst=20"}
    running = Proxy(tmp_path, behind.port, small)
    try:
        found = [running.ask("/_stcore/health")[0] for _ in range(40)]
    finally:
        running.stop()
    assert found[:20] == [200] * 20
    assert 429 in found
    noted = (tmp_path / "epsilon-studio.log").read_text() + (tmp_path / "error.log").read_text()
    assert " 429 " not in noted, "who is refused cannot fill the log"
    assert "limiting" not in noted


def test_who_comes_without_tls_is_led_to_it(proxy: Proxy):
    line = HTTPConnection("127.0.0.1", proxy.plain, timeout=60)
    line.request("GET", "/train?x=1")
    with line.getresponse() as answer:
        assert answer.status == 301
        assert answer.headers["Location"] == f"https://{NAME}/train?x=1"
    line.close()


def test_what_is_refused_costs_no_byte_of_the_log(proxy: Proxy):
    """Without the password, with a wrong path, and on the port that only redirects; with long lines."""
    log = proxy.folder / "epsilon-studio.log"
    before = log.stat().st_size if log.exists() else 0
    long = {"User-Agent": "x" * 3000, "Referer": f"https://{'y' * 3000}"}
    assert proxy.ask("/?" + "z" * 3000, long, "127.0.0.7")[0] == 401
    assert proxy.ask("/x", {"Cookie": "a=" + "b" * 7000}, "127.0.0.7")[0] == 400, "longer than a buffer"
    assert proxy.ask("/_stcore/health", long, "127.0.0.7")[0] == 200, "for everybody"
    for first in (
        b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00",
        b"\x16\x03\x01\xff\xff" * 9,
        b"GET / HTTP/1.1\r\n\r\n",
    ):
        with socket.create_connection(("127.0.0.1", proxy.port), source_address=("127.0.0.7", 0)) as line:
            line.sendall(first)
            line.shutdown(socket.SHUT_WR)
            line.recv(1000)
    for _ in range(50):
        with socket.create_connection(("127.0.0.1", proxy.plain), source_address=("127.0.0.7", 0)) as line:
            line.sendall(b"GET /" + b"q" * 3000 + b" HTTP/1.1\r\nHost: studio.example.org\r\n\r\n")
            assert line.recv(12) == b"HTTP/1.1 301"
    assert (log.stat().st_size if log.exists() else 0) == before
    for other in (proxy.folder / "error.log", proxy.folder / "epsilon-studio.errors.log"):
        assert not other.exists() or not other.stat().st_size


def test_a_class_with_its_pages_open_is_still_led_to_tls(proxy: Proxy):
    mine = [proxy.connect("127.0.0.11") for _ in range(60)]
    for one in mine:  # counted once it has sent a request, and a page's connection stays
        one.sendall(request(proxy, "/", KNOWN, method="POST")[:-2] + b"Content-Length: 9\r\n\r\n")
    with socket.create_connection(("127.0.0.1", proxy.plain), source_address=("127.0.0.11", 0)) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: studio.example.org\r\n\r\n")
        status = line.recv(12)
    for one in mine:
        one.close()
    assert status == b"HTTP/1.1 301"


def test_the_port_that_only_redirects_takes_so_many_requests_of_an_address(proxy: Proxy):
    """A hundred at once and a hundred a second; of 400 in less than a second some are refused."""
    found: list[bytes] = []
    with socket.create_connection(("127.0.0.1", proxy.plain), source_address=("127.0.0.8", 0)) as line:
        line.settimeout(30)
        line.sendall(b"GET / HTTP/1.1\r\nHost: studio.example.org\r\n\r\n" * 400)
        reader = line.makefile("rb")
        while len(found) < 400 and (status := reader.readline()):
            found.append(status.split()[1])
            length = 0
            while header := reader.readline().strip():
                if header.lower().startswith(b"content-length:"):
                    length = int(header.split(b":")[1])
            reader.read(length)
    assert found.count(b"301") >= 100
    assert b"429" in found
