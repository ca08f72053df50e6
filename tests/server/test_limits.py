"""What one visitor may take of a server: pages, silent connections, uploads; and what it says of it."""

import asyncio
import contextlib
import os
import resource
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import queue
from tests.browser.server import Server, without_worker
from tests.conftest import ROOT
from tests.runs.processes import until
from tests.server.client import Viewer
from tests.server.test_load import MB, put

SILENT = 700
NARROW = {
    "EPSILON_CONNECTIONS": "150",
    "EPSILON_PAGES": "12",
    "EPSILON_PAGES_EACH": "8",
    "EPSILON_SILENT_SECONDS": "2",
    "EPSILON_UPLOADS_MB": "9",
    "EPSILON_UPLOADS_EACH_MB": "6",
    "EPSILON_MOST_HOURS": "0.00001",
    "EPSILON_ADDRESS_HEADER": "X-Real-IP",
    "EPSILON_TEACHER": "chalk",
    "STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL": "1",
}


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with small limits, behind a proxy that tells addresses."""
    running = Server(without_worker(tmp_path_factory.mktemp("narrow") / "runs"), **NARROW)
    yield running
    running.stop()


async def opened(server: Server, address: str) -> Viewer:
    return await Viewer.open(server.url, "compare", **{"X-Real-IP": address})


def read(server: Server, address: str) -> tuple[int, str]:
    request = urllib.request.Request(server.url, headers={"X-Real-IP": address})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_one_page_too_many_says_so_and_there_is_room_once_others_have_left(narrow: Server):
    async def scene() -> None:
        mine = [await opened(narrow, "192.0.2.1") for _ in range(8)]
        with pytest.raises(InvalidStatus) as refused:
            await opened(narrow, "192.0.2.1")
        assert refused.value.response.status_code == 429
        status, text = await asyncio.to_thread(read, narrow, "192.0.2.1")
        assert status == 429
        assert "From your network 8 pages are open, as many as one may have." in text
        assert (await asyncio.to_thread(read, narrow, "192.0.2.2"))[0] == 200, "others are let in"

        others = [await opened(narrow, f"192.0.2.{n}") for n in range(2, 6)]
        status, text = await asyncio.to_thread(read, narrow, "192.0.2.99")
        assert (status, "12 pages are open on this server" in text) == (429, True)
        for one in (*mine, *others):
            assert one.errors == []
            await one.close()
        later = await opened(narrow, "192.0.2.99")
        await later.close()

    asyncio.run(scene())


def test_a_page_from_which_nothing_is_heard_is_closed(tmp_path: Path):
    limits = {"EPSILON_SILENT_SECONDS": "2", "EPSILON_IDLE_MINUTES": "0.1"}
    server = Server(without_worker(tmp_path / "runs"), **limits)

    async def closed(one: ClientConnection, begun: float) -> float:
        with contextlib.suppress(ConnectionClosed):
            while True:
                await asyncio.wait_for(one.recv(), 60)
        assert one.close_code == 1001
        return time.monotonic() - begun

    async def scene() -> tuple[float, float]:
        address, begun = server.url.replace("http", "ws", 1) + "/_stcore/stream", time.monotonic()
        silent = await connect(address, subprotocols=["streamlit"], origin=server.url)  # type: ignore
        idle = await opened(server, "192.0.2.20")
        return await asyncio.gather(closed(silent, begun), closed(idle.socket, begun))

    try:
        silent, idle = asyncio.run(scene())
    finally:
        server.stop()
    assert 1.9 < silent < idle
    assert idle > 5.9, "six seconds after its last word"


def test_hundreds_of_silent_connections_keep_no_visitor_out_for_long(narrow: Server):
    """They are refused or closed, and the log has a line for them and no more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4 * SILENT)), hard))
    before, silent = len(narrow.log.read_bytes()), list[socket.socket]()
    try:
        for _ in range(SILENT):
            silent.append(socket.create_connection(("127.0.0.1", narrow.port), timeout=10))
        first = silent[-1].recv(1000)
        assert first.startswith(b"HTTP/1.1 429"), first
        deadline = time.monotonic() + 30
        while (status := _status(narrow)) != 200 and time.monotonic() < deadline:
            time.sleep(0.1)
        assert status == 200
        assert silent[0].recv(10) == b"", "the first ones were closed"
    finally:
        for one in silent:
            one.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(narrow.log.read_bytes()) - before < 1000


