"""What one visitor may take of a server: pages, silent connections, uploads; and what it says of it."""

import asyncio
import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from ldp_core import presets
from ldp_core.runs import queue
from tests.browser.server import Server, without_worker
from tests.conftest import ROOT
from tests.runs.processes import wait_for
from tests.server.client import Viewer, ask
from tests.server.conftest import Visit
from tests.server.test_load import MB, put

pytestmark = pytest.mark.anyio
SILENT = 700
BUSY_SECONDS = 30
"""Until a server has counted out who has left."""


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with small limits, behind a proxy that tells addresses."""
    with Server(
        without_worker(tmp_path_factory.mktemp("narrow") / "runs"),
        EPSILON_CONNECTIONS="150",
        EPSILON_PAGES="12",
        EPSILON_PAGES_EACH="8",
        EPSILON_SILENT_SECONDS="2",
        EPSILON_UPLOADS_MB="9",
        EPSILON_UPLOADS_EACH_MB="6",
        EPSILON_MOST_HOURS="0.00001",
        EPSILON_ADDRESS_HEADER="X-Real-IP",
        EPSILON_TEACHER="chalk",
        STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL="1",
    ) as running:
        yield running


def read(server: Server, address: str) -> tuple[int, str]:
    answer = ask(server.port, headers={"X-Real-IP": address})
    return answer.status, answer.data.decode()


async def test_one_page_too_many_says_so_and_there_is_room_once_others_have_left(
    narrow: Server, visit: Visit
):
    async def opened(address: str) -> Viewer:
        return await visit(narrow.url, "compare", **{"X-Real-IP": address})

    pages = [await opened("192.0.2.1") for _ in range(8)]
    with pytest.raises(InvalidStatus, match="429"):
        await opened("192.0.2.1")
    status, text = read(narrow, "192.0.2.1")
    assert status == 429
    assert "From your network 8 pages are open, as many as one may have." in text
    assert read(narrow, "192.0.2.2")[0] == 200, "others are let in"

    pages += [await opened(f"192.0.2.{n}") for n in range(2, 6)]
    status, text = read(narrow, "192.0.2.99")
    assert (status, "12 pages are open on this server" in text) == (429, True)
    for one in pages:
        await one.close()
    await opened("192.0.2.99")


async def test_a_page_from_which_nothing_is_heard_is_closed(tmp_path: Path, visit: Visit):
    async def seconds_until_closed(one: ClientConnection) -> float:
        with suppress(ConnectionClosed):
            while True:
                await asyncio.wait_for(one.recv(), 60)
        assert one.close_code == 1001
        return time.monotonic() - begun

    limits = {"EPSILON_SILENT_SECONDS": "2", "EPSILON_IDLE_MINUTES": "0.1"}
    with Server(without_worker(tmp_path / "runs"), **limits) as server:
        address, begun = server.url.replace("http", "ws", 1) + "/_stcore/stream", time.monotonic()
        silent = await connect(address, subprotocols=["streamlit"], origin=server.url)  # type: ignore
        idle = await visit(server.url, "compare")
        assert 1.9 < await seconds_until_closed(silent) < 5.9
        assert await seconds_until_closed(idle.socket) > 5.9, "six seconds after its last word"


def test_hundreds_of_silent_connections_keep_no_visitor_out_for_long(narrow: Server):
    """They are refused or closed, and the log has a line for them and no more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    before = len(narrow.log.read_bytes())
    with ExitStack() as stack:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4 * SILENT)), hard))
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        silent = [
            stack.enter_context(socket.create_connection(("127.0.0.1", narrow.port), timeout=10))
            for _ in range(SILENT)
        ]
        assert silent[-1].recv(1000).startswith(b"HTTP/1.1 429")
        wait_for(lambda: read(narrow, "192.0.2.30")[0] == 200, BUSY_SECONDS)
        assert silent[0].recv(10) == b"", "the first ones were closed"
    assert len(narrow.log.read_bytes()) - before < 1000


