"""The wall of a class for each phase of a question, one screen each, and what all walls share."""

from collections.abc import Collection, Sequence

import segno
import streamlit as st

from ldp_core.classroom import Session, topics
from ldp_core.classroom import members as room
from ldp_core.presets.questions import NumberQuestion, ScenarioQuestion
from ldp_core.runs import Job, outcomes, progress_of
from pages.parts.charts.rounds import accuracy_figure
from pages.parts.charts.series import series
from pages.parts.classroom.figures import dots, guesses_figure, tries_figure
from pages.parts.learn.figures import classes_figure, figure_of
from pages.parts.learn.language import language, say
from pages.parts.learn.line_up import line_up
from pages.parts.learn.one_thing import free_name
from pages.parts.start.outcome_view import levels
from pages.parts.train.guess_words import literal
from pages.parts.ui import components
from pages.parts.ui.header import address_of
from pages.parts.ui.polling import refreshing
from pages.parts.ui.shared_cache import job_now
from pages.parts.ui.text import percent, plain
from pages.parts.watch.live import settings_of
from pages.parts.watch.prediction import answers_of

SECONDS = 1.0
GUESSED = "\u00a0✓"
MOST_NAMES = 40
HEIGHT, TALL = 440, 500
"""Height of the wall's chart, with a sentence below it and without, on a wall of 1280 × 664 (studio.css)."""


def address(session: Session) -> str:
    """`HOST/CODE`, from which the server leads to the class."""
    return f"{address_of('class').removesuffix('class')}{session.code}"


def join(session: Session) -> None:
    left, right = st.columns([1.2, 1], gap="large", vertical_alignment="center")
    with left:
        code = segno.make(address(session), error="m", micro=False)
        uri = code.png_data_uri(scale=16, border=3, light="#ffffff")  # dark on white in every theme
        st.markdown(f"![The address, to scan]({uri})", width=620)
    with right, st.container(key="room-code", gap="small"):
        st.markdown(say("scan"))
        host = address(session).partition("://")[2].removesuffix(session.code)
        st.markdown(plain(host, 80))  # without the scheme, or Markdown makes a link of it
        st.title(session.code, anchor=False)
        refreshing(_names, every=SECONDS)(session)


def _names(session: Session) -> None:
    here = [plain(one.name, 24) for one in room.members(session)]
    st.header(say("here", n=len(here)) if here else say("nobody"), anchor=False)
    st.markdown(", ".join(here[-MOST_NAMES:]))


def question(session: Session, job: Job | None, other: bool) -> None:
    """The wall of a question that is guessed, run, answered and tried; the `other` picture on demand."""
    topic = topics.get(session.scenario, language())
    heading(session)
    if session.phase in ("ask", "closed"):
        with st.container(key="room-choices"):
            st.markdown(choices(topic.ask))
            if (found := outcomes.stored(topic.scenario)) and (beside := levels(topic.preset, found)):
                st.markdown(beside)
        refreshing(count, every=SECONDS)(session)
    elif session.phase == "running" and job:
        refreshing(curve, every=SECONDS)(job.id, topic.ask.of)
    elif other:
        _other(session, job)
    elif session.phase == "free":
        refreshing(_tries, every=2 * SECONDS)(session)
    else:
        _shown(session, job)


def heading(session: Session) -> None:
    topic = topics.get(session.scenario, language())
    with st.container(key="room-question", gap="small"):
        st.title(plain(topic.question, 200), anchor=False)
        if session.phase in ("ask", "closed"):
            st.markdown(plain(topic.setting, 400))


def choices(question: ScenarioQuestion) -> str:
    """What can be answered, as markdown."""
    if isinstance(question, NumberQuestion):
        return say("from" if question.unit else "count", most=question.most)
    return "\n".join(f"- {plain(question.called(one))}" for one in question.options)


def count(session: Session, done: str = "guessed", over: str = "closed") -> None:
    here = room.members(session)
    words = say(done, n=sum(one.guessed for one in here), all=len(here)) if here else say("nobody")
    with st.container(key="room-count"):
        st.header(words, anchor=False)
        if session.phase == "closed":
            st.markdown(say(over))


def curve(identity: str, only: Collection[str] = (), height: int = TALL, guess: float | None = None) -> None:
    """Accuracy by round, of all runs or of those with these labels, beside that without noise."""
    job = job_now(identity)
    draft = settings_of(job)
    if draft is None:
        return
    progress = progress_of(job).update()
    shown, reference = series(progress, draft)
    shown = [one for one in shown if not only or one.label in only]
    last = max((one.rounds for one in shown), default=1)
    with st.container(key="room-curve"):
        st.markdown(say("round", now=progress.at(), last=last) if job.live else plain(job.message))
        chance = next((one.start["chance"] for one in progress.runs if one.start), None)
        drawn = accuracy_figure(shown, last, chance, reference, guess)
        words = ", ".join(f"{one.label}: {percent(one.mean()[-1])}" for one in shown if len(one.mean()))
        label = f"{say('by round')}: {words}"
        components.chart(drawn, key="accuracy of the room", label=label, height=height)


def _shown(session: Session, job: Job | None) -> None:
    """All guesses over the truth, and one sentence."""
    asked = topics.get(session.scenario, language()).ask
    answers, guesses = answers_of(asked, job), [one.value for one in room.guesses(session)]
    if not answers:
        st.header(say("no run"), anchor=False)
        return
    label = f"{say('was guessed')}: {guesses_in_words(asked, guesses, answers)}"
    components.chart(
        guesses_figure(asked, guesses, answers), key="guesses of the class", label=label, height=HEIGHT
    )
    with st.container(key="room-why"):
        st.markdown(literal(asked.why))


def guesses_in_words(
    question: ScenarioQuestion, guesses: Sequence[float | str], answers: Sequence[float | str]
) -> str:
    if not guesses:
        return say("no guesses")
    if isinstance(question, NumberQuestion):
        truth = sum(map(float, answers)) / len(answers)
        near = sum(abs(float(one) - truth) <= question.near for one in guesses)
        return say("near guesses", n=near, all=len(guesses), near=f"{question.near:g}{question.unit}")
    return say("right guesses", n=sum(one in answers for one in guesses), all=len(guesses))


def _other(session: Session, job: Job | None) -> None:
    """The lesson's own picture, or the curves of all runs."""
    topic = topics.get(session.scenario, language())
    plan = topic.plan
    if plan and plan.figure == "leak":
        line_up()
    elif plan and plan.figure == "classes" and (found := outcomes.stored(topic.scenario)):
        drawn, words = classes_figure(plan, found)
        components.chart(drawn, key="accuracy by digit", label=words, height=HEIGHT)
    elif plan and plan.figure:
        figure_of(plan)
    elif job is not None:
        curve(job.id, height=HEIGHT - 40)
    if plan:
        with st.container(key="room-why"):
            st.markdown(plain(plan.look, 300))


def _tries(session: Session) -> None:
    tries = room.tries(session)
    found = dots(tries)
    st.header(say("free", what=free_name(session.free, language())), anchor=False)
    if not found:
        st.markdown(say("under way", n=len(tries)) if tries else say("nothing tried"))
        return
    label = "; ".join(f"{dot.name}, {dot.value}: {dot.final.accuracy or 0:.0%}" for dot in found)
    components.chart(tries_figure(found), key="tries of the class", label=label, height=TALL)
