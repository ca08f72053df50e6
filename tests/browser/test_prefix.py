"""Every page below a path, which a real nginx keeps or takes off."""

from __future__ import annotations

import re
import socket
import subprocess
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Response, expect

from tests.browser.conftest import Visitor
from tests.browser.server import Server, without_worker
from tests.server.proxy import AROUND, find_nginx

pytestmark = pytest.mark.skipif(find_nginx() is None, reason="nginx is not installed")
SITE = """
map $http_upgrade $connection_ {{ default upgrade; "" close; }}
server {{
    listen 127.0.0.1:{port};
    access_log off;
    location /studio/ {{
        proxy_pass http://127.0.0.1:{upstream}{path};
        proxy_http_version 1.1;
        proxy_set_header Host $http_host;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection $connection_;
    }}
}}
"""
DRAWN = {
    "": ".es-outcome canvas, .es-outcome svg, [data-testid='stPageLink']",
    "clients": ".es-table input",
    "noise": ".js-plotly-plot",
    "train": ".es-panel, .js-plotly-plot",
    "attack": ".es-shot",
    "tune": ".es-heat-cell",
    "compare": "h1",
    "papers": ".js-plotly-plot",
    "runs": "h1",
}
"""By page, what its components draw."""


@pytest.fixture(scope="module", params=["kept", "taken off"])
def below(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    kept = request.param == "kept"
    more = {"STREAMLIT_SERVER_BASE_URL_PATH": "studio"} if kept else {}
    folder = tmp_path_factory.mktemp("prefix")
    running = Server(without_worker(folder / "runs"), health="/studio" * kept, **more)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    site = SITE.format(port=port, upstream=running.port, path="" if kept else "/")
    (folder / "site.conf").write_text(site)
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder))
    nginx = subprocess.Popen([find_nginx() or "nginx", "-p", folder, "-c", folder / "nginx.conf"])
    deadline = time.monotonic() + 30
    while not _listens(port):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    yield f"http://localhost:{port}/studio/"
    nginx.terminate()
    nginx.wait(10)
    running.stop()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class At:
    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/").removesuffix("/studio")


def test_every_page_is_whole_below_a_prefix(below: str, browser: Browser):
    visitor = Visitor(browser, At(below))
    missing: list[str] = []

    def heard(answer: Response) -> None:
        if "/assets/" in answer.url and answer.status >= 400:
            missing.append(answer.url)

    visitor.page.on("response", heard)
    for path, drawn in DRAWN.items():
        visitor.page.goto(below + path)
        expect(visitor.page.locator(drawn).first).to_be_visible()
        if path == "clients":
            assert visitor.page.locator(drawn).count() >= 40
    visitor.page.goto(below + "noise/")
    expect(visitor.page).to_have_url(re.compile("/studio/noise(?:[?]|$)"))
    assert missing == []
    assert visitor.complaints == []
    assert visitor.foreign == []
    visitor.context.close()


def test_a_part_whose_file_does_not_come_through_says_so(server: Server, browser: Browser):
    visitor = Visitor(browser, server)
    visitor.page.route("**/assets/web/**", lambda route: route.fulfill(status=404, body="Not Found"))
    visitor.page.goto(f"{server.url}/noise")
    words = "This part of the page cannot be shown. Reload the page"
    expect(visitor.page.get_by_text(words).first).to_be_visible()
    visitor.page.unroute("**/assets/web/**")
    visitor.page.reload()
    expect(visitor.page.locator(".js-plotly-plot").first).to_be_visible()
    expect(visitor.page.get_by_text(words)).to_have_count(0)
    visitor.context.close()
