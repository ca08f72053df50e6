"""Opened to the net: a real nginx, configured as shipped, before the real server."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from tests.browser.server import Server, without_worker
from tests.runs.processes import wait_for
from tests.server.client import Viewer
from tests.server.conftest import Visit
from tests.server.proxy import KNOWN, NAME, PASS, SIGNED, Proxy, answer_on, needs_nginx, request

pytestmark = [pytest.mark.anyio, needs_nginx]
EACH = 300
"""Connections of one address, as the configuration has it."""
GET = f"GET / HTTP/1.1\r\nHost: {NAME}\r\n\r\n".encode()


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(
        without_worker(tmp_path_factory.mktemp("behind") / "runs"),
        EPSILON_ADDRESS_HEADER="X-Real-IP",
        EPSILON_PAGES="4",
        STREAMLIT_SERVER_ALLOWED_HOSTS=NAME,
    ) as running:
        yield running


@pytest.fixture(scope="module")
def proxy(behind: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    with closing(Proxy(tmp_path_factory.mktemp("proxy"), behind.port)) as running:
        yield running


def way(proxy: Proxy, source: str, page: str = "compare") -> dict[str, Any]:
    """How a visitor at an address of this machine comes to a page."""
    wire = {"host": "127.0.0.1", "port": proxy.port, "ssl": proxy.trusted, "local_addr": (source, 0)}
    return {"url": f"https://{NAME}:{proxy.port}", "page": page, "wire": wire}


def given(answer: HTTPResponse) -> list[str]:
    """The cookies of nginx's own in an answer."""
    return [one for one in answer.headers.get_all("Set-Cookie") or [] if one.startswith("studio_pass")]


async def test_requests_without_password_are_refused(proxy: Proxy):
    wrong = {"Authorization": "Basic Y2xhc3M6d3Jvbmc="}
    asked = [{}, wrong, {"Cookie": "studio_pass="}, {"Cookie": f"studio_pass={'0' * 48}"}]
    with ThreadPoolExecutor(len(asked)) as visitors:  # each is answered a second later
        for answer in visitors.map(lambda headers: proxy.ask("/", headers, "127.0.0.3"), asked):
            assert answer.status == 401
            assert answer.headers["WWW-Authenticate"] == 'Basic realm="Epsilon Studio"'
            assert given(answer) == []
    with pytest.raises(InvalidStatus, match="401"):
        await Viewer.open(**way(proxy, "127.0.0.3"))
    health = proxy.ask("/_stcore/health", wrong, "127.0.0.3")
    assert (health.status, given(health)) == (200, []), "it needs no password, and is given nothing"


async def test_a_page_and_its_files_and_its_websocket_come_through(proxy: Proxy, visit: Visit):
    for path in ("/", "/train", "/assets/web/plot.js"):
        answer = proxy.ask(path, SIGNED)
        assert answer.status == 200
        assert answer.headers["Strict-Transport-Security"]
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]

    asked = '{"asked": {"weight": 0.7, "seq": 1, "settled": false}}'
    for headers in (SIGNED, KNOWN):
        viewer = await visit(**way(proxy, "127.0.0.1", "noise"), **headers)
        await viewer.move("studio_strip", "json_value", asked)


def test_the_password_gives_a_cookie_that_does_as_well(proxy: Proxy):
    # from an address of its own: of the one before pages may still be closing, and it may have two
    answer = proxy.ask("/", SIGNED, "127.0.0.9")
    assert answer.status == 200
    (cookie,) = given(answer)
    assert cookie.startswith(f"studio_pass={PASS}; ")
    assert all(word in cookie for word in ("Secure", "HttpOnly", "SameSite=Lax"))
    answer = proxy.ask("/", KNOWN, "127.0.0.9")
    assert (answer.status, given(answer)) == (200, [])


async def test_forged_address_headers_are_replaced(proxy: Proxy, visit: Visit):
    """Of one address two pages may be open here, whatever addresses their visitor makes up."""
    forged = [f"192.0.2.{n}" for n in range(3)]

    async def opened(address: str, source: str) -> None:
        headers = {"X-Real-IP": address, "X-Forwarded-For": address, "Forwarded": f"for={address}"}
        await visit(**way(proxy, source), **KNOWN, **headers)

    await opened(forged[0], "127.0.0.4")
    await opened(forged[1], "127.0.0.4")
    with pytest.raises(InvalidStatus, match="429"):
        await opened(forged[2], "127.0.0.4")
    await opened(forged[2], "127.0.0.5")


def test_too_long_body_is_refused_by_its_length(proxy: Proxy):
    headers = KNOWN | {"Content-Length": str(7 * 10**6)}
    assert proxy.ask("/_stcore/upload_file/0/0", headers, method="PUT").status == 413


def test_connections_end_at_the_limit_of_an_address(proxy: Proxy):
    """Each sends the head of an upload, and nothing more; nginx takes a moment to see who comes or goes."""
    head = request(proxy, "/_stcore/upload_file/0/0", KNOWN | {"Content-Length": "9"}, "PUT")

    def status(source: str = "127.0.0.6") -> int:
        return proxy.ask("/_stcore/health", source=source).status

    with ExitStack() as lines:
        for _ in range(EACH):
            lines.enter_context(proxy.connect("127.0.0.6")).sendall(head)
        wait_for(lambda: status() == 429)
        assert status("127.0.0.7") == 200, "others are let in"
    wait_for(lambda: status() == 200)


