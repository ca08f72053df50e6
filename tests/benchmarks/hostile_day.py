"""A class beside attackers: `python -m tests.benchmarks.hostile_day [--nginx] [--viewers 300] [--minutes 1]`.

Viewers of a live run come from twelve addresses (127.0.1.n), and ask again as their page says; a third of
them redraw the whole page too. Beside them, from addresses of their own: heads of requests that never end,
heads of 500 kB, websocket frames of 9 MB, and connections that are opened and left. Printed: viewers that
were refused or failed, what became of the attackers, memory and processor of the server, load.
"""

import argparse
import asyncio
import os
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Coroutine
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import psutil
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from ldp_core import presets
from ldp_core.runs import jobs
from tests.benchmarks.crowd import Person, leave, megabytes, polling, quantiles, served, used
from tests.server.proxy import KNOWN, NAME, Proxy

ADDRESSES, REDRAWS = 12, 5
SLOW_HEADS, LONG_HEADS, FRAMES, RECONNECTS = 200, 216, 38, 389
SLOW_SECONDS, HEAD, FRAME = 40.0, 500_000, 9_000_000


class Place:
    """Where the server is reached: directly, or through nginx."""

    def __init__(self, port: int, proxy: Proxy | None) -> None:
        self.port = proxy.port if proxy else port
        self.trusted = proxy.trusted if proxy else None
        self.url = f"https://{NAME}:{self.port}" if proxy else f"http://localhost:{port}"
        self.headers = KNOWN if proxy else {}

    def wire(self, source: str) -> dict[str, Any]:
        secure = {"ssl": self.trusted} if self.trusted else {}
        return {"host": "127.0.0.1", "port": self.port, "local_addr": (source, 0), **secure}

    async def socket(self, source: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        name = NAME if self.trusted else None
        return await asyncio.open_connection(**self.wire(source), server_hostname=name)

    def stream(self, source: str) -> connect:
        return connect(
            self.url.replace("http", "ws", 1) + "/_stcore/stream",
            subprotocols=[Subprotocol("streamlit")],
            additional_headers=self.headers,
            origin=self.url,  # type: ignore[arg-type]
            **self.wire(source),
        )


async def slow_head(place: Place) -> str:
    """A byte a second of a head that has no end."""
    reader, writer = await place.socket("127.0.2.1")
    began = time.monotonic()
    with suppress(OSError):
        writer.write(b"GET / HTTP/1.1\r\nX: ")
        while not reader.at_eof() and time.monotonic() - began < SLOW_SECONDS:
            writer.write(b"x")
            with suppress(TimeoutError):
                await asyncio.wait_for(reader.read(1000), 1)
    writer.close()
    return "closed" if time.monotonic() - began < SLOW_SECONDS else "never closed"


async def long_head(place: Place) -> str:
    reader, writer = await place.socket("127.0.2.2")
    line = b""
    with suppress(OSError):
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * HEAD)
        line = await asyncio.wait_for(reader.readline(), 60)
    writer.close()
    return line[9:12].decode() or "closed"


async def long_frame(place: Place) -> str:
    try:
        async with place.stream("127.0.2.3") as socket:
            with suppress(ConnectionClosed):
                await socket.send(bytes(FRAME))
            await asyncio.wait_for(socket.wait_closed(), 60)
            return str(socket.close_code)
    except (InvalidStatus, OSError) as error:
        return _why(error)


async def reconnect(place: Place) -> str:
    try:
        async with place.stream("127.0.2.4"):
            return "101"
    except (InvalidStatus, OSError) as error:
        return _why(error)


def _why(error: Exception) -> str:
    return str(error.response.status_code) if isinstance(error, InvalidStatus) else type(error).__name__


