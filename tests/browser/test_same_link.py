"""Two strangers with the same link get the same curves."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Browser, expect

from ldp_core import presets
from ldp_core.runs import queue
from ldp_core.runs.record import drafts
from ldp_core.runs.view.run_progress import progress_of
from tests.browser.conftest import TRAINING, Visitor
from tests.browser.server import Server

DRAWN = """() => [...document.querySelectorAll(".es-panels .es-plot")].map(
  (plot) => plot._fullData.map((trace) => [trace.name ?? "", [...trace.x], [...trace.y]]))"""


def test_two_strangers_with_the_same_link_get_the_same_curves(
    visitor: Visitor, browser: Browser, server: Server, monkeypatch: pytest.MonkeyPatch
):
    """Both press Train at once: each has a draft and a job of their own, and they see the same numbers. One
    has guessed: the link shares the question, the guess stays hers, and the truth comes over it.
    """
    monkeypatch.setenv("EPSILON_RUNS_DIR", str(server.runs_dir))
    draft = presets.get("two_volunteers").draft.with_base({"rounds": 6, "attack": None, "seed": 6})
    link = f"/train?share={drafts.share(draft)}"
    strangers = [visitor, Visitor(browser, server)]
    for one in strangers:
        one.open(link, ".es-panels .js-plotly-plot")
    guesser, other = (one.page for one in strangers)
    guesser.get_by_role("slider", name="How accurate will the plain mean be?").press("ArrowRight")
    guesser.get_by_role("button", name="Guess", exact=True).click()
    guesser.get_by_text("Now press Train; until then").wait_for()
    guesser.reload()
    expect(guesser.get_by_role("slider", name="How accurate")).to_have_value("51")
    expect(other.get_by_role("slider", name="How accurate")).to_have_value("50")
    for one in strangers:
        one.page.get_by_role("button", name="Train", exact=True).click()
    for one in strangers:
        expect(one.page.get_by_text("Finished: 6 rounds of 9 runs and one without noise")).to_be_visible(
            timeout=TRAINING
        )
        whole = "(plot) => plot.some((line) => line[1].length >= 6)"  # noise begins with round 1
        one.page.wait_for_function(f"() => ({DRAWN})().every({whole})")
    for page, words in ((guesser, "you guessed 51"), (other, "It came out at")):
        expect(page.locator(".st-key-prediction")).to_contain_text(words)
    for across, down in ((1440, 900), (1366, 768)):
        guesser.set_viewport_size({"width": across, "height": down})
        panels = guesser.locator(".es-panels").bounding_box()
        assert panels
        assert panels["y"] + panels["height"] <= down, "the guess leaves the answer on the first screen"
    first, second = (one.page.evaluate(DRAWN) for one in strangers)
    (drawn,) = (line for line in first[0] if line[0] == "your guess")
    assert drawn[1:] == [[0, 6], pytest.approx([0.51, 0.51])]
    first[0].remove(drawn)
    assert first == second
    assert len(first) == 2
    jobs = queue.find(most=2)
    assert len({job.draft for job in jobs}) == len({job.owner for job in jobs}) == 2
    result = [progress_of(job).update().runs for job in jobs]
    assert len(result[0]) == 10
    for mine, theirs in zip(*result, strict=True):
        assert json.dumps([mine.end, [*mine.curves["accuracy"]]]) == json.dumps(
            [theirs.end, [*theirs.curves["accuracy"]]]
        )
    strangers[1].context.close()
    assert strangers[1].complaints == []
