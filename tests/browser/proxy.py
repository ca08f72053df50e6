"""A bad network between a browser and a server: a TCP proxy that delays, throttles, resets and drops."""

import asyncio
import random
import socket
import struct
import threading
from collections.abc import Callable
from typing import Any

CHUNK = 4096


class Proxy:
    """Listens on a free port of its own, in a thread of its own; `dropped` connections it has cut so far."""

    def __init__(self, port: int) -> None:
        self.target, self.dropped = port, 0
        self.latency = 0.0  # seconds that every byte spends on its way, in each direction
        self.rate: float | None = None  # bytes a second and connection, in each direction
        self.resets = 0.0  # the share of chunks that end their connection instead of arriving
        self._random = random.Random(0)
        self._open: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._call(lambda: asyncio.start_server(self._connected, "127.0.0.1", 0))
        self.port: int = self._server.sockets[0].getsockname()[1]

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    def drop(self) -> None:
        """Cut every open connection, as a lost network does."""
        self._call(self._cut)

    async def _cut(self) -> None:
        for writer in [*self._open]:
            self._reset(writer)

    def close(self) -> None:
        self._call(self._shut)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(30)
        self._loop.close()

    async def _shut(self) -> None:
        await self._cut()
        self._server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:  # what is on its way need not arrive
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # connections that were cut are closed in the loop's next turn

    def _call(self, work: Callable[[], Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work(), self._loop).result(10)

    def _reset(self, writer: asyncio.StreamWriter) -> None:
        if writer in self._open:
            self._open.discard(writer)
            self.dropped += 1
            raw = writer.get_extra_info("socket")
            if raw.fileno() >= 0:  # or else it has been closed, and is about to leave the set
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            inner, outer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        self._open.add(writer)
        try:
            await asyncio.gather(self._pump(reader, outer, writer), self._pump(inner, writer, writer))
        finally:
            self._open.discard(writer)
            for end in (writer, outer):
                end.transport.abort()

    async def _pump(self, source: asyncio.StreamReader, to: asyncio.StreamWriter, visitor: Any) -> None:
        """Carry what comes, a chunk at a time; chunks on their way overlap, as on a long line."""
        line: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        carrier = asyncio.create_task(self._deliver(line, to))
        now = asyncio.get_running_loop().time
        try:
            while chunk := await source.read(CHUNK):
                if self.resets and self._random.random() < self.resets:
                    self._reset(visitor)
                    break
                await line.put((now() + self.latency, chunk))
                if self.rate:
                    await asyncio.sleep(len(chunk) / self.rate)
        except OSError:
            pass
        await line.put((0.0, b""))
        await carrier

    async def _deliver(self, line: asyncio.Queue[tuple[float, bytes]], to: asyncio.StreamWriter) -> None:
        try:
            while (item := await line.get())[1]:
                due, chunk = item
                await asyncio.sleep(due - asyncio.get_running_loop().time())
                to.write(chunk)
                await to.drain()
        except OSError:
            pass
        to.transport.abort() if to.is_closing() else to.close()
