"""A lesson in real browsers: a teacher, and students of whom two hold a phone."""

import re

import pytest
from playwright.sync_api import Page, expect

from ldp_core.classroom import sessions
from ldp_core.runs import Person, jobs
from tests.browser.conftest import TRAINING, Another, Visitor, enter, press, press_where_it_stays, violations
from tests.browser.server import Server
from tests.runs.in_process import found_in

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
WALL = """(wall) => {
  const { top } = document.querySelector(".st-key-bar").getBoundingClientRect();
  const least = (24 / 1920) * innerWidth - 0.1;
  const texts = document.createTreeWalker(wall, NodeFilter.SHOW_TEXT), wrong = [];
  while (texts.nextNode()) {
    const range = document.createRange(), one = texts.currentNode.parentElement;
    range.selectNodeContents(texts.currentNode);
    const box = range.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    const size = parseFloat(getComputedStyle(one).fontSize) * (one.currentCSSZoom ?? 1);
    if (size < least || box.bottom > top || box.right > innerWidth) wrong.push([one.textContent, size, box]);
  }
  for (const one of wall.querySelectorAll("canvas, img, .es-chart")) {
    const { bottom, right } = one.getBoundingClientRect();
    if (bottom > top || right > innerWidth) wrong.push([one.className, bottom, right]);
  }
  return wrong;
}"""
"""Texts of a wall that are too small or off the screen, under 24 px on one 1920 wide; and pictures off it."""
NAMES = ("Anna-Karenina", "Ben <b>bold</b>", "", "Dora")


@pytest.fixture(scope="module")
def server(school: Server) -> Server:
    return school


def joined(another: Another, code: str, name: str, phone: bool) -> Visitor:
    student = another(**(PHONE if phone else {}))
    page = student.open(f"/{code.lower()}", "text=Your name here")
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
    expect(board.get_by_text("Nobody is here yet")).to_be_visible()
    code = re.search(r"code=([A-Z]{5})$", board.url)
    assert code
    return teacher, code[1]


def whole(board: Page) -> bool:
    """Whether all of the wall can be read, on small screens and large ones."""
    before = board.viewport_size
    for width, height in ((1280, 720), (1920, 1080)):
        board.set_viewport_size({"width": width, "height": height})
        board.wait_for_timeout(800)
        assert board.locator(".st-key-wall").evaluate(WALL) == []
    assert before
    board.set_viewport_size(before)
    return True


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
    teacher, code = opened(another, "lesson=two_volunteers")
    board = teacher.page

    students = [joined(another, code, name, phone=i < 2) for i, name in enumerate(NAMES)]
    anna, ben, third, dora = (one.page for one in students)
    expect(board.get_by_role("heading", name="4 here")).to_be_visible()
    expect(board.get_by_text("Ben <b>bold</b>")).to_be_visible()
    assert whole(board)
    press(board, "Begin")
    for moves, page in enumerate((anna, ben, third)):
        for _ in range(moves):
            page.get_by_role("slider").press("ArrowRight")
        press(page, "Send my guess")
        expect(page.get_by_text(f"Sent: {50 + moves}")).to_be_visible()
    expect(board.get_by_role("heading", name="3 of 4 have guessed")).to_be_visible()
    assert violations(board) == violations(anna) == []
    assert whole(board)
    anna.goto(f"{school.url}/learn?lesson=whom")  # whose run would give the answer
    expect(anna.get_by_text(re.compile("until your teacher shows it"))).to_be_visible()
    anna.go_back()

    # a server that is killed in the middle of a class goes on where it was
    school.kill()
    school.start()
    anna.reload()
    expect(anna.get_by_text("Sent: 50")).to_be_visible()
    board.reload()
    expect(board.get_by_role("heading", name="3 of 4 have guessed")).to_be_visible()
    teaching(board)
    expect(anna.get_by_role("button", name="Change my guess")).to_be_visible()
    for one in (teacher, *students):
        one.complaints.clear()  # of the server that was gone

    third.get_by_role("button", name="Change my guess").focus()
    press(board, "Close guesses")
    expect(third.get_by_role("status").filter(has_text="Guesses are closed")).to_have_count(1)
    expect(third.get_by_role("heading", level=1)).to_be_focused()
    press(board, "Run for all")
    for page in (board, anna, dora):
        page.locator(".js-plotly-plot").first.wait_for(timeout=TRAINING)
    assert whole(board)
    expect(board.get_by_role("button", name="Show", exact=True)).to_be_enabled(timeout=TRAINING)
    press(board, "Show")
    expect(board.get_by_role("img", name=re.compile(r"\d of 3 within 5"))).to_be_visible()
    expect(anna.get_by_text(re.compile("A surprise: you guessed 50")).first).to_be_visible()
    assert whole(board)
    anna.goto(f"{school.url}/learn?lesson=whom")
    expect(anna.get_by_role("heading", name="What happened, and why")).to_be_visible()
    expect(anna.get_by_role("button", name="Just show me")).to_have_count(0)
    anna.go_back()

    board.get_by_role("heading", name="How accurate").click()
    board.keyboard.press("v")
    expect(board.get_by_role("img", name=re.compile("Accuracy by round"))).to_be_visible()
    assert whole(board)

    press(board, "Let them try")
    for page in (anna, dora):
        press(page, "Train it, and put it on the wall")
    expect(board.get_by_role("img", name=re.compile("(?=.*Anna-Karenina, )(?=.*Dora, )"))).to_be_visible(
        timeout=TRAINING
    )
    assert whole(board)
    assert violations(board) == violations(ben) == []
    tried = sessions.find(code).room
    assert jobs.recent(room=tried)

    press(board, "New class")
    press(board, "End this class")
    expect(anna.get_by_text(re.compile(f"There is no class {code}"))).to_be_visible()
    anna.get_by_text("My card").click()
    expect(anna.get_by_text(re.compile("A surprise: you guessed 50")).first).to_be_visible()
    assert not jobs.recent(room=tried), "runs that were tried go with the class"
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


