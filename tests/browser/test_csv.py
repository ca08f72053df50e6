"""Clients as a CSV file: out, changed, in again, undone."""

from pathlib import Path

from playwright.sync_api import FilePayload, expect

from tests.browser.conftest import Visitor

BEFORE = "20 clients: 18 ask for ε 0.5, 2 for ε 8"


def file(text: str) -> FilePayload:
    return {"name": "mine.csv", "mimeType": "text/csv", "buffer": text.encode()}


def test_out_changed_and_in_again(visitor: Visitor):
    page = visitor.open("/clients")
    page.get_by_role("button", name="As a CSV file").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download the clients").click()
    text = Path(waiting.value.path()).read_text(encoding="utf-8")
    lines = text.splitlines()
    assert lines[0] == "client,scope,epsilon,low,high,upload_costs,run_costs"
    assert lines[20].startswith("20,weight,8.0,-1.0,1.0,")

    result = page.get_by_test_id("stPopoverBody")  # what lies below it cannot be read
    upload = result.locator("input[type=file]")
    upload.set_input_files(file("\n".join([*lines[:20], "20,weight,3,2,1", "21,weight,=1+1,-1,1"])))
    expect(result.get_by_text("Nothing of mine.csv was taken over")).to_be_visible()
    expect(page.get_by_text("line 21, low must be below high, 1; got 2")).to_be_visible()
    expect(page.get_by_text("line 22, epsilon must be a number")).to_be_visible()
    expect(page.get_by_text(BEFORE)).to_be_visible()

    upload.set_input_files(file("\n".join([*lines[:20], "20,weight,3,-1,1"])))
    expect(page.get_by_text("20 clients: 18 ask for ε 0.5, 1 for ε 3, 1 for ε 8")).to_be_visible()
    expect(page.get_by_text("was taken over")).not_to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text(BEFORE)).to_be_visible()
