"""A lesson in real browsers: a teacher, and students of whom two hold a phone."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import TRAINING, Another, Visitor, enter, press, press_where_it_stays, violations
from tests.browser.server import Server
from tests.runs.in_process import found_in

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SIZE_ON_SCREEN = "(one) => parseFloat(getComputedStyle(one).fontSize) * (one.currentCSSZoom ?? 1)"
NAMES = ("Anna-Karenina", "Ben <b>bold</b>", "", "Dora")


@pytest.fixture(scope="module")
def server(school: Server) -> Server:
    return school


def joined(another: Another, code: str, name: str, phone: bool) -> Visitor:
    student = another(**(PHONE if phone else {}))
    page = student.open(f"/class?code={code.lower()}", "text=Your name here")
    page.get_by_label("Your name here").fill(name)
    press(page, "Join")
    expect(page.get_by_text(f"you are {name}" if name else "you are no.")).to_be_visible()
    return student


def opened(another: Another, about: str) -> tuple[Visitor, str]:
    """A teacher's board, and the code on it."""
    teacher = another()
    teaching(teacher.open(f"/class?{about}", "text=I teach"))
    board = teacher.page
    press(board, "Open a class")
    expect(board.get_by_text("Nobody has joined yet")).to_be_visible()
    code = re.search(r"code=([A-Z]{5})$", board.url)
    assert code
    return teacher, code[1]


def teaching(board: Page) -> None:
    press_where_it_stays(board, "I am the teacher")
    enter(board.get_by_label("Secret", exact=True), "chalk")


def drawn(page: Page, digit: int) -> None:
    """Draw a long stroke, say that it is some digit, and take part."""
    square = page.locator(".es-sketch-square")
    square.scroll_into_view_if_needed()
    box = square.bounding_box()
    assert box
    at = [(box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x, y in ((0.5, 0.1), (0.45, 0.9))]
    page.mouse.move(*at[0])
    page.mouse.down()
    page.mouse.move(*at[1], steps=6)
    page.mouse.up()
    page.get_by_role("radio", name=str(digit), exact=True).click()
    press(page, "Take part with it")
    expect(page.get_by_text(f"Sent: a {digit}, ε 2, ±0.1")).to_be_visible()


def test_a_whole_lesson(another: Another, school: Server):
    teacher, code = opened(another, "lesson=two_volunteers&free=clients.epsilon")
    board = teacher.page

    students = [joined(another, code, name, phone=i < 2) for i, name in enumerate(NAMES)]
    anna, ben, third, dora = (one.page for one in students)
    for moves, page in enumerate((anna, ben, third)):
        for _ in range(moves):
            page.get_by_role("slider").press("ArrowRight")
        press(page, "Send my guess")
        expect(page.get_by_text(f"Sent: {50 + moves}")).to_be_visible()
    expect(board.get_by_role("heading", name="3 of 4 have guessed")).to_be_visible()
    expect(board.get_by_text("Ben <b>bold</b>")).to_be_visible()
    assert violations(board) == violations(anna) == []
    expect(board.get_by_text("What you guessed")).to_have_count(0)

    # a server that is killed in the middle of a class goes on where it was
    school.kill()
    school.start()
    anna.reload()
    expect(anna.get_by_text("Sent: 50")).to_be_visible()
    board.reload()
    teaching(board)
    expect(anna.get_by_role("button", name="Change my guess")).to_be_visible()
    for one in (teacher, *students):
        one.complaints.clear()  # of the server that was gone

    press(board, "Close guesses")
    press(board, "Run for all")
    for page in (board, anna, dora):
        page.locator(".es-panels .js-plotly-plot").first.wait_for(timeout=TRAINING)
    expect(board.get_by_text(re.compile(r"^Finished: 15 rounds"))).to_be_visible(timeout=TRAINING)
    press(board, "Show")
    expect(board.get_by_text(re.compile(r"What you guessed: \d of 3 within 5 points"))).to_be_visible()
    expect(anna.get_by_text(re.compile("A surprise: you guessed 50"))).to_be_visible()

    board.get_by_role("heading", name="How accurate").click()
    board.keyboard.press("p")  # the view for a wall: nothing under 20 px, no tools
    expect(board.get_by_role("button", name="Back from the wall")).to_be_visible()
    expect(board.get_by_role("link", name="Noise")).to_have_count(0)
    assert board.get_by_text("What you guessed").evaluate(SIZE_ON_SCREEN) >= 20
    board.keyboard.press("p")
    expect(board.get_by_role("link", name="Noise")).to_be_visible()

    press(board, "Let them try")
    for page in (anna, dora):
        press(page, "Train it, and put it on the board")
    board.get_by_role("combobox", name="Put one before all").click(timeout=TRAINING)
    board.get_by_role("option", name=re.compile("^Anna-Karenina: ε")).click()
    expect(dora.get_by_text(re.compile(r"^Finished: 15 rounds of 3 runs"))).to_be_visible()
    assert violations(board) == violations(ben) == []

    press(board, "New class")
    press(board, "End this class")
    expect(anna.get_by_text(re.compile(f"There is no class {code}"))).to_be_visible()
    expect(board.get_by_role("button", name="Open a class")).to_be_visible()
    assert not [
        path
        for name in (
            "Karenina",
            "<b>bold",
            '"Dora"',
            f'"{code}"',
        )  # five letters alone stand in pictures by chance
        for path in found_in(school.runs_dir, name.encode())
    ]


def test_the_room_is_the_federation(another: Another, school: Server):
    teacher, code = opened(another, "lesson=own_digits")
    board = teacher.page
    anna, ben = students = [joined(another, code, name, phone=name == "Anna") for name in ("Anna", "Ben")]
    press(anna.page, "Take part with it")
    expect(anna.page.get_by_text(re.compile("which digit it is", re.I))).to_be_visible()
    anna.page.locator(".es-sketch-square").focus()
    for _ in range(14):
        anna.page.keyboard.press("Shift+ArrowDown")
    anna.page.get_by_role("radio", name="1", exact=True).click()
    press(anna.page, "Take part with it")
    expect(anna.page.get_by_text("Sent: a 1, ε 2, ±0.1")).to_be_visible()
    drawn(ben.page, 7)
    expect(board.get_by_role("heading", name="2 of 2 have drawn")).to_be_visible()
    anna.page.reload()
    expect(anna.page.get_by_role("button", name="Change what I sent")).to_be_visible()
    assert violations(anna.page) == violations(board) == []

    press(board, "Close drawing")
    press(board, "Train the room")
    expect(anna.page.get_by_text("What the server could read of your digit (only")).to_have_count(0)
    press(board, "Show")  # as soon as the training is over
    expect(anna.page.get_by_text(re.compile("that it reads right: 15 rounds"))).to_be_visible(
        timeout=TRAINING
    )
    for one in students:
        expect(one.page.get_by_text("What the server could read of your digit (only")).to_be_visible()
        expect(one.page.locator(".es-lineup-row .es-lineup-shot")).to_have_count(10)
        expect(one.page.locator(".es-lineup-row .es-picked")).to_have_count(1)
        assert violations(one.page) == []
    expect(board.locator("canvas.es-lineup-picture")).to_have_count(0)
    assert found_in(school.runs_dir / "computed", b"own_right")

    press(board, "New class")
    press(board, "End this class")
    expect(anna.page.get_by_text(re.compile(f"There is no class {code}"))).to_be_visible()
    for trace in (b'"Anna"', b"own_right", b"drawings"):
        assert not found_in(school.runs_dir, trace)
