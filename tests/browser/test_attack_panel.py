"""The attack on Train, as a visitor sees it: who was picked out, round by round, and what may be chosen."""

import re
from dataclasses import replace

from playwright.sync_api import expect

from ldp_core import presets
from ldp_core.runs import queue
from ldp_core.runs.record import drafts
from ldp_core.runs.view.run_curves import progress_of
from pages.parts.ui.text import number
from tests.browser.conftest import Visitor, choose, enter, train, violations
from tests.extent import in_gate

SEEDS = in_gate(1, 3)
TRIES = 15 * SEEDS


def test_default_demo_shows_identification_counts(visitor: Visitor):
    """Of one seed in the gate, of its three else: each is attacked as often."""
    default = presets.get("two_volunteers").draft
    assert default.seeds == 3
    page = visitor.open(f"/train?draft={drafts.new(replace(default, seeds=SEEDS))}")
    train(page)
    page.get_by_role("tab", name="Round by round").click()
    page.locator(".es-cards .es-chart.js-plotly-plot").nth(1).wait_for()

    progress = progress_of(queue.find(most=1)[0]).update()
    counts = {}
    for client in (0, 19):
        seeds = [run.tries["audit", client] for run in progress.runs if run.label == "1/σ²"]
        picks = [pick for tries in seeds for pick in tries.picks]
        assert len(picks) == TRIES
        counts[client] = number(round(sum(picks)))
    assert float(counts[19]) > float(counts[0])
    expect(page.locator(".es-picked").nth(2)).to_have_text(
        re.compile(f"picked from 10 in {TRIES} of {TRIES} tries under ")
    )
    picked = page.locator(".es-cards .es-caption").nth(1)
    expect(picked).to_contain_text(f"1/σ² {counts[0]} of {TRIES} (95")
    page.locator(".st-key-attacked").get_by_text("client 20: most permissive").click()
    expect(picked).to_contain_text(f"1/σ² {counts[19]} of {TRIES}")

    assert [v["id"] for v in violations(page) if v["impact"] in ("serious", "critical")] == []


def test_the_real_upload_is_chosen_trained_and_shown(visitor: Visitor):
    draft = presets.get("two_volunteers").draft.with_base({"rounds": 2})
    page = visitor.open(f"/train?draft={drafts.new(draft)}")
    page.get_by_text("The attack", exact=True).click()
    choose(page.get_by_role("combobox", name="What is attacked"), "both", exact=False)
    seen = page.get_by_label("Uploads that the server sees", exact=True)
    enter(seen, "0")
    expect(page.get_by_text(re.compile("Must be a whole number between 1 and 100; got 0"))).to_be_visible()
    enter(seen, "2")
    expect(page.get_by_role("button", name="Train", exact=True)).to_be_enabled()
    train(page)
    page.get_by_role("radio", name="real upload").click()
    page.locator(".es-pair canvas").first.wait_for()
    assert page.locator(".es-row").first.locator(".es-pair").count() == 6
    expect(page.locator(".es-lines p").first).to_have_text(re.compile(r"mean: \d+ of 7\d images back \("))
    page.get_by_role("tab", name="Round by round").click()
    assert page.get_by_test_id("stException").count() == 0


def test_unattackable_draft_shows_the_reason(visitor: Visitor):
    draft = presets.get("two_volunteers").draft.with_base({"dataset": "covtype"})
    page = visitor.open(f"/train?draft={drafts.new(draft)}")
    empty = page.locator(".es-empty")
    expect(empty).to_contain_text("no picture is drawn here: no attacker here can read such uploads")
    page.get_by_text("The attack", exact=True).click()
    choose(page.get_by_role("combobox", name="Attacker"), "Trimmed rank 1", exact=False)
    choose(page.get_by_role("combobox", name="What is attacked"), "nothing", exact=False)
    expect(empty).to_have_text("no attack in this experiment")
