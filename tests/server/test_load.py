"""S2 and a soak: uploads that lie or come all at once, and reruns, leave memory bounded.

The long soaks (with EPSILON_TEST_ALL this one takes minutes) and the class of thirty are a benchmark:
tests/benchmarks/viewers.py.
"""

import asyncio
import json
import uuid
from collections.abc import Iterator

import psutil
import pytest
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

from ldp_core.runs import jobs, queue
from tests.browser.server import Server, begun_warm
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
