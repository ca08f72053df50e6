"""A real nginx before a real server, with the configuration that is shipped."""

import shutil
import socket
import ssl
import subprocess
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPResponse
from pathlib import Path

import pytest

from tests.browser.server import free_port
from tests.conftest import ROOT
from tests.runs.processes import wait_for

SHIPPED = ROOT / "assets" / "deploy" / "nginx.conf"
NAME = "studio.example.org"
PASSWORD = "chalk and slate"
PASS = "0123456789abcdef" * 3
"""What the cookie holds of a browser that has given the password."""
SIGNED = {"Authorization": f"Basic {b64encode(f'class:{PASSWORD}'.encode()).decode()}"}
KNOWN = {"Cookie": f"studio_pass={PASS}"}
AROUND = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 2048; }}
http {{
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin") or ""
needs_nginx = pytest.mark.skipif(not NGINX or not shutil.which("openssl"), reason="no nginx, or no openssl")


class Proxy:
    """An nginx on free ports of this machine, before the server at `upstream`, with its files in a folder;
    `changes` are made to its configuration.
    """

    def __init__(self, folder: Path, upstream: int, changes: Mapping[str, str] | None = None) -> None:
        self.folder, self.port, self.plain = folder, free_port(), free_port()
        make_secrets(folder)
        text = SHIPPED.read_text(encoding="utf-8")
        for old, new in {
            "    listen [::]:80;\n": "",
            "    listen [::]:443 ssl http2;\n": "",
            "listen 80;": f"listen 127.0.0.1:{self.plain};",
            "listen 443 ssl": f"listen 127.0.0.1:{self.port} ssl",
            "http://127.0.0.1:8501": f"http://127.0.0.1:{upstream}",
            "/etc/letsencrypt/live/studio.example.org": str(folder),
            "/etc/nginx": str(folder),
            "/var/log/nginx": str(folder),
            **(changes or {}),
        }.items():
            assert old in text, f"{old!r} is not in the configuration any more"
            text = text.replace(old, new)
        (folder / "site.conf").write_text(text, encoding="utf-8")
        (folder / "nginx.conf").write_text(AROUND.format(folder=folder), encoding="utf-8")
        self.trusted = ssl.create_default_context(cafile=folder / "fullchain.pem")
        command = [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")]
        self.process = subprocess.Popen(command)
        try:
            wait_for(self._answers, 30)
        except BaseException:
            self.close()
            raise

    def connect(self, source: str = "127.0.0.1") -> ssl.SSLSocket:
        raw = socket.create_connection(("127.0.0.1", self.port), timeout=60, source_address=(source, 0))
        return self.trusted.wrap_socket(raw, server_hostname=NAME)

    def ask(
        self, path: str, headers: dict[str, str] | None = None, source: str = "127.0.0.1", method: str = "GET"
    ) -> HTTPResponse:
        with self.connect(source) as line:
            line.sendall(request(self, path, (headers or {}) | {"Connection": "close"}, method))
            return answer_on(line)

    def unencrypted(self, requests: bytes, source: str, port: int = 0) -> bytes:
        """What comes back of the port that only redirects, or of another one."""
        with socket.create_connection(("127.0.0.1", port or self.plain), 60, (source, 0)) as line:
            line.sendall(requests)
            line.shutdown(socket.SHUT_WR)
            return line.makefile("rb").read()

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(10)

    def _answers(self) -> bool:
        assert self.process.poll() is None, "nginx did not start"
        with suppress(OSError):
            self.connect().close()
            return True
        return False


def answer_on(line: socket.socket) -> HTTPResponse:
    """The next answer, which is read."""
    answer = HTTPResponse(line)
    answer.begin()
    answer.read()
    return answer


def request(proxy: Proxy, path: str, headers: dict[str, str], method: str = "GET") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"Host: {NAME}:{proxy.port}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def make_secrets(folder: Path) -> None:
    """A certificate of its own making, and the two files that the configuration says how to make."""
    kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    names = ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"]
    files = ["-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem")]
    subprocess.run(["openssl", "req", *kind, *names, *files], check=True, capture_output=True)
    hashed = subprocess.check_output(["openssl", "passwd", "-6", PASSWORD], text=True)
    (folder / "epsilon-studio.passwords").write_text(f"class:{hashed}")
    (folder / "epsilon-studio.pass").write_text(f"map $host $studio_pass {{ default {PASS}; }}\n")
