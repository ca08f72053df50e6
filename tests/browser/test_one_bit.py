"""The first lesson in a browser: the coin follows its law, and only what it leaves is sent."""

import math
import re

import pytest
from playwright.sync_api import Page, ViewportSize, WebSocket, expect

from ldp_core.lessons import coin
from tests.browser.conftest import Another, at_rest, press, violations
from tests.browser.server import Server
from tests.browser.test_class import PHONE, joined, opened, teaching, whole

TOSSES = 10_000
STANDARD_ERRORS = 4.9
"""A right coin is refused in one of a million runs."""
PAPER: ViewportSize = {"width": 740, "height": 1069}
"""A4 without its margins, in pixels."""
TOSS = """async ([keep, times]) => {
  const { tossed } = await import("/assets/web/toss.js");
  return Array.from({ length: times }, () => [tossed(true, keep), tossed(false, keep)]);
}"""
FORCED = """(fraction) => {
  crypto.getRandomValues = (array) => array.fill(Math.floor(fraction * 2 ** 32));
}"""
"""Every coin falls as this fraction of all draws."""


@pytest.fixture(scope="module")
def server(school: Server) -> Server:
    return school


def test_coin_in_the_browser_follows_the_law(another: Another):
    page = another().open("/learn?lesson=one_bit", ".es-coin-side")
    for keep in (coin.keep(coin.BUDGETS[name]) for name in ("1.1", "0.25")):
        found = page.evaluate(TOSS, [keep, TOSSES])
        for kept in (sum(yes for yes, _ in found), sum(not no for _, no in found)):
            assert abs(kept - keep * TOSSES) < STANDARD_ERRORS * math.sqrt(TOSSES * keep * (1 - keep))
    assert page.evaluate(TOSS, [1.0, 1]) == [[True, False]]


def sent_messages(page: Page) -> list[str]:
    """What the page sends from now on, without what differs from one message to the next anyway."""
    found: list[str] = []

    def heard(socket: WebSocket) -> None:
        socket.on("framesent", lambda payload: found.append(str(payload)))

    page.on("websocket", heard)
    return found


def told(another: Another, code: str, name: str, answer: str, fraction: float) -> str:
    """The one message that tells the bit, where a student gives an answer and the coin falls as forced."""
    student = joined(another, code, name, phone=True)
    page = student.page
    frames = sent_messages(page)
    page.reload()
    page.evaluate(FORCED, fraction)
    page.get_by_role("button", name=answer, exact=True).click()
    expect(page.locator(".es-coin-left")).to_be_visible()
    expect(page.get_by_text(re.compile("Your own answer has not left"))).to_be_visible()
    page.wait_for_timeout(1000)
    (said,) = {one for text in frames for one in re.findall(r'\{"at":[^{}]*\}', text)}
    assert not [one for one in frames if re.search(rf"\b{answer}\b", one)]
    assert violations(page) == []
    return said


def test_only_the_tossed_bit_leaves_the_phone(another: Another, school: Server):
    """A turned yes and a kept no are the same message."""
    teacher, code = opened(another, "lesson=one_bit")
    board = teacher.page
    press(board, "Begin")
    turned = told(another, code, "Anna", "Yes", 0.9)
    kept = told(another, code, "Ben", "No", 0.1)
    assert turned == kept == '{"at":"1.1","bit":0}'
    expect(board.get_by_text("2 of 2 have sent a bit")).to_be_visible()
    assert whole(board)
    press(board, "Show")
    expect(board.locator(".es-coins-row")).to_have_count(4)
    expect(board.locator(".es-coins-sent")).to_have_count(1)
    expect(board.get_by_text(re.compile("75 of 100"))).to_be_visible()
    assert whole(board)
    press(board, "Ask again with ε 11")
    expect(board.get_by_text("0 of 2 have sent a bit")).to_be_visible()
    assert violations(board) == []


@pytest.mark.parametrize(("about", "seen"), [("45", "With thirty minutes"), ("answers", "What helps most?")])
def test_plan_and_answers_are_one_printed_page_each(another: Another, about: str, seen: str):
    teacher = another()
    teaching(teacher.open("/class", "text=I teach"))
    page = teacher.page
    expect(page.get_by_role("button", name="Open a class")).to_be_visible()
    page.goto(f"{page.url.partition('/class')[0]}/class?plan={about}")
    expect(page.get_by_text(seen).first).to_be_visible()
    page.wait_for_timeout(500)  # a script that has ended may begin once more
    at_rest(page)
    expect(page.locator(".st-key-class-paper")).to_have_count(1)
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
    page.set_viewport_size(PAPER)
    page.emulate_media(media="print")
    box = page.locator(".st-key-class-paper").bounding_box()
    assert box and 300 < box["height"] <= PAPER["height"] - box["y"], "and nothing is cut"
    sizes = page.locator(".st-key-class-paper :is(p, li, td)").evaluate_all(
        "(all) => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
    )
    assert min(sizes) >= 13.3, "ten points, which a page of paper needs"


def test_phone_speaks_the_browsers_language_or_a_chosen_one(another: Another):
    _, code = opened(another, "lesson=one_bit")
    page = another(locale="de-DE", **PHONE).open(f"/{code.lower()}", "text=Mitmachen")
    assert violations(page) == []
    page.get_by_role("radio", name="English").click()
    expect(page.get_by_role("button", name="Join")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Join")).to_be_visible()
