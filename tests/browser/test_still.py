"""The page that needs no server, opened from a disk without a network."""

import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from pages.parts.still.bundle import theme
from pages.parts.still.parts import page as page_of
from tests.browser.conftest import Visitor, violations
from tests.browser.server import Server, without_worker

ASIDE = """() => [...document.querySelectorAll('main *')].filter((one) => one.checkVisibility())
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.className)"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("still") / "still.html"
    file.write_text(page_of(), encoding="utf-8")
    return file.as_uri()


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light")])
def test_still_opens_offline_and_is_accessible(browser: Browser, address: str, width: int, scheme: str):
    look: dict[str, Any] = {"color_scheme": scheme, "viewport": {"width": width, "height": 900}}
    context = browser.new_context(offline=True, **look)
    page, asked, said = context.new_page(), list[str](), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(address)
    expect(page.locator("body")).to_have_attribute("data-ready", "yes")
    for lesson in page.locator(".still-steps button").all():
        lesson.click()
        reveal = page.locator(".still-reveal")
        if reveal.is_visible():
            reveal.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(ASIDE) == []
        assert [one["id"] for one in violations(page)] == []
    assert asked == [address]
    assert said == []
    context.close()


def test_still_is_used_by_keyboard(browser: Browser, address: str):
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(address)
    slider = page.locator(".es-dissolve-slider")
    before = page.locator(".es-dissolve-figures").inner_text()
    slider.press("ArrowRight")
    assert page.locator(".es-dissolve-figures").inner_text() != before
    rounds = page.locator(".still-bar input")
    last = page.locator(".es-headline").last.inner_text()
    rounds.press("Home")
    assert page.locator(".es-headline").last.inner_text() != last
    page.get_by_role("button", name="Play").press("Enter")
    expect(page.locator(".es-headline").last).to_have_text(last, timeout=30_000)
    context.close()


def test_chart_tells_the_values_under_the_pointer(browser: Browser, address: str):
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(address)
    chart = page.locator(".es-plot").first
    chart.hover(position={"x": 150, "y": 120})
    expect(chart.locator(".es-tip")).to_contain_text("%")
    page.mouse.move(0, 0)
    expect(chart.locator(".es-tip")).to_be_hidden()
    context.close()


def test_still_has_the_colours_that_streamlit_gives(another: Callable[..., Visitor]):
    for scheme, wanted in theme().items():
        page = another(color_scheme=scheme).open("/")
        page.locator(".es-dissolve").wait_for()
        colours = {name: value for name, value in wanted.items() if re.fullmatch(r"#\w+|rgba\(.+\)", value)}
        painted = page.evaluate(
            """(colours) => Object.entries(colours).map(([name, value]) => {
              const box = document.querySelector('.es-dissolve'), seen = [];
              for (const one of [`var(--st-${name})`, value]) {
                box.style.color = one;
                seen.push(getComputedStyle(box).color);
              }
              return [name, ...seen];
            })""",
            colours,
        )
        assert len(painted) > 12
        assert [(name, given) for name, given, ours in painted if given != ours] == []


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