async def spread(asked: list[Coroutine[Any, Any, str]], seconds: float) -> Counter[str]:
    """Outcomes of attacks that begin evenly over so many seconds."""

    async def one(n: int, attack: Coroutine[Any, Any, str]) -> str:
        await asyncio.sleep(seconds * n / len(asked))
        return await attack

    return Counter(await asyncio.gather(*(one(n, attack) for n, attack in enumerate(asked))))


async def redraw(viewer: Person, offset: float, seconds: float) -> list[float]:
    took = []
    for turn in range(REDRAWS):
        await asyncio.sleep(offset if turn == 0 else seconds / REDRAWS)
        took.append(await viewer.rerun())
    return took


async def day(place: Place, job: str, viewers: int, seconds: float, process: psutil.Process) -> None:
    before, began = megabytes(process), used(process)
    opened, refused = list[Person](), Counter[str]()
    for n in range(viewers):
        try:
            wire = place.wire(f"127.0.1.{1 + n % ADDRESSES}")
            opened.append(await Person.open(place.url, "train", f"job={job}", wire=wire, **place.headers))
        except (InvalidStatus, OSError, ConnectionClosed) as error:
            refused[_why(error)] += 1
    print(f"viewers: {len(opened)} of {viewers} opened, refused: {dict(refused) or 0}", end="; ")
    mean = (used(process) - began) / viewers
    print(f"{mean:.3f} s of a core for each, {megabytes(process) - before:.1f} MB for all")
    memory, began, at = megabytes(process), used(process), time.monotonic()
    attacks = {
        "slow heads": [slow_head(place) for _ in range(SLOW_HEADS)],
        "heads of 500 kB": [long_head(place) for _ in range(LONG_HEADS)],
        "frames of 9 MB": [long_frame(place) for _ in range(FRAMES)],
        "reconnects": [reconnect(place) for _ in range(RECONNECTS)],
    }
    most = [memory]

    async def watched() -> None:
        while True:
            most.append(megabytes(process))
            await asyncio.sleep(0.5)

    watching = asyncio.create_task(watched())
    async with polling(opened, pause=None):
        drawing = [redraw(one, n / 20, seconds) for n, one in enumerate(opened[: viewers // 3])]
        drawn, ends = await asyncio.gather(
            asyncio.gather(*drawing),
            asyncio.gather(*(spread(asked, seconds / 2) for asked in attacks.values())),
        )
        await asyncio.sleep(max(0.0, seconds - (time.monotonic() - at)))
    watching.cancel()
    took, spent = time.monotonic() - at, used(process) - began
    redraws = [one for some in drawn for one in some]
    polls = [poll for one in opened for poll in one.polls]
    print(f"redraws: {quantiles(redraws)}\npolls:   {len(polls)}: {quantiles(polls)}")
    for name, outcome in zip(attacks, ends, strict=True):
        print(f"{name}: {dict(outcome)}")
    print(f"server:  {spent / took:.2f} of a core for {took:.0f} s, {spent / len(opened):.3f} s a viewer")
    print(f"memory:  {memory:.0f} to {megabytes(process):.0f} MB, most {max(most):.0f} MB")
    await leave(*opened)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--viewers", type=int, default=300)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--nginx", action="store_true", help="all come through nginx, configured as shipped")
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    own = {"EPSILON_ADDRESS_HEADER": "X-Real-IP", "STREAMLIT_SERVER_ALLOWED_HOSTS": NAME}
    with served(False, **(own if options.nginx else {})) as (url, process), ExitStack() as stack:
        port = int(url.rpartition(":")[2])
        proxy = None
        if options.nginx:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            proxy = stack.enter_context(closing(Proxy(folder, port)))
        job = jobs.submit(presets.get("two_volunteers").draft.with_base({"rounds": 10_000}))
        while jobs.status(job)["round"] < 3:
            time.sleep(0.2)
        asyncio.run(day(Place(port, proxy), job, options.viewers, 60 * options.minutes, process))
        print(f"load: {', '.join(f'{one:.1f}' for one in os.getloadavg())}")


if __name__ == "__main__":
    main()
