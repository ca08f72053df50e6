"""The path of lessons, and one of them: predict, result, change one field, answer for another setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from statistics import fmean

import streamlit as st

from ldp_core import lessons, presets
from ldp_core.classroom import members, topics
from ldp_core.errors import InvalidExperiment, StudioError
from ldp_core.experiment import Draft
from ldp_core.lessons import LessonPlan, coin
from ldp_core.presets.questions import NumberQuestion
from ldp_core.runs import GuessValue, guesses, jobs, outcomes
from pages.parts.learn.figures import figure_of
from pages.parts.learn.language import language, say
from pages.parts.learn.one_thing import draft_of, field, final_of, result_line
from pages.parts.start.outcome_view import levels, made, picture
from pages.parts.train.guess_words import level, literal, reply, shown
from pages.parts.ui import components
from pages.parts.ui.header import question
from pages.parts.ui.job_actions import refusal, refusing
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.polling import refreshing
from pages.parts.ui.text import plain
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import here, me, who
from pages.parts.ui.workspace import start_with
from pages.parts.watch.guess_field import field as guess_field
from pages.parts.watch.guess_field import not_kept, way_around

NEEDS_ROOM = "This one needs a room: each student draws on a phone, and sees alone what was read."
NOT_TRIED = "not tried in a lesson"
HEIGHT = 300
"""Height of the lesson's charts in pixels."""
IN_ROW = 4


def lesson(name: str) -> None:
    kind = lessons.get(name).kind
    spoken = lessons.ENGLISH if kind == "scenario" else language()
    plan = lessons.get(name, spoken)
    steps(name)
    with st.container(key="lesson-head", gap="small"):
        st.title(lessons.numbered(name, spoken), anchor=False)
        st.markdown(plain(plan.setting, 400))
        explained(plan)
    if kind == "scenario":
        _predicted(name, plan)
        return
    if kind == "one_bit":
        _one_bit(plan)
    else:
        st.markdown(NEEDS_ROOM)
        st.page_link("classroom.py", label=":blue[Go to *Class*]")
    with st.container(border=True):
        if transfer(name, plan):
            _finish(name)


def _one_bit(plan: LessonPlan) -> None:
    """The own coin, of which nothing is sent, and a simulated room."""
    left, right = st.columns([1, 1.5], gap="large")
    name, epsilon = next(iter(coin.BUDGETS.items()))
    with left:
        st.header(plain(plan.question, 200), anchor=False)
        own = {**coin.law(1, name), "at": name, "bit": None, "words": plan.words, "alone": True}
        components.draw("coin", own, key=f"coin of {plan.name}")
        odds = coin.odds(epsilon)
        one = plan.words["one"].format(right=odds.right, tries=odds.tries)
        st.markdown(f"ε {name}. {plain(one, 300)}")
    with right, st.container(border=True):
        shown = coin.simulated() | {"words": plan.words, "look": plan.look}
        components.draw("coin_room", shown, key=f"room of {plan.name}")


def explained(plan: LessonPlan) -> None:
    """Words that are met here first, a sentence each."""
    for term, says in plan.terms.items():
        st.caption(f"**{plain(term)}**: {plain(says, 300)}")


def _predicted(name: str, plan: LessonPlan) -> None:
    preset, found = presets.get(plan.scenario), outcomes.stored(plan.scenario)
    known, ask = Guessed.here(), plan.ask
    open_question = known.is_open(plan.scenario)
    guess = known.guesses.get(plan.scenario)
    guess = guess if ask.takes(guess) else None
    left, right = st.columns([1, 1.5], gap="large")
    with left:
        mine = "" if guess is None else literal(shown(ask, guess))
        st.header("What do you expect?" if open_question or mine else "The question", anchor=False)
        st.markdown(plain(ask.text, 300))
        if open_question:
            if found and (beside := levels(preset, found)):
                st.caption(beside)
            guess_field(ask, preset.draft, guess, "learn")
            words = "Show what came of it" if mine else "Just show me"
            way_around(words, preset.label, next_step=bool(mine))
            if mine:
                st.caption(f"You guessed {mine}. You may guess anew until you have the answer shown.")
            not_kept()
            return
        if mine:
            st.caption(f"You guessed {mine}.")
        if found:
            st.header("What happened, and why", anchor=False)
            answers = ask.answers(found.results)
            said = literal(reply(ask, guess, answers).words)
            st.markdown(f"**{said}** {said_of_guess(plan, guess, answers)}")
            st.markdown(plain(preset.lesson, 600))
            st.markdown(plain(plan.look, 300))
            st.caption(made(preset.draft, found))
            if st.button("Watch these runs train", help="The same runs, live, on Train"):
                start_with(preset.draft)
                st.switch_page("train.py")
    with right:
        if found:
            drawn = picture(preset.draft, found, HEIGHT, ask.of, level(ask, guess))
            components.draw("outcome", drawn, key=f"outcome of lesson {plan.scenario}")
    figure_of(plan, found)
    change, last = st.columns(2, gap="large")
    if plan.free:
        with change, st.container(border=True, height="stretch"):
            _change(name, plan)
    with last, st.container(border=True, height="stretch"):
        if transfer(name, plan):
            _finish(name)


