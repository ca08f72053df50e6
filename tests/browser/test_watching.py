"""Who watches a run: a class, a second tab, a teacher."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from ldp_core import presets
from ldp_core.runs import queue
from ldp_core.runs.record import drafts
from tests.browser.conftest import (
    PATIENCE,
    TRAINING,
    Another,
    Visitor,
    cell,
    enter,
    press,
    press_where_it_stays,
    tick,
    wait_until,
)
from tests.browser.server import Server

STOPPED = re.compile(r"Stopped at round \d+( to \d+)? of 9\s000")
GOES_ON = re.compile(r"Training: round [1-9]\d* of 9\s000")
"""A stop then has whole rounds to keep."""


@pytest.fixture(scope="module")
def server(school: Server) -> Server:
    return school


def test_a_class_watches_by_a_link_and_a_teacher_may_stop(visitor: Visitor, another: Another, school: Server):
    """The owner in two tabs, a student and a teacher: all four see the same run."""
    there = another().page
    # a teacher is one on every page and after a reload, until they leave; and before anything is trained
    desk = another().open("/")
    press_where_it_stays(desk, "I am the teacher")
    secret = desk.get_by_label("Secret", exact=True)
    enter(secret, "cheese")
    expect(desk.get_by_text("not the secret")).to_be_visible()
    enter(secret, "chalk")
    expect(desk.get_by_text("You are the teacher")).to_be_visible()
    draft = replace(presets.get("two_volunteers").draft, seeds=1)
    identity = drafts.new(draft.with_base({"rounds": 9000, "attack": None}))
    page = visitor.open(f"/train?draft={identity}")
    press(page, "Train")
    expect(page.get_by_text(GOES_ON)).to_be_visible(timeout=TRAINING)
    page.get_by_role("button", name="Share").click()
    link = page.get_by_text(re.compile(r"/train\?job=[0-9a-f]{12}$")).inner_text()
    page.keyboard.press("Escape")
    desk.goto(f"{school.url}/runs")
    cell(desk, "Two volunteers").wait_for(state="attached")
    tick(desk)
    stop = desk.get_by_role("button", name="Stop")
    stop.wait_for()

    there.goto(link)
    expect(there.get_by_text("You are watching somebody else's run.")).to_be_visible()
    expect(there.get_by_text(GOES_ON)).to_be_visible()
    stop.click()
    expect(cell(desk, "stopped")).to_be_attached()
    expect(page.get_by_text(STOPPED)).to_be_visible()
    expect(there.get_by_text(STOPPED)).to_be_visible()

    # a viewer of what has ended sees it taken up, in whichever tab, without doing anything
    second = visitor.context.new_page()
    second.goto(page.url)
    second.get_by_role("button", name="Go on where it stopped").click(timeout=PATIENCE)
    expect(page.get_by_text(GOES_ON)).to_be_visible()
    expect(there.get_by_text(GOES_ON)).to_be_visible()
    expect(cell(desk, re.compile(r"running, [\d\s]+ of 36\s000 rounds"))).to_be_attached()
    desk.get_by_role("button", name="Leave").click()
    expect(desk.get_by_role("button", name="I am the teacher")).to_be_visible()
    expect(desk.get_by_role("button", name="Stop")).to_have_count(0)
    desk.close()
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
    there.close()

    # what is trained again is seen in the other tab, and what is deleted there is gone from both
    page.get_by_role("button", name="Train again").click()
    expect(second.get_by_text(GOES_ON)).to_be_visible()
    second.get_by_role("button", name="Stop").click()
    expect(page.get_by_text(STOPPED)).to_be_visible()
    before = queue.find(most=2)[1]
    second.get_by_role("link", name="More").click()
    second.get_by_role("link", name=re.compile("^Runs")).click()
    cell(second, "stopped").wait_for(state="attached")
    tick(second)
    second.get_by_role("button", name="Delete").click()
    wait_until(page, lambda: queue.find(most=1)[0].id == before.id)
    expect(page.get_by_text("This run has been deleted.")).to_have_count(0)
