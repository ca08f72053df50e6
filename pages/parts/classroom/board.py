"""The teacher's page of a class: its wall, which fills the screen, and below it one bar of controls."""

from collections.abc import Callable
from typing import Literal

import streamlit as st

from ldp_core.classroom import MOST_LETTERS, Phase, Session, one_bit, own_digits, sessions, topics
from ldp_core.classroom import members as room
from ldp_core.errors import UnknownJob
from ldp_core.lessons import coin
from ldp_core.runs import Job, Person, jobs
from pages.parts.classroom import coins, own_room, wall
from pages.parts.classroom.entrance import follow, session_now, topic_label
from pages.parts.learn.language import language, language_switch, say
from pages.parts.learn.one_thing import free_name
from pages.parts.ui.components import introduce
from pages.parts.ui.header import only_here
from pages.parts.ui.job_actions import refusal, refusing
from pages.parts.ui.polling import refreshing
from pages.parts.ui.shared_cache import job_now
from pages.parts.ui.text import plain
from pages.parts.ui.uninterrupted import pressed, uncut
from pages.parts.ui.visitor import teacher_entrance, token, visitor, who

NOT_DONE = "not done in class"
BoardView = Literal["", "join", "other"]
"""What a teacher has put on the wall in place of the phase's own: the code, or another picture."""
WALLS: dict[str, Callable[[Session, Job | None, bool], None]] = {
    "own_digits": own_room.wall,
    "one_bit": coins.wall,
}
"""Walls of topics without a scenario, by kind."""
NEXT: dict[Phase, str] = {
    "join": "begin",
    "ask": "close",
    "closed": "run",
    "running": "show",
    "shown": "let try",
    "free": "",
}
"""The primary button's words by phase."""
NEXT_OF: dict[str, dict[Phase, str]] = {
    "scenario": NEXT,
    "own_digits": NEXT | {"ask": "close drawing", "closed": "train", "shown": "another round"},
    "one_bit": NEXT | {"ask": "show", "shown": "tenfold"},
}
"""The same by the kind of topic."""
AFTER: dict[Phase, Phase] = {"join": "ask", "ask": "closed", "running": "shown", "shown": "free"}
SHOWN: tuple[Phase, ...] = ("shown", "free")


def board(session: Session) -> None:
    """Draw the wall; without the teacher's rights, after a restart, the bar asks for the secret alone."""
    follow(session)
    teacher, job, view = visitor().teacher, job_of(session), _view(session)
    if teacher:
        sessions.lead(session, visitor())
    with st.container(key="wall", gap="small"):
        if session.phase == "join" or view == "join":
            wall.join(session)
        else:
            WALLS.get(topics.get(session.scenario).kind, wall.question)(session, job, view == "other")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="bar"):
        if teacher:
            introduce(token())
            _controls(session, job, view)
        else:
            st.markdown(f"**{session.code}**", width="content")
            teacher_entrance()


def job_of(session: Session) -> Job | None:
    """The run shown to the class; None before there is one, or after its deletion."""
    try:
        return job_now(session.job) if session.job else None
    except UnknownJob:
        st.info(say("deleted"))
        return None


def _controls(session: Session, job: Job | None, view: BoardView) -> None:
    early = session.phase == "running" and job is not None and job.live  # nothing to show yet
    names, kind = topics.names(), topics.get(session.scenario).kind
    larger = coin.tenfold(session.free) if kind == "one_bit" else ""
    words = NEXT_OF[kind][session.phase]
    if words and (larger or words != "tenfold"):
        quiet = early or (kind == "own_digits" and session.phase == "shown")
        look: Literal["primary", "secondary"] = "secondary" if quiet else "primary"
        words = say(words, epsilon=larger)
        st.button(words, type=look, disabled=early, key="class next", on_click=_go_on, args=(session,))
    if early and session.job:
        refreshing(_answered, every=wall.SECONDS)(session.job)
    if session.phase == "closed":
        again = say("draw again" if kind == "own_digits" else "open again")
        st.button(again, key="class ask again", on_click=_press, args=(sessions.move, session, "ask"))
    if kind == "one_bit" and session.phase in ("join", "ask"):
        coins.choose(session, _free_it)
    if session.phase == "shown" and kind == "scenario":
        fields = sessions.free_fields(session.scenario)
        st.selectbox(
            "What is free",
            fields,
            index=fields.index(session.free) if session.free in fields else 0,
            format_func=lambda free: free_name(free, language()),
            key=f"class free {session.code} {session.scenario}",
            label_visibility="collapsed",
            width=270,
        )
    after = names[(names.index(session.scenario) + 1) % len(names)]
    if session.phase == ("free" if kind == "scenario" else "shown"):
        label = say("next", label=plain(topics.get(after, language()).label))
        args = (sessions.ask, session, after)
        last: Literal["primary", "secondary"] = "secondary" if larger else "primary"
        st.button(label, type=last, key="class after", on_click=_press, args=args)
    if session.phase in SHOWN and kind != "one_bit":
        _turn_to("other", say("other picture"), "V", session, view)
    if session.phase != "join":
        _turn_to("join", say("code"), "J", session, view)
    _another_question(session)
    with st.popover(say("who is here")):
        refreshing(_names, every=2 * wall.SECONDS)(session)
        only_here(wall.address(session))
        language_switch()
    _new_class(session)
    st.page_link("start.py", label=say("studio"))
    refusal(NOT_DONE)


