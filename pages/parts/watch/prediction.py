"""Predict, then run: a scenario's first question, the guess while it runs, and the truth over it.

What is asked stands in the scenario's own file; the answer is read from the record of the runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ldp_core.errors import InvalidExperiment, StorageFailed, StudioError
from ldp_core.experiment import Draft, parse_draft
from ldp_core.presets.claims import told as lesson_told
from ldp_core.presets.evidence import Evidence, Missing
from ldp_core.presets.questions import Figure, Question, accuracy
from ldp_core.runs.queue.job import Job
from ldp_core.runs.record import guesses
from ldp_core.runs.record.guesses import Guess
from ldp_core.runs.view.outcomes import evidence
from ldp_core.runs.view.run_progress import progress_of
from pages.parts.train.chosen_job import differs, lesson_of
from pages.parts.train.guess_words import scale, shown, told
from pages.parts.train.launch import question_of
from pages.parts.ui import components
from pages.parts.ui.job_actions import refusal, refuse
from pages.parts.ui.memory import tab
from pages.parts.ui.scenario import preset_of
from pages.parts.ui.shared_cache import Moment, once
from pages.parts.ui.text import THIN, plain
from pages.parts.ui.uninterrupted import pressed, uncut
from pages.parts.ui.workspace import Workspace

NOT_KEPT = "guess"
MOST_BUTTONS = 4
"""Of more options than this, or of longer ones, one is chosen from a list."""
MOST_LETTERS = 48


@dataclass(frozen=True)
class Asked:
    """What a page asks about some settings, and what was guessed."""

    question: Question
    draft: Draft
    guess: Guess | None
    skipped: bool

    @property
    def level(self) -> float | None:
        """The guess where it is an accuracy, which has a place on the chart: a share."""
        fits = isinstance(self.question, Figure) and self.question.read is accuracy
        return float(self.guess) / 100 if fits and isinstance(self.guess, int | float) else None


def question_about(draft: Draft) -> Question | None:
    """What its scenario asks; None once the clients or the runs that tell are others."""
    preset = preset_of(draft)
    if preset is None or not question_of(draft):
        return None
    tell = [one for one in preset.draft.variants if one.label in preset.ask.of]
    return preset.ask if all(one in draft.variants for one in tell) else None


def asked(workspace: Workspace, job: Job | None) -> Asked | None:
    """The question about the settings whose run the page shows, or else about those that it holds."""
    draft = workspace.draft
    if job is not None and job.live:
        try:
            draft = once(("settings", job.id), lambda: parse_draft(job.request["draft"]))
        except InvalidExperiment:
            return None
    question = question_about(draft)
    if question is None:
        return None
    guess = guesses.of(workspace.id, draft)
    skipped = guess is None and guesses.is_skipped(workspace.id, draft.base.name)
    return Asked(question, draft, guess if question.takes(guess) else None, skipped)


def prediction(workspace: Workspace, job: Job | None, now: Asked | None, beside: DeltaGenerator) -> None:
    """One row: before the run the question, while it goes on the guess, and then the truth.

    Where it was skipped there is none, and `beside` the page's own question a button to be asked after all.
    """
    if now is None:
        return
    ran = job is not None and (job.live or not differs(job, now.draft))
    if now.skipped:
        if not ran:
            args = (workspace, now.draft.base.name, False)
            beside.button("Guess first", type="tertiary", key="ask me", on_click=_skip, args=args)
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="prediction"):
        if job is None or not ran:
            _ask(workspace, now)
        elif job.live:
            _wait(now)
        else:
            _answer(job, now)
    refusal(NOT_KEPT)


def _ask(workspace: Workspace, now: Asked) -> None:
    st.markdown(f"**Guess first.** {_literal(now.question.text)}")
    key = f"guess-{workspace.key(guesses.key_of(now.draft))}-{tab().visit}"
    options: dict[str, Any] = {"key": key, "on_change": _moved, "args": (workspace, now.draft, key)}
    # what it begins with stays: with another value it would be another widget, and lose what is pressed next
    first = st.session_state.setdefault(f"first of {key}", now.guess)
    _field(now.question, first, options)
    if now.guess is None:
        if isinstance(now.question, Figure):  # where its slider begins may be what somebody thinks
            st.button("Guess", key="guess this", on_click=_guess, args=options["args"])
        st.button(
            "Skip",
            type="tertiary",
            key="skip the guess",
            help="This scenario asks no more",
            on_click=_skip,
            args=(workspace, now.draft.base.name),
        )
    else:
        st.caption("Kept. Now press Train.")


def _field(question: Question, guess: Guess | None, options: dict[str, Any]) -> None:
    """A real form element, whose name is the question."""
    named = {"label_visibility": "collapsed", **options}
    if isinstance(question, Figure):
        value = int(guess) if isinstance(guess, int | float) else _middle(question)
        unit = "%d %%" if question.unit else "%d"
        st.slider(question.text, 0, question.most, value, format=unit, width=260, **named)
        return
    labels = {one: plain(one) for one in question.options}
    if len(labels) <= MOST_BUTTONS and sum(map(len, question.options)) <= MOST_LETTERS:
        st.segmented_control(
            question.text, list(labels), required=True, default=guess, format_func=labels.__getitem__, **named
        )
        return
    index = question.options.index(str(guess)) if guess is not None else None
    st.selectbox(question.text, question.options, index=index, placeholder="choose", width=330, **named)


def _wait(now: Asked) -> None:
    if now.guess is None:
        st.markdown(f"{_literal(now.question.text)} The runs will tell.")
        return
    _picture(scale(now.question, now.guess))
    mine = _literal(shown(now.question, now.guess))
    st.markdown(f"{_literal(now.question.text)} **You guessed {mine}**; the runs will tell.")


def _answer(job: Job, now: Asked) -> None:
    question = _literal(now.question.text)
    found = _evidence(job) if job.status == "completed" else None
    try:
        answers = now.question.answers(found) if found else ()
    except Missing:
        answers = ()
    if not found or not answers:
        tell = "These runs do not tell" if found else "The runs stopped before they could tell"
        mine = "" if now.guess is None else f"; you guessed {_literal(shown(now.question, now.guess))}"
        st.markdown(f"{question} {tell}{mine}.")
        return
    _picture(scale(now.question, now.guess, answers))
    said = told(now.question, now.guess, answers)
    # why, of the scenario as it was prepared, and as far as these runs bear it out
    why = lesson_told((now.question.why,), found) if lesson_of(job) else ""
    st.markdown(f":gray[{question}] **{_literal(said.words)}** {_literal(why)}")


def _literal(words: str) -> str:
    """Shown as they are, and no line ends before a percent sign."""
    return plain(words, 400).replace(" %", f"{THIN}%")


def _picture(drawn: dict[str, Any]) -> None:
    if drawn:
        components.scale(drawn)


def _evidence(job: Job) -> Evidence | None:
    """What the runs show; None where their record is damaged, as is said where they are drawn."""
    try:
        progress = progress_of(job.folder).update()
    except StorageFailed:
        return None
    return once(
        ("evidence", job.id), lambda: evidence(progress.runs), Moment(job.id, job.status, progress.seq)
    )


def _middle(question: Figure) -> int:
    """Where a slider begins that nobody has moved."""
    return question.most // 2


@uncut
def _moved(workspace: Workspace, draft: Draft, key: str) -> None:
    """A field reports a change. Streamlit says so also of a slider that nobody touched, once its state was
    dropped as stale: where it begins is a guess only of whoever presses Guess.
    """
    question = question_about(draft)
    untouched = isinstance(question, Figure) and st.session_state.get(key) == _middle(question)
    if not (untouched and guesses.of(workspace.id, draft) is None):
        _keep(workspace, draft, key)


def _keep(workspace: Workspace, draft: Draft, key: str) -> None:
    guess = st.session_state.get(key)
    if guess is None:  # none was made, or the field has gone since
        return
    try:
        guesses.keep(workspace.id, draft, guess)
    except StudioError as error:
        refuse(error, NOT_KEPT)


@pressed
def _guess(workspace: Workspace, draft: Draft, key: str) -> None:
    _keep(workspace, draft, key)


@pressed
def _skip(workspace: Workspace, scenario: str, skipped: bool = True) -> None:
    try:
        guesses.skip(workspace.id, scenario, skipped)
    except StudioError as error:
        refuse(error, NOT_KEPT)
