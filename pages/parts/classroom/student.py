"""A student's screen: join, then guess, watch or try, by the class's phase."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from ldp_core.classroom import MOST_LETTERS, Member, Session, topics
from ldp_core.classroom import members as room
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import Draft
from ldp_core.presets.questions import NumberQuestion
from ldp_core.runs import Job, guesses, jobs, outcomes
from pages.parts.classroom import coins, own_digit
from pages.parts.classroom.board import SHOWN, job_of
from pages.parts.classroom.entrance import card, follow
from pages.parts.classroom.wall import curve
from pages.parts.learn.language import language, language_switch, say
from pages.parts.learn.lesson import explained, said_of_guess, transfer
from pages.parts.learn.one_thing import draft_of, field, final_of, result_line
from pages.parts.start.outcome_view import levels
from pages.parts.train.guess_words import level, literal, reply, shown
from pages.parts.ui.components import introduce
from pages.parts.ui.job_actions import refusal, refusing
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.polling import refreshing
from pages.parts.ui.text import plain
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import here, me, settled, token, who
from pages.parts.watch.guess_field import element
from pages.parts.watch.prediction import answers_of

NOT_DONE = "not done by a student"
NAME = "name in class"
HEIGHT = 260
"""Height of a phone's chart in pixels."""
PHONES: dict[str, Callable[[Session, Job | None], dict[str, Any] | None]] = {
    "own_digits": own_digit.phone,
    "one_bit": coins.phone,
}
"""Screens of topics without a scenario, by kind; each returns what it adds to the student's card."""


def student(session: Session) -> None:
    mine = room.member(session, me())
    # the browser is told who it is, or a phone would be another student after a reload
    introduce(token(), say=told(session) if mine else "")
    follow(session)
    if mine is None:
        _join(session)
        return
    _head(session, mine)
    if session.phase == "join":
        st.title(say("wait"), anchor=False)
        return
    topic = topics.get(session.scenario, language())
    with st.container(key="room-question", gap="small"):
        st.title(plain(topic.question, 200), anchor=False)
        if session.phase == "ask":
            st.markdown(plain(topic.setting, 400))
    refusal(NOT_DONE)
    own = PHONES.get(topic.kind)
    job = job_of(session)
    row = own(session, job) if own else _question(session, job, mine)
    if session.phase == "ask" and topic.plan:
        explained(topic.plan)
    card(session.code, row)


def told(session: Session) -> str:
    """Change of the page in words, for a screen reader."""
    topic = topics.get(session.scenario, language())
    own, first = topic.kind in PHONES, {"own_digits": "draw", "one_bit": "toss"}.get(topic.kind, "ask")
    words = {
        "join": say("wait"),
        "ask": say(first, question=topic.question),
        "closed": say("no more drawing" if own else "is closed"),
        "running": say("is running"),
        "shown": say("is shown"),
        "free": say("is free"),
    }
    return words[session.phase]


def _join(session: Session) -> None:
    st.title(say("join", code=session.code), anchor=False)
    if session.locked:
        st.info(say("locked"))
        return
    with st.form("join", border=False):
        if not session.numbered:
            st.text_input(say("your name"), key=NAME, max_chars=MOST_LETTERS)
        st.form_submit_button(say("go in"), type="primary", on_click=_joined, args=(session,))
    refusal(NOT_DONE)
    st.caption(say("on the wall"))
    language_switch()


def _head(session: Session, mine: Member) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="room-me"):
        st.markdown(f"**{session.code}**")
        with st.popover(say("you are", name=plain(mine.name, 24)), type="tertiary"):
            if not session.numbered:
                with st.form("rename", border=False):
                    st.text_input(say("another name"), key=NAME, max_chars=MOST_LETTERS)
                    st.form_submit_button(say("rename"), on_click=_joined, args=(session,))
            language_switch()
            st.button(say("leave"), key="leave class", help=say("leaving"), on_click=_left, args=(session,))