def test_strangers_do_not_take_members_places(behind: Server, tmp_path: Path):
    """Each waits a second for its 401, and counts meanwhile: ten places for them, ten for others."""
    small = {"studio_all 1000": "studio_all 10", "studio_strangers 300": "studio_strangers 10"}
    with closing(Proxy(tmp_path, behind.port, small)) as running, ExitStack() as stack:
        lines = [stack.enter_context(running.connect(f"127.0.0.{20 + n}")) for n in range(30)]
        for line in lines:
            line.sendall(request(running, "/", {"Connection": "close"}))
        assert running.ask("/", KNOWN, "127.0.0.12").status == 200
        assert {answer_on(line).status for line in lines} == {401, 429}


def test_pages_that_an_address_opens_are_slowed(behind: Server, tmp_path: Path):
    small = {"rate=2r/s": "rate=1r/s", "burst=300 nodelay": "burst=5 nodelay"}
    with closing(Proxy(tmp_path, behind.port, small)) as running:
        found = [running.ask("/_stcore/stream", KNOWN).status for _ in range(20)]
        assert 429 in found and 429 not in found[:5]
        assert running.ask("/", KNOWN).status == 200, "the files of a page are none"


def test_guesses_of_the_password_are_slowed(proxy: Proxy):
    """Sixty at once are looked at, each answered a second later; what comes on top of that is not."""
    with ExitStack() as stack:
        lines = [stack.enter_context(proxy.connect("127.0.0.8")) for _ in range(90)]
        for n, line in enumerate(lines):
            line.sendall(request(proxy, "/", {"Authorization": f"Basic {n:04}", "Connection": "close"}))
        statuses = [answer_on(line).status for line in lines]
    assert set(statuses) == {401, 429}
    assert statuses.count(401) < 85


def test_requests_end_where_no_hand_makes_so_many(behind: Server, tmp_path: Path):
    """With a limit of 20 in the place of 3 000."""
    small = {"rate=100r/s": "rate=1r/s", "burst=3000": "burst=20"}
    with closing(Proxy(tmp_path, behind.port, small)) as running:
        found = [running.ask("/_stcore/health").status for _ in range(40)]
    assert found[:20] == [200] * 20
    assert 429 in found
    noted = (tmp_path / "epsilon-studio.log").read_text() + (tmp_path / "error.log").read_text()
    assert " 429 " not in noted, "who is refused cannot fill the log"
    assert "limiting" not in noted


def test_plain_http_is_redirected_to_https(proxy: Proxy):
    answer = proxy.unencrypted(GET.replace(b"/ ", b"/train?x=1 ", 1), "127.0.0.1")
    assert answer.startswith(b"HTTP/1.1 301")
    assert f"Location: https://{NAME}/train?x=1\r\n".encode() in answer


def test_refused_requests_are_not_logged(proxy: Proxy):
    """Without the password, with a wrong path, and on the port that only redirects; with long lines."""
    logs = [proxy.folder / name for name in ("epsilon-studio.log", "error.log", "epsilon-studio.errors.log")]

    def sizes() -> list[int]:
        return [log.stat().st_size if log.exists() else 0 for log in logs]

    before = sizes()
    long = {"User-Agent": "x" * 3000, "Referer": f"https://{'y' * 3000}"}
    assert proxy.ask("/?" + "z" * 3000, long, "127.0.0.7").status == 401
    assert proxy.ask("/x", {"Cookie": "a=" + "b" * 7000}, "127.0.0.7").status == 400, "longer than a buffer"
    assert proxy.ask("/_stcore/health", long, "127.0.0.7").status == 200, "for everybody"
    for first in (b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00", b"\x16\x03\x01\xff\xff" * 9, GET):
        proxy.unencrypted(first, "127.0.0.7", proxy.port)
    for _ in range(50):
        answer = proxy.unencrypted(GET.replace(b"/ ", b"/" + b"q" * 3000 + b" ", 1), "127.0.0.7")
        assert answer.startswith(b"HTTP/1.1 301")
    assert sizes() == [before[0], 0, 0]


def test_a_class_with_its_pages_open_is_still_led_to_tls(proxy: Proxy):
    with ExitStack() as lines:
        for _ in range(60):  # counted once it has sent a request, and a page's connection stays
            line = lines.enter_context(proxy.connect("127.0.0.11"))
            line.sendall(request(proxy, "/", KNOWN | {"Content-Length": "9"}, "POST"))
        assert proxy.unencrypted(GET, "127.0.0.11").startswith(b"HTTP/1.1 301")


def test_redirecting_port_limits_requests(proxy: Proxy):
    """A hundred at once and a hundred a second; of 400 in less than a second some are refused."""
    answers = proxy.unencrypted(GET * 400, "127.0.0.8")
    assert answers.count(b"HTTP/1.1 301 ") >= 100
    assert b"HTTP/1.1 429 " in answers
