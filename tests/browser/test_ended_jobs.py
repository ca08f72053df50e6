"""A press inside a part of a page that refreshes itself, once its job has ended and it does so no more."""

import re

import pytest
from playwright.sync_api import expect

from ldp_core.runs import LIVE, queue
from tests.browser.conftest import TRAINING, Visitor, at_rest, wait_until


@pytest.mark.parametrize("label", ["Take it", "Confirm it"])
def test_press_after_the_answer_is_whole_asks_anew(visitor: Visitor, label: str):
    page = visitor.open("/ask?unit=client&trust=central&clients=4&records=20&epsilon=2.5")
    wait_until(page, lambda: (jobs := queue.find()) and not any(job.status in LIVE for job in jobs))
    page.wait_for_timeout(2500)  # the page has seen that, and polls no more
    at_rest(page)
    answer, before = page.locator("h2").first, queue.find()[0].request
    said = answer.inner_text()
    page.get_by_role("button", name=re.compile(label)).first.click()
    wait_until(page, lambda: queue.find()[0].request != before)
    expect(answer).not_to_have_text(said, timeout=TRAINING)
    taken = queue.find()[0].request["needs"]
    page.get_by_text("Each record that a client holds").click()
    wait_until(page, lambda: queue.find()[0].request["needs"]["unit"] == "record")
    assert queue.find()[0].request["needs"]["clients"] == taken["clients"], "no field is back at what it was"
