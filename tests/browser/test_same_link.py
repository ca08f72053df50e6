"""Two strangers with the same link get the same curves."""

import json

import pytest
from playwright.sync_api import expect

from ldp_core import presets
from ldp_core.runs import queue
from ldp_core.runs.record import drafts
from ldp_core.runs.view.run_curves import progress_of
from tests.browser.conftest import Another, Visitor, press, train

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
    guesser.reload()
    expect(guesser.get_by_role("slider", name="How accurate")).to_have_value("51")
    expect(other.get_by_role("slider", name="How accurate")).to_have_value("50")
    press(guesser, "Train")
    train(other, "Finished: 6 rounds of 9 runs and one without noise")
    for page in pages:
        whole = "(plot) => plot.some((line) => line[1].length >= 6)"  # noise begins with round 1
        page.wait_for_function(f"() => ({DRAWN})().every({whole})")
    for page, words in ((guesser, "you guessed 51"), (other, "It came out at")):
        expect(page.locator(".st-key-prediction")).to_contain_text(words)
    for across, down in ((1440, 900), (1366, 768)):
        guesser.set_viewport_size({"width": across, "height": down})
        panels = guesser.locator(".es-panels").bounding_box()
        assert panels
        assert panels["y"] + panels["height"] <= down, "the guess leaves the answer on the first screen"
    first, second = (page.evaluate(DRAWN) for page in pages)
    (drawn,) = (line for line in first[0] if line[0] == "your guess")
    assert drawn[1:] == [[0, 6], pytest.approx([0.51, 0.51])]
    first[0].remove(drawn)
    assert first == second
    assert len(first) == 2
    jobs = queue.find(most=2)
    assert len({job.draft for job in jobs}) == len({job.owner for job in jobs}) == 2
    result = [progress_of(job).update().runs for job in jobs]
    assert len(result[0]) == 10
    mine, theirs = ([json.dumps([one.end, [*one.curves["accuracy"]]]) for one in runs] for runs in result)
    assert mine == theirs
