"""In a page of another site, whose cookies browsers keep apart."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.server import Server, without_worker

FILE = "client,epsilon,low,high\n" + "".join(f"{n},3,-1,1\n" for n in range(1, 8))


class Course(BaseHTTPRequestHandler):
    """A page that embeds the address which it is asked with."""

    def do_GET(self) -> None:
        page = f'<h1>A course</h1><iframe width="1300" height="900" src="{self.path[2:]}"></iframe>'
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(page.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def course() -> Iterator[str]:
    site = ThreadingHTTPServer(("127.0.0.1", 0), Course)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{site.server_port}"
    site.shutdown()
    site.server_close()


@pytest.fixture(scope="module")
def embedded(course: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    runs_dir = without_worker(tmp_path_factory.mktemp("embedded") / "runs")
    with Server(runs_dir, EPSILON_FRAME_ANCESTORS=course) as running:
        yield running


def test_allowed_frame_takes_files_and_keeps_the_visitor(
    embedded: Server, course: str, browser: Browser, tmp_path: Path
):
    (tmp_path / "class.csv").write_text(FILE)
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{course}/?{embedded.url}/clients")
    inside = page.frame_locator("iframe")
    expect(inside.locator(".es-dots-line").first).to_be_visible()
    inside.get_by_role("button", name="As a CSV file").click()
    inside.get_by_test_id("stPopoverBody").locator("input[type=file]").set_input_files(tmp_path / "class.csv")
    expect(inside.get_by_text("7 clients").first).to_be_visible()
    (known,) = [one["value"] for one in context.cookies() if one["name"] == "epsilon_visitor"]
    page.goto(f"{course}/?{embedded.url}/noise")
    expect(inside.locator(".js-plotly-plot").first).to_be_visible()
    assert [one["value"] for one in context.cookies() if one["name"] == "epsilon_visitor"] == [known]
    context.close()


def test_unlisted_site_cannot_embed_the_pages(server: Server, course: str, browser: Browser):
    page = browser.new_page()
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(f"{course}/?{server.url}")
    page.wait_for_timeout(1000)
    assert [words for words in refused if "frame" in words.lower()]
    page.close()
