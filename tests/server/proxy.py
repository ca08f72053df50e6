"""A real nginx before a real server, with the configuration that is shipped."""

import shutil
import socket
import ssl
import subprocess
import time
from base64 import b64encode
from http.client import HTTPResponse
from pathlib import Path

from tests.conftest import ROOT
from tests.server.client import Way

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


def find_nginx() -> str | None:
    return shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")


class Proxy:
    """An nginx on a free port of this machine, in a folder of its own.

    Args:
        folder: for its files.
        upstream: the port of the server behind it.
        changes: what else is to stand where in the configuration.
    """

    def __init__(self, folder: Path, upstream: int, changes: dict[str, str] | None = None) -> None:
        self.folder = folder
        with socket.socket() as one, socket.socket() as two:
            for probe in (one, two):
                probe.bind(("127.0.0.1", 0))
            self.port, self.plain = one.getsockname()[1], two.getsockname()[1]
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
        self.process = subprocess.Popen(
            [find_nginx() or "nginx", "-p", folder, "-c", folder / "nginx.conf"], stderr=subprocess.PIPE
        )
        self._wait()

    def way(self, source: str = "127.0.0.1") -> Way:
        """How a visitor at an address of this machine comes to it."""
        wire = {"host": "127.0.0.1", "port": self.port, "ssl": self.trusted, "local_addr": (source, 0)}
        return Way(f"https://{NAME}:{self.port}", wire)

    def connect(self, source: str = "127.0.0.1") -> ssl.SSLSocket:
        raw = socket.create_connection(("127.0.0.1", self.port), timeout=60, source_address=(source, 0))
        return self.trusted.wrap_socket(raw, server_hostname=NAME)

    def ask(
        self, path: str, headers: dict[str, str] | None = None, source: str = "127.0.0.1", method: str = "GET"
    ) -> tuple[int, HTTPResponse]:
        """The status of an answer, and the answer; what it holds is read."""
        with self.connect(source) as line:
            line.sendall(request(self, path, (headers or {}) | {"Connection": "close"}, method))
            answer = HTTPResponse(line)
            answer.begin()
            answer.read()
            return answer.status, answer

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)
        if self.process.stderr:
            self.process.stderr.close()

    def _wait(self) -> None:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                self.connect().close()
                return
            except OSError:
                time.sleep(0.02)
        self.process.kill()
        raise AssertionError((self.process.communicate()[1] or b"nginx did not start").decode())


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
    hashed = subprocess.run(
        ["openssl", "passwd", "-6", PASSWORD], check=True, capture_output=True, text=True
    ).stdout
    (folder / "epsilon-studio.passwords").write_text(f"class:{hashed}")
    (folder / "epsilon-studio.pass").write_text(f"map $host $studio_pass {{ default {PASS}; }}\n")