def _question(session: Session, job: Job | None, mine: Member) -> dict[str, Any] | None:
    topic, guess = topics.get(session.scenario, language()), room.guess_of(session, me())
    if session.phase == "ask":
        _ask(session, guess)
        return None
    if session.phase == "free":
        _try(session, mine.number - 1)
        if topic.plan:
            with st.container(border=True, key="room-transfer"):
                transfer(f"{session.code} {session.scenario}", topic.plan)
    question = topic.ask
    answers = answers_of(question, job) if session.phase in SHOWN else ()
    made = literal(shown(question, guess, language())) if guess is not None else ""
    before = say("mine", guess=made) if made else ""
    came = reply(question, guess, answers, language()).words if answers else ""
    if came:
        own = said_of_guess(topic.plan, guess, answers) if topic.plan else ""
        st.markdown(f"**{literal(came)}** {own or literal(question.why)}")
    else:
        st.markdown(f"{before} {say('is closed' if session.phase == 'closed' else 'is running')}")
    if job is not None:
        every = 1.0 if job.live else None
        refreshing(curve, every)(job.id, question.of, HEIGHT, level(question, guess))
    lines = [topic.question, came]
    return {"id": session.scenario, "title": topic.label, "lines": lines} if came and made else None


def _ask(session: Session, guess: float | str | None) -> None:
    topic, key = topics.get(session.scenario, language()), f"class guess {session.code} {session.scenario}"
    question = topic.ask
    # what it begins with stays, or it would be another widget once a guess is kept
    before = guess if guess is not None else guesses.of(me(), topic.preset.draft)
    first = st.session_state.setdefault(f"first of {key}", before if question.takes(before) else None)
    with st.container(key="room-ask"):
        element(question, first, key, wide=True, language=language())
    if (found := outcomes.stored(topic.scenario)) and (beside := levels(topic.preset, found)):
        st.caption(beside)
    words = say("send" if guess is None else "change")
    off = st.session_state.get(key, first) is None and not isinstance(question, NumberQuestion)
    name, sent = f"send {key}", (session, key)
    st.button(words, type="primary", width="stretch", disabled=off, key=name, on_click=_guess, args=sent)
    kept = "" if guess is None else say("sent", guess=literal(shown(question, guess, language())))
    st.caption(f"{kept} {say('until')}")


def _try(session: Session, turn: int) -> None:
    with st.container(border=True, key="room-try"):
        st.markdown(say("one thing"))
        scenario = topics.get(session.scenario).scenario
        try:
            key = f"try {session.code} {session.scenario} {session.free}"
            value, called = field(scenario, session.free, key, turn, language())
            draft = draft_of(scenario, session.free, value, called)
        except InvalidExperiment as error:
            st.error(plain(error_in_words(error), 300))
            return
        args = (session, draft, called)
        st.button(say("try"), type="primary", width="stretch", key="class try", on_click=_tried, args=args)
        refreshing(_mine, every=1.0)(session)


def _mine(session: Session) -> None:
    for one in room.tries(session, me())[::-1][:5]:
        result_line(one.value, final_of(one.job), language())


@pressed
def _joined(session: Session) -> None:
    with refusing(NOT_DONE):
        room.join(session, settled(), st.session_state.get(NAME) or "", here())


@pressed
def _left(session: Session) -> None:
    with refusing(NOT_DONE):
        room.leave(session, me())
        st.query_params.clear()


@pressed
def _guess(session: Session, key: str) -> None:
    if (value := st.session_state.get(key)) is not None:
        with refusing(NOT_DONE):
            room.guess(session, me(), value)


@pressed
def _tried(session: Session, draft: Draft, called: str) -> None:
    with refusing(NOT_DONE):
        launch = partial(jobs.submit, topics.unattacked(draft), reference=False, room=session.room, **who())
        room.submit_try(session, me(), called, launch)
