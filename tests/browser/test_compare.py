"""Three runs are ticked, compared, and the page says what made the difference."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from ldp_core import presets
from ldp_core.runs import carry, jobs, queue
from ldp_core.runs.record import drafts
from tests.browser.conftest import Another, Visitor, cell, press, tick, train, violations
from tests.runs.in_process import trained
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
    assert identity in page.url, "the choice is in the address"
    page = visitor.open(f"/compare?runs={identity},{'0' * 12}", "text=is no run of this server")
    expect(page.get_by_text("The aggregator made the difference")).to_be_visible()
    page = visitor.open("/compare", "text=Chosen for you")
    expect(page.get_by_text("Chosen for you")).to_be_visible()
    expect(page.locator(".es-card").first).to_be_visible()
    expect(page.get_by_text("The aggregator made the difference")).to_be_visible()


DRAWN = """() => [...document.querySelectorAll(".es-panels .es-plot")].map(
  (plot) => plot._fullData.map((trace) => [trace.name ?? "", [...trace.x], [...trace.y]]))"""


def test_two_strangers_with_the_same_link_get_the_same_curves(visitor: Visitor, another: Another):
    """Both press Train at once, on drafts and in jobs of their own; one has guessed, which stays hers."""
    draft = presets.get("two_volunteers").draft.with_base({"rounds": 6, "attack": None, "seed": 6})
    link = f"/train?share={drafts.share(draft)}"
    guesser, other = pages = [one.open(link) for one in (visitor, another())]
    guesser.get_by_role("slider", name="How accurate will the plain mean be?").press("ArrowRight")
    press(guesser, "Guess")
    guesser.get_by_text("Now press Train; until then").wait_for()
    press(guesser, "Train")
    train(other, "Finished: 6 rounds of 9 runs and one without noise")
    for page in pages:
        whole = "(plot) => plot.some((line) => line[1].length >= 6)"  # noise begins with round 1
        page.wait_for_function(f"() => ({DRAWN})().every({whole})")
    first, second = (page.evaluate(DRAWN) for page in pages)
    (drawn,) = (line for line in first[0] if line[0] == "your guess")
    assert drawn[1:] == [[0, 6], pytest.approx([0.51, 0.51])]
    first[0].remove(drawn)
    assert first == second and len(first) == 2
    newest = queue.find(most=2)
    assert len({job.draft for job in newest}) == len({job.owner for job in newest}) == 2


EVIL = "</title><script>document.title='run'</script>"


def test_report_opens_offline_and_is_accessible(browser: Browser, runs_dir: Path, tmp_path: Path):
    base = {"rounds": 2, "name": EVIL}
    carry.written(trained(presets.get("two_volunteers").draft.with_base(base)).id, tmp_path / "report.html")
    context = browser.new_context(offline=True)
    page, asked, said = context.new_page(), list[str](), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto((tmp_path / "report.html").as_uri())
    expect(page.get_by_role("heading", name=EVIL)).to_be_visible()
    expect(page.get_by_role("img")).to_have_count(3)
    assert page.title() == EVIL
    assert asked == [(tmp_path / "report.html").as_uri()]
    assert [one["id"] for one in violations(page) if one["impact"] in ("serious", "critical")] == []
    assert said == []
    context.close()