async def test_without_a_proxy_an_address_has_so_many_connections_and_makes_none_up(
    tmp_path: Path, visit: Visit
):
    limits = {"EPSILON_CONNECTIONS_EACH": "20", "EPSILON_PAGES_EACH": "2", "EPSILON_SILENT_SECONDS": "600"}
    with Server(without_worker(tmp_path / "runs"), **limits) as direct, ExitStack() as stack:
        pages = [await visit(direct.url, "compare", **{"X-Forwarded-For": f"192.0.2.{n}"}) for n in range(2)]
        with pytest.raises(InvalidStatus, match="429"):
            await visit(direct.url, "compare", **{"X-Forwarded-For": "192.0.2.9"})
        for one in pages:
            await one.close()
        for _ in range(21):
            last = socket.create_connection(("127.0.0.1", direct.port), 10, ("127.0.0.6", 0))
            stack.enter_context(last)
        assert last.recv(1000).startswith(b"HTTP/1.1 429"), "one address"
        wait_for(lambda: read(direct, "192.0.2.30")[0] == 200, BUSY_SECONDS)  # another
        assert "EPSILON_CONNECTIONS_EACH" in direct.log.read_text()


async def test_uploads_end_at_a_sessions_limit_and_at_that_of_all_and_are_freed_with_it(
    narrow: Server, visit: Visit
):
    token, places = generate_xsrf_token_string(), dict[Viewer, str]()

    def send(viewer: Viewer, megabytes: float) -> int:
        body = b"x" * int(megabytes * MB)
        return put(narrow, viewer.session, body, token=token, address=places[viewer])

    for address in ("192.0.2.40", "192.0.2.41", "192.0.2.40", "192.0.2.42"):
        places[await visit(narrow.url, "compare", **{"X-Real-IP": address})] = address
    first, second, near, third = places
    assert [send(first, 2.0) for _ in range(4)] == [204, 204, 413, 413]
    assert send(near, 1.0) == 413, "half of all of one address"
    assert [send(second, 2.0) for _ in range(2)] == [204, 204]
    assert send(third, 1.0) == 413, "of all together"
    for one in (near, second, first):
        await one.close()
    deadline = time.monotonic() + BUSY_SECONDS
    while (status := send(third, 1.0)) == 413 and time.monotonic() < deadline:
        await third.rerun()
        await asyncio.sleep(0.2)
    assert status == 204, "the place of who has left is free"


async def test_a_teacher_stops_all_at_one_press(
    narrow: Server, visit: Visit, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(narrow.runs_dir))
    who = {"X-Real-IP": "192.0.2.60", "Cookie": f"epsilon_visitor={'c' * 32}"}
    runs = await visit(narrow.url, "runs", **who)
    identity = queue.add("run", {"draft": presets.get("two_volunteers").draft.as_json()}, owner="another")
    await runs.rerun()
    assert "End them" not in runs.widgets
    start = await visit(narrow.url, **who)
    await start.move("Secret", "string_value", "chalk")
    await runs.rerun()
    await runs.press("End them")
    job = queue.get(identity)
    assert (job.status, job.message) == ("cancelled", "a teacher has stopped it")


@pytest.mark.parametrize("page", ["train", "tune", "attack"])
def test_what_takes_too_long_is_said_at_the_button(narrow: Server, page: str):
    viewer = Viewer.visited(narrow.url, page, **{"X-Real-IP": "192.0.2.50"})
    assert viewer.errors == []
    words = " ".join(viewer.written).replace("\\", "")
    assert "on this server, and one job may take 0.036 seconds; try fewer" in words


def test_a_setting_that_makes_no_sense_is_one_sentence_and_no_server():
    served = ["-m", "streamlit", "run", "app.py", "--server.port", "0", "--server.headless", "true"]
    environment, pipe = os.environ | {"EPSILON_PARTS_DIR": "/dev/null"}, subprocess.PIPE
    asked = subprocess.run([sys.executable, *served], cwd=ROOT, env=environment, stderr=pipe, timeout=60)
    assert asked.returncode == 1
    words = "EPSILON_PARTS_DIR must be a folder; got “/dev/null”, where no folder is"
    assert asked.stderr.decode().strip() == words
