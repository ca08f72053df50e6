"""A student's screen: join, then guess, watch or try, by the class's phase."""

from functools import partial

import streamlit as st

from ldp_core.classroom import Member, Session, topics
from ldp_core.classroom import members as room
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import Draft
from ldp_core.presets.questions import Figure
from ldp_core.runs import jobs, outcomes
from pages.parts.classroom import own_digit
from pages.parts.classroom.board import job_of
from pages.parts.classroom.entrance import follow
from pages.parts.learn.lesson import transfer
from pages.parts.learn.one_thing import draft_of, field, final_of, result_line
from pages.parts.runs.whose import names as nicknames
from pages.parts.start.outcome_view import levels
from pages.parts.train.guess_words import level, literal, reply, shown
from pages.parts.ui.job_actions import refusal, refusing
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.polling import refreshing
from pages.parts.ui.text import plain
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import here, me, settled, who
from pages.parts.watch.guess_field import element
from pages.parts.watch.live import live_view, settings_of
from pages.parts.watch.prediction import answers_of, why

NOT_DONE = "not done by a student"
NAME = "name in class"
MOST_LETTERS = 20
"""Length of a name (`nicknames`)."""


def student(session: Session) -> None:
    follow(session)
    mine = room.member(session, me())
    if mine is None:
        _join(session)
        return
    _head(session, mine)
    topic = topics.get(session.scenario)
    with st.container(key="room-question", gap="small"):
        st.title(plain(topic.question, 200), anchor=False)
        if session.phase == "ask":
            st.markdown(plain(topic.setting, 400))
    refusal(NOT_DONE)
    if session.scenario == topics.OWN_DIGITS:
        if session.phase == "ask":
            own_digit.draw(session)
        else:
            own_digit.watch(session, job_of(session))
        return
    guess = room.guess_of(session, me())
    if session.phase == "ask":
        _ask(session, guess)
        return
    if session.phase == "free":
        _try(session)
        if topic.plan:
            with st.container(border=True, key="room-transfer"):
                transfer(f"{session.code} {session.scenario}", topic.plan)
    _watch(session, guess)


def _join(session: Session) -> None:
    st.title(f"Class {session.code}", anchor=False)
    if session.locked:
        st.info("This class is locked: its teacher lets nobody new in now.")
        return
    with st.form("join", border=False):
        if not session.numbered:
            label = "Your name here (or leave it empty and be a number)"
            st.text_input(label, nicknames().get(me(), ""), key=NAME, max_chars=MOST_LETTERS)
        st.form_submit_button("Join", type="primary", on_click=_joined, args=(session,))
    refusal(NOT_DONE)
    st.caption("The teacher sees it on the board. It is deleted when the class ends.")


def _head(session: Session, mine: Member) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="room-me"):
        st.markdown(f"**{session.code}**")
        with st.popover(f"you are {plain(mine.name, 24)}", type="tertiary"):
            if not session.numbered:
                with st.form("rename", border=False):
                    st.text_input("Another name", key=NAME, max_chars=MOST_LETTERS)
                    st.form_submit_button("Change it", on_click=_joined, args=(session,))
            words = "Your name, guesses and drawing are deleted; what the class has trained on, when it ends"
            st.button("Leave the class", key="leave class", help=words, on_click=_left, args=(session,))


def _ask(session: Session, guess: float | str | None) -> None:
    question, key = topics.get(session.scenario).preset.ask, f"class guess {session.code} {session.scenario}"
    # what it begins with stays, or it would be another widget once a guess is kept
    first = st.session_state.setdefault(f"first of {key}", guess)
    with st.container(key="room-ask"):
        element(question, first, key, wide=True)
    topic = topics.get(session.scenario)
    if (found := outcomes.stored(topic.scenario)) and (beside := levels(topic.preset, found)):
        st.caption(beside)
    words = "Send my guess" if guess is None else "Change my guess"
    off = st.session_state.get(key, first) is None and not isinstance(question, Figure)
    name, sent = f"send {key}", (session, key)
    st.button(words, type="primary", width="stretch", disabled=off, key=name, on_click=_guess, args=sent)
    kept = "" if guess is None else f"Sent: **{literal(shown(question, guess))}**. "
    st.caption(f"{kept}You can change it until the teacher closes.")


def _watch(session: Session, guess: float | str | None) -> None:
    question, job = topics.get(session.scenario).preset.ask, job_of(session)
    mine = "" if guess is None else f"You guessed **{literal(shown(question, guess))}**. "
    answers = answers_of(question, job) if session.phase in ("shown", "free") else ()
    if answers:
        st.markdown(f"**{literal(reply(question, guess, answers).words)}** {why(question, job)}")
    elif session.phase == "closed":
        st.markdown(f"{mine}Guesses are closed: look at the board.")
    elif session.phase == "running":
        st.markdown(f"{mine}The run will tell.")
    if job is not None and (draft := settings_of(job)):
        live_view(draft, job, guess=level(question, guess))


def _try(session: Session) -> None:
    with st.container(border=True, key="room-try"):
        st.markdown("**Your turn.** One thing is free; the rest stays as it is.")
        scenario = topics.get(session.scenario).scenario
        try:
            key = f"try {session.code} {session.scenario} {session.free}"
            value, called = field(scenario, session.free, key, sum(me().encode()))
            draft = draft_of(scenario, session.free, value, called)
        except InvalidExperiment as error:
            st.error(plain(error_in_words(error), 300))
            return
        words, args = "Train it, and put it on the board", (session, draft, called)
        st.button(words, type="primary", width="stretch", key="class try", on_click=_tried, args=args)
        refreshing(_mine, every=1.0)(session)


def _mine(session: Session) -> None:
    for one in room.tries(session, me())[::-1][:5]:
        result_line(one.value, final_of(one.job))


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
        launch = partial(jobs.submit, draft, reference=False, **who())
        room.submit_try(session, me(), called, launch)
