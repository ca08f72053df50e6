"""The teacher's board for projection: question, guesses, the class's run, and students' own runs."""

from collections.abc import Callable, Sequence
from typing import Literal

import streamlit as st

from ldp_core.classroom import Phase, Session, own_digits, sessions, topics
from ldp_core.classroom import members as room
from ldp_core.errors import UnknownJob
from ldp_core.presets.questions import Figure, Question
from ldp_core.runs import Job, Person, jobs, nicknames
from pages.parts.classroom import own_room
from pages.parts.classroom.address import join_address, join_line
from pages.parts.classroom.entrance import follow, session_now, topic_label
from pages.parts.classroom.figures import dots, guesses_figure, tries_figure
from pages.parts.learn.figures import figure_of
from pages.parts.learn.one_thing import free_name
from pages.parts.train.guess_words import literal, reply
from pages.parts.ui import components
from pages.parts.ui.header import only_here, projector_button
from pages.parts.ui.job_actions import refusal, refusing
from pages.parts.ui.polling import refreshing
from pages.parts.ui.shared_cache import job_now
from pages.parts.ui.text import plain
from pages.parts.ui.uninterrupted import pressed, uncut
from pages.parts.ui.visitor import visitor, who
from pages.parts.watch.live import live_view, settings_of
from pages.parts.watch.prediction import answers_of, why

NOT_DONE = "not done in class"
SECONDS = 1.0
GUESSED = "\u00a0✓"
MOST_NAMES = 40
HEIGHT = 270
"""Height of a chart in pixels."""
NEXT: dict[Phase, str] = {
    "ask": "Close guesses",
    "closed": "Run for all",
    "running": "Show",
    "shown": "Let them try",
    "free": "",
}
"""Label of the primary button by phase."""
NEXT_OWN: dict[Phase, str] = NEXT | {"ask": "Close drawing", "closed": "Train the room", "shown": ""}


def board(session: Session) -> None:
    follow(session)
    with st.container(horizontal=True, vertical_alignment="center", key="room-head"):
        join_line(session)
        refreshing(_present, every=SECONDS)(session)
        projector_button()
        with st.popover("Who is here"):
            refreshing(_names, every=2 * SECONDS)(session)
        _new_class(session)
    only_here(join_address(session))
    topic = topics.get(session.scenario)
    with st.container(key="room-question", gap="small"):
        st.title(plain(topic.question, 200), anchor=False)
        if session.scenario != topics.OWN_DIGITS or session.phase == "ask":
            st.markdown(plain(topic.setting, 400))
    job = job_of(session)
    _steps(session, job)
    refusal(NOT_DONE)
    if session.scenario == topics.OWN_DIGITS:
        own_room.board(session, job)
        return
    if session.phase in ("shown", "free"):
        left, right = st.columns(2, gap="medium")
        with left:
            _guesses(session, job)
        with right:
            if session.phase == "free":
                refreshing(_tries, every=2 * SECONDS)(session)
            else:
                _why(session, job)
    if job is not None and (draft := settings_of(job)):
        live_view(draft, job)
        if topic.plan and session.phase in ("shown", "free"):
            figure_of(topic.plan)
    elif session.phase == "closed":
        st.info("Guesses are closed. *Run for all* trains it once, and everybody watches.")


def job_of(session: Session) -> Job | None:
    """The run shown to the class; None before there is one, or after its deletion."""
    try:
        return job_now(session.job) if session.job else None
    except UnknownJob:
        st.info("The run that all watched was deleted.")
        return None


def _present(session: Session) -> None:
    here = room.members(session)
    asking, own = session.phase == "ask", session.scenario == topics.OWN_DIGITS
    guessed, done = sum(one.guessed for one in here), "drawn" if own else "guessed"
    have = f"{'has' if guessed == 1 else 'have'} {done}"
    words = f"{guessed} of {len(here)} {have}" if asking else f"{len(here)} here, {guessed} {have}"
    with st.container(key="room-present", gap="xsmall"):
        st.header(words if here else "Nobody has joined yet", anchor=False)
        shown = [plain(one.name, 24) + GUESSED * one.guessed for one in here]
        st.markdown(", ".join(shown[:MOST_NAMES]) + (" …" if len(shown) > MOST_NAMES else ""))


