"""A browser and a server for the tests of this folder."""

import os
import re
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    BrowserContext,
    BrowserType,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)

from ldp_core.errors import StorageFailed
from ldp_core.experiment import Draft
from ldp_core.runs import queue
from ldp_core.runs.record import drafts
from tests.browser.chromium import ARGUMENTS, HASTY, find_chromium
from tests.browser.server import Server, begun_warm
from tests.gate import GATED
from tests.runs.processes import stop_all
from tests.warm import Interpreter

HERE = Path(__file__).parent
PATIENCE = 60_000
"""Milliseconds until something is missed, where two browsers draw beside a training."""
TRAINING = 200_000
"""Milliseconds until a training is missed: it gives way to whatever else this machine does."""
SIZE: ViewportSize = {"width": 1440, "height": 1200}
READY = {
    "start": ".es-dissolve-slider",
    "ask": "text=What would have to change",
    "clients": ".es-dots-line, .es-table",
    "noise": ".es-chart.js-plotly-plot",
    "train": ".es-panels .js-plotly-plot",
    "attack": ".es-ladder",
    "tune": ".es-heat-cell",
    "papers": ".js-plotly-plot",
    "compare": "text=/No runs are chosen yet|Chosen for you/",
    "runs": "text=What has been trained on this server?",
    "more": "text=Words, each explained once",
}
"""What is drawn of a page when it is there."""
HIDDEN = ("learn", "papers", "compare", "runs", "class")
"""Pages behind the menu's “More”."""
expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Beside a failure stands what its page showed, and what was in the queue."""
    report = yield
    visitor = getattr(item, "funcargs", {}).get("visitor")
    if report.when == "call" and report.failed and visitor is not None:
        with suppress(Error, StorageFailed):
            jobs = [(job.id, job.kind, job.status, job.message) for job in queue.find(most=3)]
            words = visitor.page.locator("body").inner_text(timeout=1000)
            report.sections.append(("the page", f"{visitor.page.url}\n{words[:3000]}\n{jobs}"))
    return report


@pytest.fixture(scope="session")
def chromium() -> Iterator[BrowserType]:
    if find_chromium() is None:
        reason = "no Chromium on this machine (Debian: apt-get install chromium): browser tests not run"
        if os.environ.get("EPSILON_CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        yield playwright.chromium


@pytest.fixture(scope="session")
def arguments(request: pytest.FixtureRequest) -> list[str]:
    """Of the browser's command: tests that measure time have the browser that people have."""
    timed = request.config.getoption("markexpr") == "alone"
    return ARGUMENTS if timed else [*ARGUMENTS, *HASTY]


@pytest.fixture(scope="session")
def browser(chromium: BrowserType, arguments: list[str]) -> Iterator[Browser]:
    browser = chromium.launch(executable_path=find_chromium(), args=arguments)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def profile(
    chromium: BrowserType, arguments: list[str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrowserContext]:
    """What one browser keeps: compiled scripts, a third of what a page costs; tests are other visitors."""
    folder = tmp_path_factory.mktemp("profile")
    context = chromium.launch_persistent_context(
        folder, executable_path=find_chromium(), args=arguments, viewport=SIZE
    )
    yield context
    context.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, interpreter: Interpreter) -> Iterator[Server]:
    """One for all tests of this process, but those that harm it or need it in another way; a worker that it
    starts in place of the one that began warm can be held as well.
    """
    runs_dir = begun_warm(tmp_path_factory.mktemp("server") / "runs", interpreter)
    with Server(runs_dir, PYTHONPATH=GATED) as running:
        yield running


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory, interpreter: Interpreter) -> Iterator[Server]:
    """A server with a teacher."""
    runs_dir = begun_warm(tmp_path_factory.mktemp("school") / "runs", interpreter)
    with (
        Server(runs_dir, EPSILON_TEACHER="chalk", PYTHONPATH=GATED) as running,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("EPSILON_RUNS_DIR", str(runs_dir))
        yield running
        stop_all()


class Visitor:
    """A page that notices what should not be: console errors and requests to other hosts."""

    def __init__(self, browser: Browser | BrowserContext, server: Any, **options: Any) -> None:
        """A private window of a browser, or a tab of a visitor's own."""
        if isinstance(browser, Browser):
            self.context = browser.new_context(**({"viewport": SIZE} | options))
        else:
            self.context = browser
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.server = server
        self.complaints: list[str] = []
        self.foreign: list[str] = []
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self._watch(request.url))

    def _hear(self, message: ConsoleMessage) -> None:
        # On the address of a sub-page Streamlit first asks for its health there, and notes the 404.
        harmless = "/_stcore/" in message.location.get("url", "") and "404" in message.text
        if message.type == "error" and not harmless:
            self.complaints.append(message.text)

    def _watch(self, url: str) -> None:
        if not url.startswith((self.server.url, self.server.url.replace("http", "ws"), "data:", "blob:")):
            self.foreign.append(url)

    def open(self, path: str, wait_for: str = "") -> Page:
        self.page.goto(self.server.url + path)
        name = path.strip("/").partition("?")[0] or "start"
        self.page.locator(wait_for or READY[name]).first.wait_for()
        if name == "clients" and not wait_for:
            unfold(self.page)
        return self.page

    def go(self, name: str) -> None:
        """To another page by the navigation."""
        if name.lower() in HIDDEN:
            self.go("More")
        self.page.get_by_role("link", name=re.compile(rf"^{name}\b")).first.click()
        self.page.locator(READY[name.lower()]).first.wait_for()
        if name == "Clients":
            unfold(self.page)


