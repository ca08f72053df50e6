"""Entrance to a class: the code for students; for the teacher, a new class and what visitors keep."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from ldp_core import lessons
from ldp_core.classroom import Session, sessions, topics
from ldp_core.classroom import members as room
from ldp_core.classroom.store import UnknownClass
from ldp_core.errors import NotNow, StudioError
from ldp_core.lessons import LessonPlan
from ldp_core.presets.questions import OptionQuestion
from ldp_core.runs import inventory, outcomes
from ldp_core.settings import TEACHER
from ldp_core.system.shipped import ASSETS
from pages.parts.learn.language import language, say
from pages.parts.ui import components
from pages.parts.ui.header import question
from pages.parts.ui.job_actions import refusal, refusing
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.polling import refreshing
from pages.parts.ui.text import ago, bytes_in_words, plain, seconds
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import me, sign_in_entrance, teacher_entrance, visitor
from pages.server.address import of_page
from pages.server.guess_rate_limit import codes_wait, wrong_code

PAUSE_SECONDS = 0.3
FOLLOW_SECONDS = 1.0
NOT_OPENED = "class not opened"
OWN = "own data"
ASKED = "plan"
ANSWERS = "answers"
BOTH = {"45": "How to hold a lesson", ANSWERS: "Answers to all lessons"}


@st.cache_data(ttl=PAUSE_SECONDS, max_entries=64, show_spinner=False)
def session_now(code: str) -> Session:
    """Class by code, cached for a moment, since thirty phones ask each second; raises `UnknownClass`."""
    return sessions.find(code)


def opened(code: str) -> Session | None:
    """Class of the address, for a member or a new student; None, with a sentence on the page, if there is
    none or too many codes were tried.
    """
    if not code:
        return None
    try:
        session = session_now(sessions.spelled(code))
    except UnknownClass as error:
        if not (wait := codes_wait(me(), of_page())):
            wrong_code(me(), of_page())
        st.error(wait or said(error))
        return None
    known = visitor().teacher or room.member(session, me())
    if not known and (wait := codes_wait(me(), of_page())):
        st.error(wait)
        return None
    return session


def follow(session: Session) -> None:
    """Redraw the whole page when the teacher changes the phase or ends the class."""
    refreshing(_follow, every=FOLLOW_SECONDS)(session)


def _follow(drawn: Session) -> None:
    try:
        now = session_now(drawn.code)
    except UnknownClass:
        st.rerun()
    if now != drawn:
        st.rerun()


def entrance() -> None:
    if asked := st.query_params.get(ASKED):
        on_paper(asked)
        return
    question("Learn it in a class", "Guess, watch one run together, then change one thing yourself.")
    left, right = st.columns(2, gap="large")
    card()
    with left, st.container(border=True, height="stretch"):
        st.header(say("have code"), anchor=False)
        with st.form("join by code", border=False):
            typed = st.text_input(say("five letters"), max_chars=12, key="typed code")
            if st.form_submit_button(say("go to class"), type="primary") and sessions.spelled(typed):
                st.query_params.from_dict({"code": sessions.spelled(typed)})
                st.rerun()
    with right, st.container(border=True, height="stretch"):
        st.header("I teach", anchor=False)
        links()
        if not TEACHER.value():
            st.markdown(
                "Only the teacher's secret opens a class. This server was started without "
                "one; start it again with a secret of your own:"
            )
            st.code("EPSILON_TEACHER=chalk epsilon-studio", language=None)
        elif visitor().teacher:
            _mine()
            _open_form()
            with st.popover("What visitors keep"):
                _kept()
        sign_in_entrance()
        teacher_entrance()
        refusal(NOT_OPENED)


def card(code: str = "", row: Mapping[str, Any] | None = None) -> None:
    """Draw a student's card, kept in the browser (assets/web/card.js): what it has of a class (of the
    last one without a code), and a new row.
    """
    words = {name: say(name) for name in ("my card", "keep card", "card stays")}
    components.draw("card", {"code": code, "row": row, "words": words}, key="card")


def _mine() -> None:
    for one in sessions.open_now(visitor()):
        label = topic_label(one.scenario)
        if st.button(f"Go on with class {one.code}: {plain(label)}", key=f"class {one.code}"):
            st.query_params.from_dict({"code": one.code})
            st.rerun()


def _open_form() -> None:
    """Form for a new class, prefilled by a link `/class?lesson=NAME`."""
    names, prepared = topics.names(), st.query_params.get("lesson", "")
    for why in lessons.refused.values():
        st.caption(plain(why, 300))
    asked = st.selectbox(
        "The first question",
        names,
        index=names.index(prepared) if prepared in names else 0,
        format_func=topic_label,
        key="class lesson",
    )
    if prepared and prepared not in names:
        st.caption(f"There is no lesson or scenario “{plain(prepared, 40)}”; here is the first one.")
    numbered = st.toggle("Numbers in place of names", key="class numbered")
    st.button("Open a class", type="primary", key="open class", on_click=_open, args=(asked, numbered))
    st.caption(
        f"It ends when you press *New class*, or by itself after {sessions.HOURS:.0f} hours; then names, "
        "guesses and drawings are deleted."
    )


@pressed
def _open(asked: str, numbered: bool) -> None:
    with refusing(NOT_OPENED):
        session = sessions.open_class(visitor(), asked, numbered)
        st.query_params.from_dict({"code": session.code})


def _kept() -> None:
    """What the ledger holds of visitors, of which a teacher deletes own data by a choice and a press."""
    for kind, (count, size) in inventory.taken().items():
        st.markdown(f"{count} {inventory.KINDS[kind].what}: {bytes_in_words(size)}")
    if there := {one.id: one for one in inventory.standing(OWN)}:
        chosen = st.selectbox(
            "Own data", there, None, lambda name: _in_words(there[name]), key="class kept", width=460
        )
        if chosen is not None:
            st.button("Delete it, and all that was computed from it", on_click=_erase, args=(there[chosen],))


def _in_words(own: inventory.StoredItem) -> str:
    """The letters tell which are of one visitor or address, and not of whom."""
    now = time.time()
    end = f", deleted in {seconds(max(0.0, own.until - now))}" if own.until else ""
    whose = f"visitor {(own.owner or 'unknown')[:4]} from address {(own.address or 'unknown')[:4]}"
    return f"{bytes_in_words(own.size)} of {whose}, {ago(now - own.at)}{end}"


@pressed
def _erase(own: inventory.StoredItem) -> None:
    with refusing(NOT_OPENED):
        sessions.refuse_students(visitor())
        if not inventory.erase(own):
            raise NotNow("these data cannot be deleted now; try again later")


def topic_label(name: str) -> str:
    """A lesson's name with its number, or a scenario's."""
    topic = topics.get(name)
    return f"Lesson {lessons.names().index(name)}: {topic.label}" if topic.plan else topic.label


def said(error: StudioError) -> str:
    words = error_in_words(error)
    return plain(f"{words[:1].upper()}{words[1:]}.", 300)


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
    ask = plan.ask
    named: Callable[[str], str] = ask.called if isinstance(ask, OptionQuestion) else say
    answers = dict.fromkeys(ask.answers(found.results))
    right = " / ".join(f"{one:.0f} %" if isinstance(one, float) else named(str(one)) for one in answers)
    return [(ask.text, right, ask.why, {named(option): says for option, says in plan.wrong.items()})]