def test_own_picture_of_a_lesson_is_on_one_screen(another: Another, school: Server):
    teacher, code = opened(another, "lesson=whom")
    board, who = teacher.page, Person("t" * 16, teacher=True)
    for lesson in ("budget_of_what", "who_pays", "other_secrets"):
        sessions.ask(sessions.find(code), who, lesson)
        sessions.move(sessions.find(code), who, "shown")
        expect(board.get_by_role("button", name="Other picture")).to_be_visible()
        board.get_by_role("heading", level=1).click()
        board.keyboard.press("v")
        expect(board.get_by_role("button", name="Back")).to_be_visible()
        assert whole(board), lesson
    press(board, "New class")
    press(board, "End this class")


def test_page_that_died_comes_back_with_a_word(another: Another, school: Server):
    teacher, code = opened(another, "lesson=two_volunteers")
    anna = joined(another, code, "Anna", phone=True)
    expect(anna.page.get_by_role("heading", name="You are in")).to_be_visible()
    anna.page.evaluate("document.getElementById('root').replaceChildren()")
    expect(anna.page.get_by_text("This page was lost")).to_be_visible()
    expect(anna.page.get_by_text("you are Anna")).to_be_visible()
    expect(anna.page.get_by_text("This page was lost")).to_have_count(0)
    anna.complaints.clear()  # of the page that was taken away
    press(teacher.page, "New class")
    press(teacher.page, "End this class")


def test_the_room_is_the_federation(another: Another, school: Server):
    teacher, code = opened(another, "lesson=own_digits")
    board = teacher.page
    anna, ben = students = [joined(another, code, name, phone=name == "Anna") for name in ("Anna", "Ben")]
    press(board, "Begin")
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
    assert whole(board)
    anna.page.reload()
    expect(anna.page.get_by_role("button", name="Change what I sent")).to_be_visible()
    assert violations(anna.page) == violations(board) == []

    press(board, "Close drawing")
    press(board, "Train the room")
    expect(anna.page.get_by_text("What the server could read of your digit (only")).to_have_count(0)
    press(board, "Show")  # as soon as the training is over
    for one in students:
        mine = one.page.get_by_text("What the server could read of your digit (only")
        expect(mine).to_be_visible(timeout=TRAINING)
        expect(one.page.locator(".es-lineup-row .es-lineup-shot")).to_have_count(10)
        expect(one.page.locator(".es-lineup-row .es-picked")).to_have_count(1)
        assert violations(one.page) == []
    expect(board.locator("canvas.es-lineup-picture")).to_have_count(0)
    assert found_in(school.runs_dir / "computed", b"own_right")
    assert whole(board)
    press(board, "Once more, another ε")
    anna.page.get_by_role("slider", name=re.compile("Your budget")).press("ArrowRight")
    press(anna.page, "Change what I sent")
    expect(anna.page.get_by_text("Sent: a 1, ε 4, ±0.1")).to_be_visible()

    press(board, "New class")
    press(board, "End this class")
    expect(anna.page.get_by_text(re.compile(f"There is no class {code}"))).to_be_visible()
    for trace in (b'"Anna"', b"own_right", b"drawings"):
        assert not found_in(school.runs_dir, trace)
