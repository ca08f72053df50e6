"""A claim is opened, run again for real, and its figure and verdict change."""

from playwright.sync_api import expect

from ldp_core import papers
from ldp_core.papers.measuring import keep
from ldp_core.papers.stored import StoredFigure, read
from ldp_core.runs import claims
from tests.browser.conftest import TRAINING, Visitor

TITLE = "The error falls with ε and grows with the range"


def test_a_claim_is_run_again_and_its_verdict_changes(visitor: Visitor):
    """Before, this server's own figures, made up and newer than any, say that nothing of it holds."""
    claim = papers.get("pldp_fl").claim("relative-error")
    assert claim
    for arm in claim.measured:
        for seed in range(claim.seeds):
            made = StoredFigure(arm.key(seed), seed, 0.5, "completed", 1.0, "0ld", "9999-01-01", arm.setting)
            keep(claims.own("pldp_fl"), made)

    page = visitor.open("/papers?system=pldp_fl&claim=relative-error", "text=Run this claim again")
    row = page.get_by_role("row").filter(has_text="ε₁ errs more than ε₂")
    expect(row).to_contain_text("no difference")
    expect(row).to_contain_text("+0.0 ± 0.0 points")
    expect(page.get_by_text("Measured by version 0ld")).to_be_visible()
    look = page.locator(".st-key-paper-pldp_fl")
    expect(look.get_by_text(TITLE)).to_be_visible()

    look.get_by_role("button", name="Run this claim again").click()
    expect(look.get_by_role("button", name="Run this claim again")).to_be_visible(timeout=TRAINING)
    expect(row).to_contain_text("holds", timeout=TRAINING)
    expect(row).not_to_contain_text("+0.0 ± 0.0 points")
    expect(page.get_by_text("Measured by version 0ld")).to_have_count(0)
    assert {one.version for one in read(claims.own("pldp_fl"))} == {claim.measured[0].version}
