"""The report opens from a disk without a network: nothing in it asks for more, and anybody can read it."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from ldp_core import presets
from ldp_core.runs import carry
from tests.browser.conftest import violations
from tests.runs.in_process import trained

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
