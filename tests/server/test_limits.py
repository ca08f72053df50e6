"""S2 and a soak: what one visitor may take of a server; lying uploads and reruns leave memory bounded."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import psutil
import pytest
import uvicorn
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from websockets.exceptions import InvalidStatus

from ldp_core import presets
from ldp_core.runs import jobs, queue
from pages.server import listening
from tests.browser.server import Server, answers, begun_warm, free_port, without_worker
from tests.conftest import ROOT
from tests.extent import in_gate
from tests.runs.processes import at_once
from tests.server.client import Viewer, ask
from tests.server.conftest import Visit
from tests.warm import Interpreter

pytestmark = pytest.mark.anyio
MB = 2**20
CAP = 5 * MB
RERUNS = in_gate(30, 300)
"""Of each of six viewers."""
MOST_GROWN = in_gate(6.0, 10.0)
"""MB: what is kept of every rerun adds up to less in a shorter soak."""
MOST_BYTES = 200_000
"""A whole view of a run: thirty laptops share one wireless network."""
PAUSE_SECONDS = 0.1
"""Between two reruns of a viewer: calm, because other tests run beside it."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, interpreter: Interpreter) -> Iterator[Server]:
    with Server(begun_warm(tmp_path_factory.mktemp("server") / "runs", interpreter)) as running:
        yield running


def put(
    server: Server, session: str, body: bytes, length: int | None = None, token: str = "", address: str = "-"
) -> int:
    """Upload as the page does, but with whatever Content-Length; the status of the answer."""
    head = b'--edge\r\nContent-Disposition: form-data; name="f"; filename="a.csv"\r\n\r\n'
    whole = head + body + b"\r\n--edge--\r\n"
    headers = {
        "Content-Type": "multipart/form-data; boundary=edge",
        "Content-Length": str(len(whole) if length is None else length),
        "Connection": "close",
        "X-Real-IP": address,
    }
    if token:
        headers |= {"Cookie": f"_streamlit_xsrf={token}", "X-Xsrftoken": token}
    path = f"/_stcore/upload_file/{session}/{uuid.uuid4()}"
    # who is refused before all was sent may not be able to read why
    return ask(server.port, path, "PUT", headers=headers, body=whole, preload_content=False).status


def memory(server: Server) -> float:
    return psutil.Process(server.process.pid).memory_info().rss / MB


async def test_reruns_do_not_grow_memory(server: Server, visit: Visit, monkeypatch: pytest.MonkeyPatch):
    """Postponed garbage (postScriptGC is off) must not add up: reruns of Noise and of a run's own view.

    Seen is what keeps 50 kB a rerun, and 10 kB in the long soak.
    """
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(server.runs_dir))
    await (await visit(server.url, "train")).press("Train")
    job = queue.find(most=1)[0].id
    viewers = [await visit(server.url, "noise") for _ in range(3)]
    watchers = [await visit(server.url, "train", f"job={job}") for _ in range(3)]
    most = 0

    async def drag(viewer: Viewer, turns: range) -> None:
        for turn in turns:
            asked = {"weight": turn % 80 / 40 - 1, "seq": turn + 1, "settled": False}
            await viewer.move("studio_strip", "json_value", json.dumps({"asked": asked}))
            await asyncio.sleep(PAUSE_SECONDS)

    async def look(viewer: Viewer, turns: range) -> None:
        nonlocal most
        for _ in turns:
            before = viewer.received
            await viewer.rerun()
            most = max(most, viewer.received - before)
            await asyncio.sleep(PAUSE_SECONDS)

    held = []
    for turns in (range(RERUNS // 3), range(RERUNS // 3, RERUNS)):
        await asyncio.gather(*(drag(v, turns) for v in viewers), *(look(v, turns) for v in watchers))
        held.append(memory(server))
    jobs.cancel(job)
    early, late = held
    print(f"reruns of at most {most} bytes: {early:.0f} MB after a third, {late:.0f} MB at the end")
    assert late < 200
    assert late - early < MOST_GROWN
    assert most < MOST_BYTES


async def test_uploads_have_a_cap_and_a_sender(server: Server, visit: Visit):
    viewer, token = await visit(server.url, "clients"), generate_xsrf_token_string()

    def send(body: bytes, length: int | None = None, session: str = viewer.session) -> int:
        return put(server, session, body, length, token)

    before = memory(server)
    assert send(b"client,epsilon,low,high\n") == 204
    assert send(b"x", 2**30) == send(b"x" * (CAP + 2 * MB)) == 413
    statuses = {
        "more than promised": send(b"x" * (CAP + 2 * MB), 100),
        "a length that is none": send(b"x", -5),
        "an unknown session": send(b"x", None, "0" * 36),
        "without the page's token": put(server, viewer.session, b"x"),
    }
    assert all(status == 0 or 400 <= status < 500 for status in statuses.values()), statuses
    at_once(20, lambda: send(b"x" * (CAP - MB // 2)))
    await viewer.rerun()
    grown = memory(server) - before
    assert grown < 20 * 5 + 2 * 5, f"the server grew by {grown:.0f} MB"


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