def _names(session: Session) -> None:
    """The teacher's list of names: each is renamed or removed by a press; then who may come in."""
    here = {one.number: one.name for one in room.members(session)}
    st.markdown(f"**{len(here)} here**: choose one to rename or remove" if here else "**Nobody is here yet**")
    key = f"class name {session.code}"
    chosen = st.selectbox("Student", [*here], format_func=here.__getitem__, index=None, key=f"{key} of")
    if chosen is not None:
        label, args = f"Remove {plain(here[chosen], 24)}", (room.remove, session, chosen)
        st.button(label, on_click=_press, args=args)
        st.text_input("Another name (empty: the number)", key=key, max_chars=nicknames.MOST_LETTERS)
        st.button("Rename", on_click=_rename, args=(session, chosen, key))
    key = f"class lock {session.code}"
    st.session_state[key] = session.locked  # another board may have changed it
    lock = (sessions.lock, session, not session.locked)
    st.toggle("Lock: nobody new may join", key=key, on_change=_press, args=lock)
    if out := room.removed(session):
        label = f"Let in again who was removed ({out})"
        st.button(label, on_click=_press, args=(room.let_in, session))


@pressed
def _rename(session: Session, number: int, key: str) -> None:
    _done(room.rename, session, number, st.session_state.get(key) or "")


def _steps(session: Session, job: Job | None) -> None:
    early = session.phase == "running" and job is not None and job.live  # nothing to show yet
    names, own = topics.names(), session.scenario == topics.OWN_DIGITS
    with st.container(horizontal=True, vertical_alignment="bottom", key="room-steps"):
        if words := (NEXT_OWN if own else NEXT)[session.phase]:
            look: Literal["primary", "secondary"] = "secondary" if early else "primary"
            st.button(words, type=look, disabled=early, key="class next", on_click=_go_on, args=(session,))
        if early and session.job:
            refreshing(_answered, every=SECONDS)(session.job)
        if session.phase == "closed":
            again = (sessions.move, session, "ask")
            st.button(
                "Open drawing again" if own else "Open guesses again",
                key="class ask again",
                on_click=_press,
                args=again,
            )
        if session.phase == "shown" and not own:
            fields = sessions.free_fields(session.scenario)
            st.selectbox(
                "What is free",
                fields,
                index=fields.index(session.free) if session.free in fields else 0,
                format_func=free_name,
                key=f"class free {session.code}",
                label_visibility="collapsed",
                width=300,
            )
        after = names[(names.index(session.scenario) + 1) % len(names)]
        if session.phase == ("shown" if own else "free"):
            label = f"Next question: {plain(topics.get(after).label)}"
            args = (sessions.ask, session, after)
            st.button(label, type="primary", key="class after", on_click=_press, args=args)
        others = {name: topic_label(name) for name in names if name != session.scenario}
        key = f"class question {session.code} {session.scenario}"
        _offer("Another question", others, key, sessions.ask, session)


def _answered(identity: str) -> None:
    """Redraw the whole page at the end of the class's run."""
    if not job_now(identity).live:
        st.rerun()


def _offer(
    title: str, options: dict[str, str], key: str, change: Callable[..., object], session: Session
) -> None:
    """List whose choice changes the class at once."""
    st.selectbox(
        title,
        list(options),
        index=None,
        placeholder=f"{title} …",
        format_func=options.__getitem__,
        key=key,
        label_visibility="collapsed",
        width=300,
        on_change=_choose,
        args=(change, session, key),
    )


