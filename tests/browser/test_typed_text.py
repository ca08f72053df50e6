"""S5, S6 and S10: what was typed is shown as it is, wherever it is shown, and nothing of it runs."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Dialog, Page

from ldp_core import limits
from ldp_core.experiment import parse_draft
from ldp_core.presets import get
from ldp_core.runs import queue
from ldp_core.runs.record import drafts
from tests.browser.conftest import Visitor, at_rest
from tests.conftest import ROOT
from tests.extent import in_gate
from tests.runs.in_process import queued, record_of

EVIL = "http://evil.example"
PAYLOADS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    f"<link rel=stylesheet href={EVIL}/a.css>",
    "<style>*{display:none}</style>",
    "</textarea></title><b>x",
    f"![a]({EVIL}/a.png)",
    "[a](javascript:alert(1))",
    "# heading",
    "`code` **bold** _it_ ~~s~~",
    ":red[a] :material/bolt: :smile:",
    "$\\rule{9999em}{9999em}$",
    "$$\\href{javascript:alert(1)}{x}$$",
    "{{7*7}} ${alert(1)} %s {0}",
    "a.b:Q[0] <a href='javascript:1'>",
    "\u202eabc\u202c \u05d0\u05d1 \U0001f469\u200d\U0001f52c",
    "';alert(1)//\"",
    "[" * 80,
    f"see {EVIL}/a or HTTPS://evil.example",
    "someone@evil.example",
]
LINKS = "a[href*='evil.example' i], a[href^='mailto:' i]"
"""To what was typed."""
SCRIPTS = """() => [...document.querySelectorAll("script")]
  .filter((one) => !one.src.includes("/assets/plotly/")).length"""  # the charts' own may come late
SHOWN = r"(text) => document.body.innerText.replace(/[\s\u2060]/g, '').includes(text)"

IN_A_CELL = r"""(text) => [...document.querySelectorAll('canvas td')].some(
  (one) => one.textContent.replace(/[\s\u2060]/g, '').includes(text))"""


@pytest.fixture(autouse=True)
def _nothing_pops_up(visitor: Visitor) -> Iterator[None]:
    said: list[str] = []

    def hear(dialog: Dialog) -> None:
        said.append(dialog.message)
        dialog.dismiss()

    visitor.page.on("dialog", hear)
    yield
    assert said == []


def literally(page: Page, text: str) -> None:
    page.wait_for_function(SHOWN, arg=re.sub(r"\s", "", text), polling=100)


def test_every_name_of_a_run_is_shown_literally(visitor: Visitor):
    """As the name of a run: in the lists of runs, all of them, and where one run is watched, some of them."""
    page = visitor.open("/")
    before = page.evaluate(SCRIPTS)
    ids = []
    for n in range(0, len(PAYLOADS), 6):
        for text in PAYLOADS[n : n + 6]:
            draft = get("two_volunteers").draft.with_base({"name": text, "rounds": 1, "attack": None})
            ids.append(queue.add("run", {"draft": draft.as_json(), "reference": False}))
            queue.move(ids[-1], "cancelled")
        if n % in_gate(12, 6) == 0:
            for text in PAYLOADS[n : n + 6][-3:]:  # the list of the newest follows by itself
                literally(page, text)
            assert page.locator(LINKS).count() == 0
    visitor.open("/runs", "text=All runs take")
    for text in PAYLOADS[-8:]:
        page.wait_for_function(IN_A_CELL, arg=re.sub(r"\s", "", text), polling=100)
    assert page.locator(LINKS).count() == 0
    for n in range(0, len(PAYLOADS), in_gate(12, 6)):
        visitor.open(f"/train?job={ids[n]}", "text=You are watching somebody else")
        literally(page, PAYLOADS[n])
        assert page.evaluate(SCRIPTS) == before
    assert page.get_by_test_id("stException").count() == 0


def test_every_label_of_a_design_is_shown_literally(visitor: Visitor):
    """As a scenario's name and as labels of what is compared, on every page that shows them."""
    page = visitor.page
    base = get("two_volunteers").draft.as_json()
    labels = [text[: limits.LABEL_LENGTH] for text in PAYLOADS]
    for n in range(0, len(labels), in_gate(18, 9)):  # the gate shows every other nine
        named = [{"label": label, "set": {"seed": i}} for i, label in enumerate(labels[n : n + 9])]
        base["base"]["name"] = PAYLOADS[n]
        identity = drafts.new(parse_draft(base | {"variants": named}))
        visitor.open(f"/train?draft={identity}")
        for name in ("Train", "Noise"):
            visitor.go(name)
            at_rest(page)
            assert page.evaluate("document.querySelectorAll('script').length") < 20
            assert page.locator("iframe, img[src='x'], [onerror], [onload], a[href^=javascript]").count() == 0
            assert page.locator(LINKS).count() == 0
            assert page.get_by_test_id("stException").count() == 0


def secrets_in(page: Page, runs: str) -> list[str]:
    """What no browser has a use for: paths of this machine, its environment, a traceback."""
    result = page.content()
    looked_for = (str(ROOT), "site-packages", "Traceback (most", 'File "/', runs, "EPSILON_TEACHER")
    return [word for word in looked_for if word in result]


def test_browser_gets_no_path_environment_or_traceback(visitor: Visitor):
    heard: list[str] = []
    runs = str(visitor.server.runs_dir)
    page = visitor.page
    page.on("websocket", lambda socket: socket.on("framereceived", lambda data: heard.append(repr(data))))
    job = queued(get("two_volunteers").draft.with_base({"seed": 40_961}))  # nobody else's record
    queue.move(job.id, "cancelled")
    record_of(job).parent.mkdir(parents=True, exist_ok=True)
    record_of(job).write_bytes(b"not a database" * 100)
    said = {"/": "", f"/train?job={job.id}": "damaged", "/train?job=../../etc/passwd": "no such run"}
    for path, words in said.items():
        visitor.open(path, f"text={words}" if words else "")
        assert secrets_in(page, runs) == [], path
    for name in ("Clients", "Noise", "Train", "Runs", "Attack"):
        visitor.go(name)
        at_rest(page)
        assert secrets_in(page, runs) == [], name
    assert heard
    assert [frame[:200] for frame in heard if "Traceback" in frame or runs in frame] == []
