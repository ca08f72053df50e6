"""Prediction of a scenario's result: question before the run, guess during it, answer after.

The question is in the scenario's file; the answer is computed from the runs.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ldp_core.errors import StorageFailed
from ldp_core.experiment import Draft
from ldp_core.presets.questions import CompletedRun, ScenarioQuestion
from ldp_core.runs import GuessValue, Job, guesses, progress_of, results
from pages.parts.train.chosen_job import differs, lesson_of
from pages.parts.train.guess_words import level, literal, reply, scale, shown
from pages.parts.train.launch import question_of
from pages.parts.ui import components
from pages.parts.ui.scenario import preset_of
from pages.parts.ui.shared_cache import Moment, once
from pages.parts.ui.visitor import here, me
from pages.parts.ui.workspace import Workspace
from pages.parts.watch.guess_field import field, not_kept, way_around
from pages.parts.watch.live import settings_of


@dataclass(frozen=True)
class Prediction:
    """A scenario's question for some settings, with the visitor's guess."""

    question: ScenarioQuestion
    draft: Draft
    guess: GuessValue | None
    skipped: bool

    @property
    def level(self) -> float | None:
        return level(self.question, self.guess)

    @property
    def mine(self) -> str:
        """The guess in words; "" without."""
        return "" if self.guess is None else literal(shown(self.question, self.guess))

    @property
    def open(self) -> bool:
        """Whether there is no guess yet, so that the answer must stay hidden."""
        return self.guess is None and not self.skipped


def question_about(draft: Draft) -> ScenarioQuestion | None:
    """The scenario's question; None if its subject or the runs that answer it were changed."""
    preset = preset_of(draft)
    if preset is None or not question_of(draft):
        return None
    tell = [one for one in preset.draft.variants if one.label in preset.ask.of]
    return preset.ask if all(one in draft.variants for one in tell) else None


def asked(workspace: Workspace, job: Job | None) -> Prediction | None:
    """Question about the settings of the displayed run, or of the draft."""
    draft = settings_of(job, say=False) if job is not None and job.live else workspace.draft
    question = question_about(draft) if draft else None
    if draft is None or question is None:
        return None
    guess = guesses.of(me(), draft)
    skipped = guess is None and guesses.is_skipped(me(), draft.base.name)
    return Prediction(question, draft, guess if question.takes(guess) else None, skipped)


def prediction(workspace: Workspace, job: Job | None, now: Prediction | None, beside: DeltaGenerator) -> None:
    """Draw one row: question, guess, then the answer; a button `beside` asks what was skipped."""
    if now is None:
        return
    ran = job is not None and (job.live or not differs(job, now.draft))
    if now.skipped:
        if not ran:
            with beside:
                way_around("Guess first", now.draft.base.name, skipped=False)
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="prediction"):
        if job is None or not ran:
            _ask(workspace, now)
        elif job.live:
            _wait(now)
        else:
            _answer(job, now)
    not_kept()


def _ask(workspace: Workspace, now: Prediction) -> None:
    st.markdown(f"**Guess first.** {literal(now.question.text)}")
    field(now.question, now.draft, now.guess, workspace.key("draft"))
    if now.mine:
        st.caption(f"Kept: {now.mine}. Now press Train; until then you can guess anew.")
    else:
        way_around("Skip", now.draft.base.name, help="This scenario asks no more")


def _wait(now: Prediction) -> None:
    _picture(scale(now.question, now.guess) if now.mine else {})
    mine = f"**You guessed {now.mine}**; the runs will tell." if now.mine else "The runs will tell."
    st.markdown(f"{literal(now.question.text)} {mine}")


def _answer(job: Job, now: Prediction) -> None:
    question, answers = literal(now.question.text), answers_of(now.question, job)
    if not answers:
        done = job.status == "completed"
        tell = "These runs do not tell" if done else "The runs stopped before they could tell"
        st.markdown(f"{question} {tell}{f'; you guessed {now.mine}' if now.mine else ''}.")
        return
    with suppress(StorageFailed):
        guesses.shown(me(), now.draft, here())
    _picture(scale(now.question, now.guess, answers))
    said = reply(now.question, now.guess, answers)
    st.markdown(f":gray[{question}] **{literal(said.words)}** {why(now.question, job)}")


def answers_of(question: ScenarioQuestion, job: Job | None) -> tuple[float | str, ...]:
    """Answer of each seed; empty before the end, and if the runs do not tell."""
    return question.answers(results_of(job)) if job is not None and job.status == "completed" else ()


def why(question: ScenarioQuestion, job: Job | None) -> str:
    """The scenario's explanation; "" unless the runs are the scenario's own."""
    return literal(question.why) if lesson_of(job) else ""


def _picture(drawn: dict[str, Any]) -> None:
    if drawn:
        with st.container(key="scale", width="content"):
            components.draw("scale", drawn, key="scale of the guess", width="content")


def results_of(job: Job) -> list[CompletedRun]:
    """Results of the runs for questions; none if their record is damaged."""
    try:
        progress = progress_of(job).update()
    except StorageFailed:
        return []
    return once(("results", job.id), lambda: results(progress.runs), Moment(job.id, job.status, progress.seq))
