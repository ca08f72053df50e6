"""Clients as a CSV file: out, changed, in again, undone; a bad file changes nothing."""

from pathlib import Path

from playwright.sync_api import FilePayload, expect

from tests.browser.conftest import Visitor, enter

BEFORE = "20 clients: 18 ask for ε 0.5, 2 for ε 8"


def file(text: str | bytes, name: str = "mine.csv") -> FilePayload:
    return {"name": name, "mimeType": "text/csv", "buffer": text.encode() if isinstance(text, str) else text}


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


def test_a_program_with_another_name_is_no_table(visitor: Visitor):
    page = visitor.open("/clients")
    page.get_by_role("button", name="As a CSV file").click()
    upload = page.get_by_test_id("stPopoverBody").locator("input[type=file]")
    upload.set_input_files(file(b"MZ\x90\x00\xff\xfe", "![x](http://evil.example/x.png).csv"))
    expect(page.get_by_text("is not text in UTF-8")).to_be_visible()
    expect(page.get_by_text("//evil.example/x.png).csv was").first).to_be_visible()
    assert page.locator("a[href*='evil.example'], img[src*='evil.example']").count() == 0
    expect(page.get_by_text(BEFORE)).to_be_visible()


def test_samples_of_a_mechanism_are_weighed(visitor: Visitor):
    page = visitor.open("/noise")
    page.get_by_role("tab", name="Samples of your own").click()
    upload = page.locator("input[type=file]")
    upload.set_input_files(file("a,b\n1,2\n"))
    expect(page.get_by_text("has no column input")).to_be_visible()
    lines = "".join(f"{i % 2};{i % 2 + (i % 7) / 20:.2f}\n" for i in range(400)).replace(".", ",")
    upload.set_input_files(file("input;output\n" + lines))
    claimed = page.get_by_label("Claimed ε, for all that one trial holds")
    expect(page.get_by_text("Which ε is claimed")).to_be_visible()
    enter(claimed, "1")
    expect(page.get_by_text("claimed 1, at least 3", exact=False)).to_be_visible()
    enter(claimed, "20")