def steps(name: str = "") -> None:
    """Draw the lessons as a row of links, with one marked."""
    known = finished()
    with st.container(horizontal=True, key="lesson-steps"):
        for other in lessons.names():
            words = f"{lessons.numbered(other)}{' ✓' if other in known else ''}"
            if other == name:
                st.markdown(f"**{words}**")
            else:
                st.page_link("learn.py", label=f":blue[{words}]", query_params={"lesson": other})


def said_of_guess(plan: LessonPlan, guess: GuessValue | None, answers: Sequence[float | str]) -> str:
    """The lesson's sentence for a guess that no run bore out; "" for any other."""
    ask = plan.ask
    if guess is None or not answers or guess in answers:
        return ""
    if isinstance(ask, NumberQuestion):
        values = [float(one) for one in answers]
        off = float(guess) - fmean(values)
        guess = "" if abs(off) <= ask.near else "higher" if off > 0 else "lower"
    return plain(plan.wrong.get(str(guess), ""), 300)


def _change(name: str, plan: LessonPlan) -> None:
    st.header("Change one thing", anchor=False)
    try:
        value, called = field(plan.scenario, plan.free, f"change {name}")
        draft = draft_of(plan.scenario, plan.free, value, called)
    except InvalidExperiment as error:
        st.error(plain(error_in_words(error), 300))
        return
    st.button("Train it", type="primary", key=f"train {name}", on_click=_train, args=(name, draft))
    refusal(NOT_TRIED)
    refreshing(_mine, every=1.0)(name)


def _mine(name: str) -> None:
    for job in jobs.of_draft(_place(name), "run", most=4):
        result_line(job.request["draft"]["variants"][0]["label"], final_of(job.id))


def _place(name: str) -> str:
    """Draft id for this visitor's runs of a lesson, which has no draft."""
    return sha256(f"{me()} {name}".encode()).hexdigest()[:12]


@pressed
def _train(name: str, draft: Draft) -> None:
    with refusing(NOT_TRIED):
        jobs.submit(topics.unattacked(draft), _place(name), reference=False, **who())


@pressed
def _answer(name: str, option: str) -> None:
    st.session_state[f"answer to {name}"] = option


def transfer(name: str, plan: LessonPlan) -> bool:
    """Draw the lesson's question about another setting; returns whether it has been answered."""
    last = plan.transfer
    st.header(say("elsewhere"), anchor=False)
    st.markdown(plain(last.text, 300))
    for option in last.options:
        key = f"{name} says {option}"
        st.button(plain(option), key=key, width="stretch", on_click=_answer, args=(name, option))
    chosen = st.session_state.get(f"answer to {name}")
    if chosen is None:
        return False
    if chosen in last.wrong:
        st.markdown(f"{plain(last.wrong[chosen], 300)} {say('right is')} **{plain(last.right)}**.")
    else:
        st.markdown(f"**{say('right')}** {plain(last.why, 400)}")
    return True


def _finish(name: str) -> None:
    """Store that the visitor finished a lesson, and draw the link to the next one."""
    if name not in finished():
        try:
            guesses.skip(me(), done_with(name), address=here())
        except StudioError as error:
            st.error(plain(error_in_words(error), 300))
    following = lessons.names()[lessons.names().index(name) + 1 :]
    if following:
        label = f"Next: {lessons.get(following[0]).label}"
        if st.button(label, type="primary", key=f"after {name}"):
            st.query_params.from_dict({"lesson": following[0]})
            st.rerun()
    else:
        st.markdown("That was the last one.")


def done_with(name: str) -> str:
    """Key under which a finished lesson is stored with the visitor's guesses."""
    return f"lesson {name}"


def finished() -> set[str]:
    kept = guesses.all_skipped(me())
    return {name for name in lessons.names() if done_with(name) in kept}


def path() -> None:
    question("Learn it step by step", "Guess, see what happens, change one thing: some five minutes each.")
    known = finished()
    now = next((name for name in lessons.names() if name not in known), lessons.names()[0])
    columns = [column for _ in lessons.names()[::IN_ROW] for column in st.columns(IN_ROW, gap="small")]
    for column, name in zip(columns, lessons.names(), strict=False):
        plan = lessons.get(name)
        with column, st.container(border=True, height="stretch", key=f"lesson {name}"):
            done = name in known
            st.header(f"{lessons.numbered(name)}{' ✓' if done else ''}", anchor=False)
            st.markdown(plain(plan.setting, 400))
            words, key = "Again" if done else "Begin", f"open lesson {name}"
            if st.button(words, type="primary" if name == now else "secondary", key=key, width="stretch"):
                st.query_params.from_dict({"lesson": name})
                st.rerun()
    st.caption("A teacher can hold the same with a whole room: *Class*.")
    st.page_link("start.py", label=":blue[All scenarios]")


@dataclass(frozen=True)
class Guessed:
    guesses: Mapping[str, GuessValue]
    """Guess by scenario."""
    revealed: frozenset[str]

    @classmethod
    def here(cls) -> Guessed:
        about = guesses.all_of(me())
        names = {name: guess for name in presets.names() if (guess := about.get(_key(name))) is not None}
        passed, in_class = guesses.all_skipped(me()), members.answered(me())
        revealed = {name for name in presets.names() if passed & {presets.get(name).label, _key(name)}}
        return cls(names | in_class, frozenset(revealed | in_class.keys()))

    def is_open(self, name: str) -> bool:
        """Whether the answer is still hidden."""
        return name not in self.revealed


@cache
def _key(name: str) -> str:
    return guesses.key_of(presets.get(name).draft)
