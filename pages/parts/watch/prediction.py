"""Prediction of a scenario's result: question before the run, guess during it, answer after.

The question is in the scenario's file; the answer is computed from the runs.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ldp_core.errors import InvalidExperiment, StorageFailed
from ldp_core.experiment import Draft, parse_draft
from ldp_core.presets.claims import in_words as lesson_in_words
from ldp_core.presets.evidence import Evidence, Missing
from ldp_core.presets.questions import Figure, Question, accuracy
from ldp_core.runs import Guess, Job, evidence, guesses, progress_of
from pages.parts.train.chosen_job import differs, lesson_of
from pages.parts.train.guess_words import literal, reply, scale, shown
from pages.parts.train.launch import question_of
from pages.parts.ui import components
from pages.parts.ui.scenario import preset_of
from pages.parts.ui.shared_cache import Moment, once
from pages.parts.ui.visitor import me
from pages.parts.ui.workspace import Workspace
from pages.parts.watch.guess_field import field, not_kept, way_around


@dataclass(frozen=True)
class Asked:
    """A scenario's question for some settings, with the visitor's guess."""

    question: Question
    draft: Draft
    guess: Guess | None
    skipped: bool

    @property
    def level(self) -> float | None:
        """The guess as an accuracy in [0, 1], for the chart; None for other questions."""
        fits = isinstance(self.question, Figure) and self.question.read is accuracy
        return float(self.guess) / 100 if fits and isinstance(self.guess, int | float) else None

    @property
    def open(self) -> bool:
        """Whether there is no guess yet, so that the answer must stay hidden."""
        return self.guess is None and not self.skipped


def question_about(draft: Draft) -> Question | None:
    """The scenario's question; None if its subject or the runs that answer it were changed."""
    preset = preset_of(draft)
    if preset is None or not question_of(draft):
        return None
    tell = [one for one in preset.draft.variants if one.label in preset.ask.of]
    return preset.ask if all(one in draft.variants for one in tell) else None


def asked(workspace: Workspace, job: Job | None) -> Asked | None:
    """Question about the settings of the displayed run, or of the draft."""
    draft = workspace.draft
    if job is not None and job.live:
        try:
            draft = once(("settings", job.id), lambda: parse_draft(job.request["draft"]))
        except InvalidExperiment:
            return None
    question = question_about(draft)
    if question is None:
        return None
    guess = guesses.of(me(), draft)
    skipped = guess is None and guesses.is_skipped(me(), draft.base.name)
    return Asked(question, draft, guess if question.takes(guess) else None, skipped)


def prediction(workspace: Workspace, job: Job | None, now: Asked | None, beside: DeltaGenerator) -> None:
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


def _ask(workspace: Workspace, now: Asked) -> None:
    st.markdown(f"**Guess first.** {literal(now.question.text)}")
    field(now.question, now.draft, now.guess, workspace.key("draft"))
    if now.guess is None:
        way_around("Skip", now.draft.base.name, help="This scenario asks no more")
    else:
        mine = literal(shown(now.question, now.guess))
        st.caption(f"Kept: {mine}. Now press Train; until then you can guess anew.")


def _wait(now: Asked) -> None:
    if now.guess is None:
        st.markdown(f"{literal(now.question.text)} The runs will tell.")
        return
    _picture(scale(now.question, now.guess))
    mine = literal(shown(now.question, now.guess))
    st.markdown(f"{literal(now.question.text)} **You guessed {mine}**; the runs will tell.")


def _answer(job: Job, now: Asked) -> None:
    question = literal(now.question.text)
    found = evidence_of(job) if job.status == "completed" else None
    try:
        answers = now.question.answers(found) if found else ()
    except Missing:
        answers = ()
    if not found or not answers:
        tell = "These runs do not tell" if found else "The runs stopped before they could tell"
        mine = "" if now.guess is None else f"; you guessed {literal(shown(now.question, now.guess))}"
        st.markdown(f"{question} {tell}{mine}.")
        return
    with suppress(StorageFailed):
        guesses.shown(me(), now.draft)
    _picture(scale(now.question, now.guess, answers))
    said = reply(now.question, now.guess, answers)
    # why, of the scenario as it was prepared, and as far as these runs bear it out
    why = lesson_in_words((now.question.why,), found) if lesson_of(job) else ""
    st.markdown(f":gray[{question}] **{literal(said.words)}** {literal(why)}")


def _picture(drawn: dict[str, Any]) -> None:
    if drawn:
        with st.container(key="scale", width="content"):
            components.draw("scale", drawn, key="scale of the guess", width="content")


def evidence_of(job: Job) -> Evidence | None:
    """Results of the runs for questions; None if their record is damaged."""
    try:
        progress = progress_of(job).update()
    except StorageFailed:
        return None
    return once(
        ("evidence", job.id), lambda: evidence(progress.runs), Moment(job.id, job.status, progress.seq)
    )