def test_without_a_proxy_an_address_has_so_many_connections_and_makes_none_up(tmp_path: Path):
    direct = Server(
        without_worker(tmp_path / "runs"),
        EPSILON_CONNECTIONS_EACH="20",
        EPSILON_PAGES_EACH="2",
        EPSILON_SILENT_SECONDS="600",
    )

    async def pages() -> None:
        mine = [
            await Viewer.open(direct.url, "compare", **{"X-Forwarded-For": f"192.0.2.{n}"}) for n in range(2)
        ]
        with pytest.raises(InvalidStatus) as refused:
            await Viewer.open(direct.url, "compare", **{"X-Forwarded-For": "192.0.2.9"})
        assert refused.value.response.status_code == 429
        for one in mine:
            await one.close()

    here, silent = ("127.0.0.1", direct.port), list[socket.socket]()
    try:
        asyncio.run(pages())
        silent += [socket.create_connection(here, 10, ("127.0.0.6", 0)) for _ in range(21)]
        assert silent[-1].recv(1000).startswith(b"HTTP/1.1 429"), "one address"
        deadline = time.monotonic() + 30
        while (status := _status(direct)) != 200 and time.monotonic() < deadline:
            time.sleep(0.1)  # until the pages that were closed are counted out
        assert status == 200, "another"
        assert "EPSILON_CONNECTIONS_EACH" in direct.log.read_text()
    finally:
        for one in silent:
            one.close()
        direct.stop()


def _status(server: Server) -> int:
    try:
        return read(server, "192.0.2.30")[0]
    except OSError:
        return 0


def test_uploads_end_at_a_sessions_limit_and_at_that_of_all_and_are_freed_with_it(narrow: Server):
    token = generate_xsrf_token_string()

    async def send(viewer: Viewer, megabytes: float, length: int | None = None) -> int:
        body = b"x" * int(megabytes * MB)
        return await asyncio.to_thread(put, narrow, viewer.session, body, length, token, places[viewer])

    places: dict[Viewer, str] = {}

    async def scene() -> None:
        for address in ("192.0.2.40", "192.0.2.41", "192.0.2.40", "192.0.2.42"):
            places[await opened(narrow, address)] = address
        first, second, near, third = places
        assert [await send(first, 2.0) for _ in range(4)] == [204, 204, 413, 413]
        assert await send(near, 1.0) == 413, "half of all of one address"
        await near.close()
        assert [await send(second, size) for size in (2.0, 2.0)] == [204, 204]
        assert await send(third, 1.0) == 413, "of all together"
        await second.close()
        await first.close()
        deadline = time.monotonic() + 30
        while (status := await send(third, 1.0)) == 413 and time.monotonic() < deadline:
            await third.rerun()
            await asyncio.sleep(0.2)
        assert status == 204, "the place of who has left is free"
        await third.close()

    asyncio.run(scene())


def test_a_teacher_stops_all_at_one_press(narrow: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(narrow.runs_dir))
    who = {"X-Real-IP": "192.0.2.60", "Cookie": f"epsilon_visitor={'c' * 32}"}
    draft = Draft(parse({"rounds": 10_000, "attack": None}), (Variant("run"),))

    async def scene() -> str:
        runs = await Viewer.open(narrow.url, "runs", **who)
        job = queue.get(queue.add("run", {"draft": draft.as_json()}, owner="somebody"))
        await runs.rerun()
        assert "End them" not in runs.widgets
        start = await Viewer.open(narrow.url, "", **who)
        await start.move("Secret", "string_value", "chalk")
        await runs.rerun()
        await runs.press("End them")
        assert runs.errors == start.errors == []
        await runs.close()
        await start.close()
        return job.id

    identity = asyncio.run(scene())
    assert until(identity, lambda job: not job.live).status == "cancelled"
    assert queue.get(identity).message == "a teacher has stopped it"


@pytest.mark.parametrize("page", ["train", "tune", "attack"])
def test_what_takes_too_long_is_said_at_the_button(narrow: Server, page: str):
    viewer = Viewer.visited(narrow.url, page, **{"X-Real-IP": "192.0.2.50"})
    assert viewer.errors == []
    words = " ".join(viewer.written).replace("\\", "")
    assert "on this server, and one job may take 0.036 seconds; try fewer" in words


@pytest.mark.parametrize("path", ["/", "/_stcore/agent/interact", "/_stcore/health"])
def test_a_body_is_taken_for_an_upload_only(narrow: Server, path: str):
    request = urllib.request.Request(narrow.url + path, data=b"x" * 1000, method="POST")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=10)
    refused.value.close()
    assert refused.value.code == 405


def test_a_setting_that_makes_no_sense_is_one_sentence_and_no_server():
    served = ["-m", "streamlit", "run", "app.py", "--server.port", "0", "--server.headless", "true"]
    asked = subprocess.run(
        [sys.executable, *served],
        cwd=ROOT,
        env=os.environ | {"EPSILON_PAGES": "many"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert asked.returncode == 1
    assert asked.stderr.strip() == "EPSILON_PAGES must be a whole number from 1 to 100000; got “many”"