def _guesses(session: Session, job: Job | None) -> None:
    question = topics.get(session.scenario).preset.ask
    answers = answers_of(question, job)
    guesses = [one.value for one in room.guesses(session)]
    with st.container(border=True, key="room-guesses"):
        words = guesses_in_words(question, guesses, answers)
        st.markdown(f"**What you guessed**: {words}")
        figure, label = guesses_figure(question, guesses, answers), f"What was guessed: {words}"
        components.chart(figure, key="guesses of the class", label=label, height=HEIGHT)


def _why(session: Session, job: Job | None) -> None:
    topic = topics.get(session.scenario)
    question, answers = topic.preset.ask, answers_of(topic.preset.ask, job)
    with st.container(border=True, key="room-why"):
        if not answers:
            st.markdown("The run has not answered yet.")
            return
        st.markdown(f"**{literal(reply(question, None, answers).words)}**")
        st.markdown(why(question, job))
        if topic.plan:
            st.markdown(plain(topic.plan.look, 300))


def guesses_in_words(
    question: Question, guesses: Sequence[float | str], answers: Sequence[float | str]
) -> str:
    if not guesses:
        return "nobody guessed."
    if not answers:
        return f"{len(guesses)} guesses."
    if isinstance(question, Figure):
        truth = sum(map(float, answers)) / len(answers)
        near = sum(abs(float(one) - truth) <= question.near for one in guesses)
        unit = "points" if question.unit else "of it"
        return f"{near} of {len(guesses)} within {question.near:g} {unit}."
    right = sum(one in answers for one in guesses)
    return f"{right} of {len(guesses)} guessed right."


def _tries(session: Session) -> None:
    tries = room.tries(session)
    with st.container(border=True, key="room-tries"):
        st.markdown(f"**What you tried**: {free_name(session.free)} is free, the rest is as it was.")
        found = dots(tries)
        if not found:
            st.caption(f"Under way: {len(tries)}." if tries else "Nothing has been tried yet.")
            return
        label = "; ".join(f"{dot.name}, {dot.value}: {dot.final.accuracy or 0:.0%}" for dot in found)
        components.chart(tries_figure(found), key="tries of the class", label=label, height=HEIGHT)
        names = {dot.job: f"{dot.name}: {dot.value}, {dot.final.accuracy or 0:.0%}" for dot in found[::-1]}
        key = f"class show {session.code} {session.job}"
        _offer("Put one before all", names, key, sessions.put_before_all, session)


def _new_class(session: Session) -> None:
    with st.popover("New class"):
        st.markdown(
            "Names, guesses, drawings and the board are deleted, and everybody leaves. The next class has a "
            "code of its own."
        )
        st.button("End this class", type="primary", key="class end", on_click=_end, args=(session,))


def _done(change: Callable[..., object], session: Session, *given: object) -> None:
    """Change the class as the teacher; a refusal is shown on the page."""
    with refusing(NOT_DONE):
        change(session, visitor(), *given)
        session_now.clear()


@pressed
def _press(change: Callable[..., object], session: Session, *given: object) -> None:
    _done(change, session, *given)


@uncut
def _choose(change: Callable[..., object], session: Session, key: str) -> None:
    if chosen := st.session_state.get(key):
        _done(change, session, chosen)


@pressed
def _go_on(session: Session) -> None:
    if session.phase == "closed":
        _done(_run, session)
        return
    if session.phase == "shown" and (free := st.session_state.get(f"class free {session.code}")):
        _done(sessions.leave_free, session, free)
    _done(sessions.move, session, {"ask": "closed", "running": "shown", "shown": "free"}[session.phase])


def _run(session: Session, teacher: Person) -> None:
    """Launch the scenario's run for the class; known results are shown at once."""
    if session.scenario == topics.OWN_DIGITS:
        job = own_digits.train(session, who())
    else:
        job = jobs.submit(topics.get(session.scenario).preset.draft, reference=True, **who())
    sessions.move(session, teacher, "running", job)


@pressed
def _end(session: Session) -> None:
    with refusing(NOT_DONE):
        sessions.end(session, visitor())
        session_now.clear()
        st.query_params.clear()
