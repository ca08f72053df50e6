"""What a teacher prints, a page each: the plan of a lesson, and the answers to all lessons."""

import streamlit as st

from ldp_core import lessons
from ldp_core.lessons import LessonPlan
from ldp_core.runs import outcomes
from ldp_core.system.shipped import ASSETS
from pages.parts.learn.language import language
from pages.parts.ui.text import plain
from pages.parts.ui.visitor import visitor

ASKED = "plan"
ANSWERS = "answers"
BOTH = {"45": "How to hold a lesson", ANSWERS: "Answers to all lessons"}


def links() -> None:
    for which, title in BOTH.items():
        st.page_link("classroom.py", label=f":blue[{title}]", query_params={ASKED: which})


def on_paper(which: str) -> None:
    answers = which == ANSWERS and visitor().teacher
    with st.container(key="class-paper"):
        st.title(BOTH[ANSWERS if answers else "45"], anchor=False)
        if answers:
            with st.container(key="class-answers"):
                for name in lessons.names():
                    st.markdown(answers_to(name))
        else:
            st.markdown((ASSETS / "lesson.md").read_text(encoding="utf-8"))
    st.caption("Printed, this is one page.")
    st.page_link("classroom.py", label=":blue[Back to the class]", query_params={})


def answers_to(name: str) -> str:
    """A lesson's two questions with their answers, and a line for every wrong option."""
    plan = lessons.get(name, language())
    blocks = [
        *_guessed(plan),
        (plan.transfer.text, plan.transfer.right, plan.transfer.why, plan.transfer.wrong),
    ]
    lines = [f"**{plain(lessons.numbered(name, language()))}**"]
    for asked, right, why, wrong in blocks:
        lines.append(f"\n{plain(asked, 300)} **{plain(right)}**. {plain(why, 400)}\n")
        lines += [f"- {plain(option)}: {plain(says, 300)}" for option, says in wrong.items()]
    return "\n".join(lines)


def _guessed(plan: LessonPlan) -> list[tuple[str, str, str, dict[str, str]]]:
    found = outcomes.stored(plan.scenario) if plan.scenario else None
    if found is None:
        return []
    answers = dict.fromkeys(plan.ask.answers(found.results))
    right = " or ".join(f"{one:.0f} %" if isinstance(one, float) else str(one) for one in answers)
    return [(plan.ask.text, right, plan.ask.why, plan.wrong)]
