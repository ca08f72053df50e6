"""A lesson is held by oneself from what is stored: guess, see, answer; and stays finished."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ldp_core import lessons
from ldp_core.system.shipped import SHIPPED
from pages.parts.ui.text import plain


def opened(lesson: str = "") -> AppTest:
    app = AppTest.from_file(SHIPPED / "pages" / "shell.py", default_timeout=60)
    if lesson:
        app.query_params["lesson"] = lesson
    return app.switch_page("learn.py").run()


def press(app: AppTest, label: str) -> AppTest:
    return next(one for one in app.button if one.label == label).click().run()


def said(app: AppTest) -> str:
    return " ".join(one.value for one in [*app.title, *app.header, *app.markdown, *app.caption, *app.error])


@pytest.mark.parametrize("name", lessons.names())
def test_a_lesson_from_its_question_to_the_last(runs_dir: Path, name: str):
    plan = lessons.get(name)
    app = opened(name)
    assert plan.label in said(app)
    assert "What happened" not in said(app), "nothing answers what is still to be guessed"
    press(app, "Just show me")
    assert "What happened, and why" in said(app)
    assert "What do you expect?" not in said(app), "who guessed nothing is not asked beside the answer"
    wrong = next(one for one in plan.transfer.options if one != plan.transfer.right)
    press(app, plain(wrong))
    assert "Not quite" in said(app)
    press(app, plain(plan.transfer.right))
    assert "**Right.**" in said(app)
    assert not app.exception
    assert f"{plan.label} ✓" not in said(opened(name)), "another browser has not finished it"


def test_an_unknown_lesson_is_said_and_all_five_are_there(runs_dir: Path):
    app = opened("nothing <b>")
    assert "There is no lesson" in said(app)
    assert [one.label for one in app.button].count("Begin") == 5
