"""What a class sees: guesses over the truth, tries by their price, and how the room did; the room's
budgets, and a price on the phone that says its scope."""

import random
import re
from pathlib import Path

import pytest

from ldp_core import presets, settings
from ldp_core.classroom import sessions, topics
from ldp_core.classroom.own_digits import ROUNDS, STOCK
from ldp_core.presets.questions import OptionQuestion
from ldp_core.runs import inventory, own_data
from ldp_core.runs.queue.permissions import Person
from ldp_core.system.shipped import ASSETS
from pages.parts.classroom.board import NEXT_OF
from pages.parts.classroom.figures import guesses_figure
from pages.parts.classroom.own_digit import _price
from pages.parts.classroom.own_room import budgets_figure
from pages.parts.learn.language import say
from pages.parts.ui.visitor import TYPED
from tests.pages.conftest import Opened, drawn
from tests.runs.in_process import found_in

NUMBER = presets.get("two_volunteers").ask
CHOICE = presets.get("half_and_half").ask


def test_each_guess_is_a_dot_and_equal_ones_stand_on_each_other():
    found = guesses_figure(NUMBER, [60, 60, 20], (12.0, 27.0, 18.0))
    (dots,) = found["data"]
    assert list(zip(dots["x"].tolist(), dots["y"].tolist(), strict=True)) == [(20, 1), (60, 1), (60, 2)]
    band, truth, median = found["layout"]["shapes"]
    assert (band["x0"], truth["x0"], band["x1"], median["x0"]) == (12, 19, 27, 60)
    texts = [one["text"] for one in found["layout"]["annotations"]]
    assert texts == ["<b>it came out at 19 %</b>", "its 3 seeds: 12 to 27 %", "median 60 %"]
    assert not guesses_figure(NUMBER, [60])["layout"]["shapes"], "no truth before it is known"


def test_choices_are_counted_and_the_right_one_is_marked():
    assert isinstance(CHOICE, OptionQuestion)
    yes, no = CHOICE.options
    (bars,) = guesses_figure(CHOICE, [yes, yes, no], (no,))["data"]
    assert dict(zip(bars["y"], bars["text"], strict=True)) == {yes: "2", no: "1 it came out so"}


def test_equal_wishes_are_apart_and_the_stock_is_counted():
    stock, own = budgets_figure([STOCK] * 3 + [(8.0, 0.5)], 16)["data"]
    assert (list(stock["x"]), list(stock["y"])) == ([STOCK[0]], [STOCK[1]])
    assert stock["text"] == ["16 stock"]
    assert len(set(own["x"].tolist())) == 4
    assert abs(own["x"][:3] - STOCK[0]).max() < STOCK[0] / 4, "near where they belong"
    assert not len(budgets_figure([STOCK], 0)["data"][0]["x"])


def test_a_price_covers_all_that_is_sent():
    found = _price(2.0)
    said = re.search(r"650 numbers in each of 15 rounds: all that you send has ε ([\d\u202f]+) \(δ", found)
    basic = 2 * 650 * ROUNDS
    assert said
    assert basic / 2 < int(said[1].replace("\u202f", "")) < basic, "the ledger's best is below the plain sum"


def test_teacher_deletes_a_visitors_table(opened: Opened, runs_dir: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EPSILON_TEACHER", "chalk")
    for whose in ("anna", "ben"):
        draw = random.Random(whose)
        rows = "\n".join(f"{draw.random()},{draw.randrange(2)},marker of {whose} {i % 3}" for i in range(60))
        own_data.take({"mine.csv": f"age,bought,colour\n{rows}".encode()}, whose, "school")
    room, _, identity = own_data.mine("anna")[0].name.partition(":")[2].partition(".")
    kept = (runs_dir / "own" / room / f"{identity}.table").read_bytes()
    part = kept[len(kept) // 2 : len(kept) // 2 + 60]
    assert found_in(runs_dir, part)
    app = opened("classroom")
    assert not [one for one in app.selectbox if one.key == "class kept"]
    app.text_input(key=TYPED).set_value("chalk").run()
    listed = app.selectbox(key="class kept")
    assert len(listed.options) == 2 and "anna" in listed.options[0]
    app.selectbox(key="class kept").select_index(0).run()
    next(one for one in app.button if "Delete" in one.label).click().run()
    assert not app.exception and len(app.selectbox(key="class kept").options) == 1
    assert own_data.mine("ben") and not found_in(runs_dir, part)
    assert [one.owner for one in inventory.standing("own data")] == ["ben"]
    app.selectbox(key="class kept").select_index(0).run()
    press = next(one for one in app.button if "Delete" in one.label)
    monkeypatch.setattr("pages.parts.ui.visitor._teachers", set())
    press.click().run()
    assert own_data.mine("ben") and app.error, "who teaches no more"


def whole() -> None:
    import streamlit as st

    from ldp_core.classroom import sessions
    from pages.parts.classroom import board, student
    from pages.parts.ui import visitor

    session = sessions.find(st.session_state["code"])
    if st.session_state["leads"]:
        visitor._teachers.add(visitor.me())
        board.board(session)
    else:
        student.student(session)


@pytest.mark.parametrize("phase", sessions.PHASES)
@pytest.mark.parametrize("scenario", ["whom", "own_digits", "one_bit"])
@pytest.mark.parametrize("leads", [True, False])
def test_each_phase_is_drawn_before_there_is_a_run(
    leads: bool, scenario: str, phase: sessions.Phase, runs_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("streamlit.page_link", lambda *_, **__: None)  # a part by itself knows no page
    monkeypatch.setattr("pages.parts.ui.visitor._teachers", set())
    teacher = Person("t" * 16, teacher=True)
    session = sessions.open_class(teacher, scenario)
    sessions.move(session, teacher, phase)
    app = drawn(whole, code=session.code, leads=leads)
    if not leads:
        next(one for one in app.button if one.label == say("go in")).click().run()
    assert not app.exception and not app.error
    assert app.title[0].value


PLAN = (ASSETS / "lesson.md").read_text(encoding="utf-8")
OTHERS = {"Open a class", "New class", "Another question", "Train it", "Class", "Learn", "which"}
OTHERS |= {"Who is here", "Next", *map(say, ("other picture", "code", "my card"))}


def test_its_buttons_lessons_and_settings_are_there():
    assert len(PLAN.splitlines()) <= 80
    labels = {topics.get(name).label for name in topics.names()}
    named = set(re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", PLAN))
    buttons = {say(words, epsilon=11) for of in NEXT_OF.values() for words in of.values() if words}
    assert named <= OTHERS | labels | buttons
    assert set(re.findall(r"`([a-z_]+)`", PLAN)) <= {*topics.names()}
    assert set(re.findall(r"EPSILON_\w+", PLAN)) <= {
        one.name for one in vars(settings).values() if hasattr(one, "name")
    }