def _view(session: Session) -> BoardView:
    found: BoardView = st.session_state.get(_place(session), "")
    return found


def _place(session: Session) -> str:
    """Key of the view, which each phase begins without."""
    return f"wall {session.code} {session.scenario} {session.phase}"


def _turn_to(name: BoardView, words: str, key: str, session: Session, now: BoardView) -> None:
    label, to = (say("back"), "") if now == name else (words, name)
    st.button(label, shortcut=key, key=f"class view {name}", on_click=_turn, args=(_place(session), to))


@pressed
def _turn(place: str, to: BoardView) -> None:
    st.session_state[place] = to


def _answered(identity: str) -> None:
    """Redraw the whole page at the end of the class's run."""
    if not job_now(identity).live:
        st.rerun()


def _another_question(session: Session) -> None:
    """List whose choice changes the question at once."""
    options = {name: topic_label(name) for name in topics.names() if name != session.scenario}
    key = f"class question {session.code} {session.scenario}"
    st.selectbox(
        "Another question",
        list(options),
        index=None,
        placeholder=say("another question"),
        format_func=options.__getitem__,
        key=key,
        label_visibility="collapsed",
        width=210,
        on_change=_choose,
        args=(session, key),
    )


def _names(session: Session) -> None:
    """The teacher's list of names: each is renamed or removed by a press; then who may come in."""
    members = room.members(session)
    here = {one.number: one.name + wall.GUESSED * one.guessed for one in members}
    st.markdown(say("choose name", n=len(here)) if here else f"**{say('nobody')}**")
    key = f"class name {session.code}"
    chosen = st.selectbox("Student", [*here], format_func=here.__getitem__, index=None, key=f"{key} of")
    if chosen is not None:
        label, args = say("remove", name=plain(here[chosen], 24)), (room.remove, session, chosen)
        st.button(label, on_click=_press, args=args)
        st.text_input(say("name or number"), key=key, max_chars=MOST_LETTERS)
        st.button(say("rename other"), on_click=_rename, args=(session, chosen, key))
    key = f"class lock {session.code}"
    st.session_state[key] = session.locked  # another browser may have changed it
    lock = (sessions.lock, session, not session.locked)
    st.toggle(say("lock"), key=key, on_change=_press, args=lock)
    if out := room.removed(session):
        st.button(say("let in", n=out), on_click=_press, args=(room.let_in, session))


@pressed
def _rename(session: Session, number: int, key: str) -> None:
    _done(room.rename, session, number, st.session_state.get(key) or "")


def _new_class(session: Session) -> None:
    with st.popover(say("new class")):
        st.markdown(say("class goes"))
        st.button(say("end class"), type="primary", key="class end", on_click=_end, args=(session,))


def _done(change: Callable[..., object], session: Session, *given: object) -> None:
    """Change the class as the teacher; a refusal is shown on the page."""
    with refusing(NOT_DONE):
        change(session, visitor(), *given)
        session_now.clear()


@pressed
def _press(change: Callable[..., object], session: Session, *given: object) -> None:
    _done(change, session, *given)


@uncut
def _choose(session: Session, key: str) -> None:
    if chosen := st.session_state.get(key):
        _done(sessions.ask, session, chosen)


def _free_it(session: Session, key: str) -> None:
    _done(sessions.leave_free, session, st.session_state[key])


@pressed
def _go_on(session: Session) -> None:
    kind = topics.get(session.scenario).kind
    if kind == "one_bit" and session.phase != "join":
        _done(one_bit.go_on, session)
        return
    if session.phase == "closed":
        _done(_run, session)
        return
    own = kind == "own_digits"
    if session.phase == "shown" and not own:
        free = st.session_state.get(f"class free {session.code} {session.scenario}") or session.free
        _done(sessions.leave_free, session, free)
    _done(sessions.move, session, "ask" if session.phase == "shown" and own else AFTER[session.phase])


def _run(session: Session, teacher: Person) -> None:
    """Launch the scenario's run for the class; known results are shown at once."""
    if session.scenario == topics.OWN_DIGITS:
        job = own_digits.train(session, who())
    else:
        job = jobs.submit(topics.get(session.scenario).draft, reference=True, **who())
    sessions.move(session, teacher, "running", job)


@pressed
def _end(session: Session) -> None:
    with refusing(NOT_DONE):
        sessions.end(session, visitor())
        session_now.clear()
        st.query_params.clear()