def unfold(page: Page) -> None:
    """Open the table of clients where groups stand for them."""
    table = page.locator(".es-table").first
    if not table.is_visible():
        page.get_by_text("Client by client").click()
        table.wait_for()


def wait_until(page: Page, done: Callable[[], object]) -> None:
    """Until what is asked of the server's files is so; the page lives on meanwhile."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not done():
        assert time.monotonic() < deadline, "it has not come"
        page.wait_for_timeout(50)


def stored(identity: str) -> Draft:
    draft = drafts.load(identity)
    assert draft is not None
    return draft


def at_rest(page: Page) -> None:
    """Until the page's script has ended: before, what is drawn may be put in its place once more, and a
    component whose key has changed stands there twice for a frame.
    """
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def press_where_it_stays(page: Page, name: str) -> None:
    """Press a button on a page just opened: what is drawn late above it moves it away."""
    button, before = page.get_by_role("button", name=name, exact=True), None
    button.wait_for()
    at_rest(page)
    while (now := button.bounding_box()) != before:
        before = now
        page.wait_for_timeout(500)
    button.click()


def enter(field: Locator, value: object) -> None:
    field.fill(str(value))
    field.press("Enter")


def train(page: Page, until: str = "Finished:") -> None:
    press(page, "Train")
    expect(page.get_by_text(until).first).to_be_visible(timeout=TRAINING)


def violations(page: Page) -> list[dict[str, Any]]:
    """What axe finds wrong. To tell at length of what is right as well is most of what it does otherwise."""
    return list(Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"])


def tick(page: Page, row: int = 0) -> None:
    """Tick a row of the table of runs."""
    at_rest(page)
    page.get_by_test_id("stDataFrame").first.click(position={"x": 17, "y": 52 + 35 * row})


def cell(page: Page, text: str | re.Pattern[str]) -> Locator:
    """A cell of the table of runs, which is drawn on a canvas and stands in it for screen readers."""
    return page.locator("canvas td", has_text=text).first


def choose(box: Locator, option: str, exact: bool = True) -> None:
    """From a list, until its box shows the choice: a list that moves under the press closes without one."""
    chosen = box.page.get_by_role("option", name=option, exact=exact)
    for _ in range(10):
        try:
            box.scroll_into_view_if_needed()
            box.click()
            chosen.click(timeout=1500)
            expect(box).to_have_value(re.compile(re.escape(option)), timeout=1500)
        except (Error, AssertionError):
            box.page.wait_for_timeout(200)
        else:
            return
    raise AssertionError(f"{option} cannot be chosen")


@contextmanager
def visiting(profile: BrowserContext, server: Any) -> Iterator[Visitor]:
    """A tab of that browser; the next one is another visitor's."""
    one = Visitor(profile, server)
    try:
        yield one
    finally:
        profile.new_cdp_session(one.page).send(
            "Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "cookies,local_storage,indexeddb"}
        )
        for page in profile.pages[1:]:  # without a page it would end
            page.close()


@pytest.fixture
def visitor(profile: BrowserContext, server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Visitor]:
    """What the test itself asks of drafts and of the queue is asked of the folder of that server."""
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(server.runs_dir))
    with visiting(profile, server) as one:
        yield one
        complaints, foreign = [*one.complaints], [*one.foreign]
        stop_all()  # the next test's jobs would wait behind it, and a held one for ever
    assert complaints == []
    assert foreign == []


Another = Callable[..., Visitor]


@pytest.fixture
def another(browser: Browser, server: Server) -> Iterator[Another]:
    """Makes visitors in private windows, with options of their own."""
    made: list[Visitor] = []

    def one(server: Any = server, **options: Any) -> Visitor:
        made.append(Visitor(browser, server, **options))
        return made[-1]

    yield one
    for visitor in made:
        assert visitor.complaints == visitor.foreign == []
        visitor.context.close()
