"""A web server for downloads, on a real socket, that can misbehave."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Web(ThreadingHTTPServer):
    """Serves `files` by name; every request is noted."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.cut: list[int] = []
        """Bytes after which the next answers break off, one an answer."""
        self.pause = 0.0
        """Seconds between pieces."""
        self.slow_from = sys.maxsize
        """The byte from which on an answer takes minutes; it never stands still, or others would be asked."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is what some tests are about."""


class Handler(BaseHTTPRequestHandler):
    server: Web

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        self.server.asked.append(name)
        body = self.server.files.get(name)
        if body is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        end = self.server.cut.pop(0) if self.server.cut else len(body)
        for at in range(0, min(end, len(body)), 1000):
            self.wfile.write(body[at : min(at + 1000, end)])
            if pause := max(self.server.pause, 0.1 * (at >= self.server.slow_from)):
                time.sleep(pause)

    def log_message(self, *words: object) -> None:
        pass


@contextmanager
def web() -> Iterator[Web]:
    """A server for as long as a test lasts."""
    server = Web()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
