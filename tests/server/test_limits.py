"""Limits of what one visitor may take of a server: pages, silent connections, uploads."""

import asyncio
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import uvicorn
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from websockets.exceptions import InvalidStatus

from ldp_core import presets
from ldp_core.runs import queue
from pages.server import listening
from tests.browser.server import Server, answers, free_port, without_worker
from tests.conftest import ROOT
from tests.server.client import Viewer, ask
from tests.server.conftest import Visit
from tests.server.test_load import MB, put

pytestmark = pytest.mark.anyio
SILENT = 300
BUSY_SECONDS = 30
"""Until a server has counted out who has left."""


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with small limits, behind a proxy that tells addresses."""
    with Server(
        without_worker(tmp_path_factory.mktemp("narrow") / "runs"),
        EPSILON_PAGES="12",
        EPSILON_ADDRESS_HEADER="X-Real-IP",
        EPSILON_TEACHER="chalk",
        STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL="1",
    ) as running:
        yield running


def read(server: Server, address: str) -> tuple[int, str]:
    answer = ask(server.port, headers={"X-Real-IP": address})
    return answer.status, answer.data.decode()


async def test_page_beyond_the_limit_is_refused_until_others_leave(narrow: Server, visit: Visit):
    async def opened(address: str) -> Viewer:
        return await visit(narrow.url, "compare", **{"X-Real-IP": address})

    pages = [await opened("192.0.2.1") for _ in range(6)]
    with pytest.raises(InvalidStatus, match="429"):
        await opened("192.0.2.1")
    status, text = read(narrow, "192.0.2.1")
    assert (status, "6 pages" in text) == (429, True)
    assert read(narrow, "192.0.2.2")[0] == 200, "others are let in"

    pages += [await opened(f"192.0.2.{n}") for n in range(2, 8)]
    status, text = read(narrow, "192.0.2.99")
    assert (status, "12 pages" in text) == (429, True)
    for one in pages:
        await one.close()
    await opened("192.0.2.99")


async def empty(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


def test_silent_connections_are_closed_and_keep_no_visitor_out(monkeypatch: pytest.MonkeyPatch):
    """Hundreds that say nothing, and some that never end the head of their first request."""
    monkeypatch.setattr(listening, "SILENT_SECONDS", 2.0)
    port = free_port()
    config = uvicorn.Config(empty, port=port, http=listening.Listening, lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    serves = threading.Thread(target=server.run)
    serves.start()
    answers(f"http://127.0.0.1:{port}")
    began = time.monotonic()
    with ExitStack() as stack:
        silent = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
            for _ in range(SILENT)
        ]
        for one in silent[:50]:
            one.sendall(b"GET / HTTP/1.1\r\nHost: loc")
        answers(f"http://127.0.0.1:{port}")
        assert {one.recv(10) for one in silent} == {b""}
        assert time.monotonic() - began > 1, "not refused, but closed after their time"
    server.should_exit = True
    serves.join()


async def test_uploads_are_limited_and_freed_with_their_page(narrow: Server, visit: Visit):
    token = generate_xsrf_token_string()

    def send(viewer: Viewer) -> int:
        return put(narrow, viewer.session, b"x" * int(4.5 * MB), token=token, address="192.0.2.40")

    first, second = [await visit(narrow.url, "compare", **{"X-Real-IP": "192.0.2.40"}) for _ in range(2)]
    assert [send(first) for _ in range(5)] == [204] * 4 + [413]
    assert [send(second) for _ in range(5)] == [204] * 4 + [413]
    third = await visit(narrow.url, "compare", **{"X-Real-IP": "192.0.2.40"})
    assert [send(third) for _ in range(3)] == [204, 204, 413], "half of all of one address"
    await first.close()
    deadline = time.monotonic() + BUSY_SECONDS
    while (status := send(third)) == 413 and time.monotonic() < deadline:
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


def test_invalid_setting_is_one_sentence_and_no_server():
    served = ["-m", "streamlit", "run", "app.py", "--server.port", "0", "--server.headless", "true"]
    environment, pipe = os.environ | {"EPSILON_PARTS_DIR": "/dev/null"}, subprocess.PIPE
    asked = subprocess.run([sys.executable, *served], cwd=ROOT, env=environment, stderr=pipe, timeout=60)
    assert asked.returncode == 1
    (sentence,) = asked.stderr.decode().splitlines()
    assert "EPSILON_PARTS_DIR" in sentence
