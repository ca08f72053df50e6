"""Every page below a path, which a real nginx keeps or takes off."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Response, expect

from tests.browser.conftest import READY, Another
from tests.browser.server import Server, answers, free_port, without_worker
from tests.server.proxy import AROUND, NGINX, needs_nginx

pytestmark = needs_nginx
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


@pytest.fixture(scope="module", params=["kept", "taken off"])
def below(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    kept = request.param == "kept"
    more = {"STREAMLIT_SERVER_BASE_URL_PATH": "studio"} if kept else {}
    folder = tmp_path_factory.mktemp("prefix")
    port = free_port()
    with Server(without_worker(folder / "runs"), health="/studio" * kept, **more) as running:
        site = SITE.format(port=port, upstream=running.port, path="" if kept else "/")
        (folder / "site.conf").write_text(site)
        (folder / "nginx.conf").write_text(AROUND.format(folder=folder))
        command = [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")]
        with subprocess.Popen(command) as nginx, ExitStack() as at_the_end:
            at_the_end.callback(nginx.terminate)  # also where nothing answers
            answers(f"http://localhost:{port}/studio/_stcore/health")
            if kept:  # a path with a key in it keeps the other accounts of a machine out (README, JupyterHub)
                for path in ("/", "/train", "/_stcore/host-config", "/studi/train"):
                    with pytest.raises(HTTPError, match="404"):
                        urlopen(f"http://localhost:{running.port}{path}")
            yield f"http://localhost:{port}/studio/"


class At:
    def __init__(self, url: str) -> None:
        self.url = url.removesuffix("/studio/")


def test_every_page_is_whole_below_a_prefix(below: str, another: Another, request: pytest.FixtureRequest):
    page = another(At(below)).page
    missing: list[str] = []

    def heard(answer: Response) -> None:
        if "/assets/" in answer.url and answer.status >= 400:
            missing.append(answer.url)

    page.on("response", heard)
    for name in READY if "kept" in request.node.name else ("start", "clients", "train"):
        page.goto(below + name.removesuffix("start"))
        drawn = READY[name]
        expect(page.locator(drawn).first).to_be_visible()
        if name == "clients":
            assert page.locator(f"{drawn} input").count() >= 40
    page.goto(below + "noise/")
    expect(page).to_have_url(re.compile("/studio/noise(?:[?]|$)"))
    assert missing == []


def test_missing_asset_shows_a_reload_sentence(server: Server, browser: Browser):
    page = browser.new_page()
    page.route("**/assets/web/**", lambda route: route.fulfill(status=404, body="Not Found"))
    page.goto(f"{server.url}/noise")
    words = "This part of the page cannot be shown. Reload the page"
    expect(page.get_by_text(words).locator("visible=true").first).to_be_visible()
    page.unroute("**/assets/web/**")
    page.reload()
    expect(page.locator(READY["noise"]).first).to_be_visible()
    expect(page.get_by_text(words)).to_have_count(0)
    page.close()
