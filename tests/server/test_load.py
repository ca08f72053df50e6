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
from tests.server.client import Viewer, ask
from tests.warm import Interpreter

MB = 2**20
CAP = 5 * MB
RERUNS = in_gate(30, 300)
"""Of each of six viewers."""
MOST_GROWN = in_gate(6.0, 10.0)
"""MB: what is kept of every rerun adds up to less in a shorter soak."""
MOST_BYTES = 200_000
"""A whole view of a run: thirty laptops share one wireless network."""
PAUSE_SECONDS = 0.25
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
        "X-Real-IP": address,
    }
    if token:
        headers |= {"Cookie": f"_streamlit_xsrf={token}", "X-Xsrftoken": token}
    return ask(server.port, f"/_stcore/upload_file/{session}/{uuid.uuid4()}", headers, "PUT", whole).status


def memory(server: Server) -> float:
    return psutil.Process(server.process.pid).memory_info().rss / MB


def test_reruns_leave_the_memory_as_it_was(server: Server, monkeypatch: pytest.MonkeyPatch):
    """Postponed garbage (postScriptGC is off) must not add up: reruns of Noise and of a run's own view.

    Seen is what keeps 50 kB a rerun, and 10 kB in the long soak.
    """
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(server.runs_dir))

    async def scene() -> tuple[list[float], int]:
        watcher = await Viewer.open(server.url, "train")
        await watcher.press("Train")
        job = queue.find(most=1)[0].id
        viewers = [await Viewer.open(server.url, "noise") for _ in range(3)]
        watchers = [await Viewer.open(server.url, "train", f"job={job}") for _ in range(3)]
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
        for viewer in (watcher, *viewers, *watchers):
            assert viewer.errors == []
            await viewer.close()
        jobs.cancel(job)
        return held, most

    (early, late), most = asyncio.run(scene())
    print(f"reruns of at most {most} bytes: {early:.0f} MB after a third, {late:.0f} MB at the end")
    assert late < 200
    assert late - early < MOST_GROWN
    assert most < MOST_BYTES


def test_uploads_have_a_cap_and_a_sender(server: Server):
    async def scene() -> tuple[dict[str, int], float]:
        viewer = await Viewer.open(server.url, "clients")
        token = generate_xsrf_token_string()

        def send(body: bytes, length: int | None = None, session: str = viewer.session) -> int:
            return put(server, session, body, length, token)

        before = memory(server)
        statuses = {
            "as it should be": await asyncio.to_thread(send, b"client,epsilon,low,high\n"),
            "a gigabyte promised": await asyncio.to_thread(send, b"x", 2**30),
            "too large": await asyncio.to_thread(send, b"x" * (CAP + 2 * MB)),
            "more than promised": await asyncio.to_thread(send, b"x" * (CAP + 2 * MB), 100),
            "a length that is none": await asyncio.to_thread(send, b"x", -5),
            "nobody's session": await asyncio.to_thread(send, b"x", None, "0" * 36),
            "without the page's token": await asyncio.to_thread(put, server, viewer.session, b"x"),
        }
        await asyncio.gather(*(asyncio.to_thread(send, b"x" * (CAP - MB // 2)) for _ in range(20)))
        await viewer.rerun()
        assert viewer.errors == []
        await viewer.close()
        return statuses, memory(server) - before

    statuses, grown = asyncio.run(scene())
    assert statuses.pop("as it should be") == 204
    assert statuses["a gigabyte promised"] == statuses["too large"] == 413
    assert all(status == 0 or 400 <= status < 500 for status in statuses.values()), statuses
    assert grown < 20 * 5 + 2 * 5, f"the server grew by {grown:.0f} MB"
