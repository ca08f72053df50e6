"""Who watches a run: a class, a second tab, a teacher."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, expect

from ldp_core import presets
from ldp_core.runs import queue
from ldp_core.runs.record import drafts
from tests.browser.conftest import PATIENCE, TRAINING, Visitor, wait_until
from tests.browser.server import Server, begun_warm
from tests.runs.processes import stop_all
from tests.warm import Interpreter

PANELS = ".es-panels .js-plotly-plot"
STOPPED = re.compile(r"Stopped at round \d+( to \d+)? of 9\s000")
GOES_ON = re.compile(r"Training: round [1-9]\d* of 9\s000")
"""A stop then has whole rounds to keep."""


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory, interpreter: Interpreter) -> Iterator[Server]:
    runs_dir = begun_warm(tmp_path_factory.mktemp("school") / "runs", interpreter)
    server = Server(runs_dir, EPSILON_TEACHER="chalk")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_RUNS_DIR", str(server.runs_dir))
        yield server
    server.stop()


@pytest.fixture(scope="module")
def server(school: Server) -> Server:
    return school


@pytest.fixture(autouse=True)
def _nothing_left(school: Server) -> Iterator[None]:
    yield
    stop_all()


def train_for_long(owner: Visitor) -> Page:
    draft = replace(presets.get("two_volunteers").draft, seeds=1)
    draft = draft.with_base({"rounds": 9000, "attack": None})
    page = owner.open(f"/train?draft={drafts.new(draft)}", PANELS)
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_text(GOES_ON)).to_be_visible(timeout=TRAINING)
    return page


def test_a_class_watches_by_a_link_and_a_teacher_may_stop(visitor: Visitor, browser: Browser, school: Server):
    """The owner in two tabs, a student and a teacher: all four see the same run."""
    student, teacher = (Visitor(browser, school) for _ in range(2))
    # a teacher is one on every page and after a reload, until they leave; and before anything is trained
    desk = teacher.open("/", "text=Latest runs on this server")
    desk.get_by_role("button", name="I am the teacher").click()
    secret = desk.get_by_label("Secret", exact=True)
    secret.fill("cheese")
    secret.press("Enter")
    expect(desk.get_by_text("That is not the secret")).to_be_visible()
    secret.fill("chalk")
    secret.press("Enter")
    expect(desk.get_by_text("You are the teacher in this browser")).to_be_visible()
    page = train_for_long(visitor)
    page.get_by_role("button", name="Share").click()
    link = page.get_by_text(re.compile(r"/train\?job=[0-9a-f]{12}$")).inner_text()
    page.keyboard.press("Escape")
    desk.goto(f"{school.url}/runs")
    desk.get_by_role("checkbox").first.check()
    stop = desk.get_by_role("button", name="Stop")
    stop.wait_for()

    there = student.page
    there.goto(link)
    expect(there.get_by_text("You are watching somebody else's run.")).to_be_visible()
    expect(there.get_by_text(GOES_ON)).to_be_visible()
    stop.click()
    expect(desk.get_by_text(re.compile("^stopped, "))).to_be_visible()
    expect(page.get_by_text(STOPPED)).to_be_visible()
    expect(there.get_by_text(STOPPED)).to_be_visible()
    expect(page.get_by_text("whole rounds are kept; a teacher has stopped it")).to_be_visible()

    # a viewer of what has ended sees it taken up, in whichever tab, without doing anything
    second = visitor.context.new_page()
    second.goto(page.url)
    second.get_by_role("button", name="Go on where it stopped").click(timeout=PATIENCE)
    expect(page.get_by_text(GOES_ON)).to_be_visible()
    expect(there.get_by_text(GOES_ON)).to_be_visible()
    expect(desk.get_by_text(re.compile(r"running, [\d\s]+ of 36\s000 rounds"))).to_be_visible()
    desk.get_by_role("button", name="Leave").click()
    expect(desk.get_by_role("button", name="I am the teacher")).to_be_visible()
    expect(desk.get_by_role("button", name="Stop")).to_have_count(0)
    teacher.context.close()
    second.get_by_role("button", name="Stop").click()
    for one in (page, second, there):
        expect(one.get_by_text(STOPPED)).to_be_visible()

    # a student copies its settings in one step
    there.get_by_role("button", name="Copy its settings").click()
    expect(there.get_by_role("button", name="Train", exact=True)).to_be_visible()
    expect(there.get_by_label("Rounds", exact=True)).to_have_value("9000")
    assert "job=" not in there.url
    there.go_back()
    expect(there.get_by_text("You are watching somebody else's run.")).to_be_visible()
    there.get_by_role("link", name="Back to your own").click()
    expect(there.get_by_label("Rounds", exact=True)).to_have_value("9000")
    student.context.close()
    assert student.complaints == teacher.complaints == student.foreign == teacher.foreign == []

    # what is trained again is seen in the other tab, and what is deleted there is gone from both
    page.get_by_role("button", name="Train again").click()
    expect(second.get_by_text(GOES_ON)).to_be_visible()
    second.get_by_role("button", name="Stop").click()
    expect(page.get_by_text(STOPPED)).to_be_visible()
    before = queue.find(most=2)[1]
    second.get_by_role("link", name="Runs").click()
    second.get_by_role("checkbox").first.check()
    second.get_by_role("button", name="Delete").click()
    wait_until(page, lambda: queue.find(most=1)[0].id == before.id)
    expect(page.get_by_text("This run has been deleted.")).to_have_count(0)
