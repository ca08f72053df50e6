"""Three runs are ticked, compared, and the page says what made the difference."""

import re

from playwright.sync_api import expect

from ldp_core import presets
from ldp_core.runs import jobs
from tests.browser.conftest import Visitor, cell, tick
from tests.runs.processes import until


def test_three_runs_are_compared(visitor: Visitor):
    draft = presets.get("two_volunteers").draft.with_base(
        {"rounds": 3, "attack": None, "name": "<b>three</b>"}
    )
    identity = until(jobs.submit(draft), lambda job: not job.live).id
    page = visitor.open("/runs")
    expect(cell(page, "<b>three</b>")).to_be_attached()
    tick(page)
    page.get_by_role("link", name="Compare the runs of this training").click()
    expect(page.get_by_text("The aggregator made the difference")).to_be_visible()
    expect(page.locator(".es-cards .js-plotly-plot").first).to_be_visible()
    expect(page.get_by_role("heading", name="Where they end")).to_be_visible()
    page.locator(".es-card").first.hover()
    for kind, begins in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as saved:
            page.get_by_role("button", name=f"Save “Accuracy” as {kind}").click()
        picture = saved.value.path().read_bytes()
        assert saved.value.suggested_filename == f"accuracy.{kind.lower()}"
        assert picture.startswith(begins)
        assert kind == "PNG" or b"1/\xcf\x83" in picture, "its words are in it, as they are on the page"
    assert identity in page.url, "the choice is in the address"
    page = visitor.open(f"/compare?runs={identity},{'0' * 12}", "text=is no run of this server")
    expect(page.get_by_text("The aggregator made the difference")).to_be_visible()
    page = visitor.open("/compare", "text=begin with one of the newest trainings")
    expect(page.get_by_text("Chosen for you")).to_be_visible()
    expect(page.locator(".es-card").first).to_be_visible()
    # the suggestion, and not the button that removes a run of the same name
    page.get_by_role("button", name=re.compile("^.b.three..b.: mean, ")).click()
    expect(page.get_by_text("The aggregator made the difference")).to_be_visible()
    page.wait_for_url(f"**/compare?*{identity}*")
