"""Own data in a browser: dropped, shown as understood, trained, looked for on Tune, and deleted."""

import re
from pathlib import Path

from playwright.sync_api import FilePayload, expect

from tests.browser.conftest import Another, Visitor, at_rest, press, train, wait_until
from tests.browser.server import Server

MARK = "marker7of8hers"
ROWS = [f"shop{i % 4};{i % 37},5;{['no', 'yes'][i % 37 > 18]};{MARK}{i % 3};=x" for i in range(120)]


def file(text: str) -> FilePayload:
    return {"name": f"{MARK}.csv", "mimeType": "text/csv", "buffer": text.encode()}


def left(server: Server) -> list[str]:
    files = [path for path in server.runs_dir.rglob("*") if path.is_file()]
    return [path.name for path in files if MARK.encode() in path.read_bytes()]


def test_own_table_trains_and_leaves_no_trace_when_deleted(
    visitor: Visitor, server: Server, another: Another
):
    page = visitor.open("/clients")
    table = "\n".join(["client;age;outcome;colour", *(row.rpartition(";")[0] for row in ROWS)])
    upload = page.locator("input[type=file]")
    upload.set_input_files(file("\n".join(["client;age;outcome;colour;sum", *ROWS])))
    expect(page.get_by_text("holds a formula in line 2")).to_be_visible()
    upload.set_input_files(file(table))
    expect(
        page.get_by_text(re.compile("rows to train on, .* held out; 2 classes, 4 clients"))
    ).to_be_visible()
    expect(page.get_by_text("“outcome” is predicted, by its name")).to_be_visible()
    expect(page.get_by_text("Whose rows are these?")).to_be_visible()
    expect(page.get_by_role("cell", name="0.5 to 36.5")).to_be_visible()
    page.get_by_text("State what is public").click()
    scales = page.get_by_role("textbox", name="Publicly known least and most")
    scales.fill(f"age: 0 to 40\ncolour: {MARK}0, {MARK}1, {MARK}2")
    scales.press("Control+Enter")
    expect(page.get_by_role("cell", name="stated")).to_have_count(2)

    page.get_by_role("button", name="Find ε and τ for my data").click()
    expect(page.get_by_role("button", name="Find it")).to_be_visible()
    draft = page.url.rpartition("draft=")[2]
    strangers = another().open(f"/clients?draft={draft}")
    expect(strangers.get_by_text("20 clients: 18 ask for ε 0.5, 2 for ε 8")).to_be_visible()
    expect(strangers.get_by_text(MARK)).to_have_count(0)

    page = visitor.open(f"/train?draft={draft}", ".js-plotly-plot")
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_text("data of your own, which no link carries")).to_be_visible()
    page.keyboard.press("Escape")
    train(page, "Finished: 15 rounds")
    assert left(server)

    page = visitor.open(f"/clients?draft={draft}")
    press(page, "Delete")
    expect(page.get_by_role("button", name="Find ε and τ for my data")).to_have_count(0)
    at_rest(page)
    wait_until(page, lambda: not left(server))


BEFORE = "20 clients: 18 ask for ε 0.5, 2 for ε 8"


def clients_file(text: str) -> FilePayload:
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
    upload.set_input_files(clients_file("\n".join([*lines[:20], "20,weight,3,2,1", "21,weight,=1+1,-1,1"])))
    expect(result.get_by_text("Nothing of mine.csv was taken over")).to_be_visible()
    expect(page.get_by_text("line 21, low must be below high, 1; got 2")).to_be_visible()
    expect(page.get_by_text("line 22, epsilon must be a number")).to_be_visible()
    expect(page.get_by_text(BEFORE)).to_be_visible()

    upload.set_input_files(clients_file("\n".join([*lines[:20], "20,weight,3,-1,1"])))
    expect(page.get_by_text("20 clients: 18 ask for ε 0.5, 1 for ε 3, 1 for ε 8")).to_be_visible()
    expect(page.get_by_text("was taken over")).not_to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text(BEFORE)).to_be_visible()
