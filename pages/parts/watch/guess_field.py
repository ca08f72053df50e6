"""Field for a visitor's guess at a scenario's question, and the way to skip it, asked on one page only."""

from typing import Any, Literal

import streamlit as st

from ldp_core.experiment import Draft
from ldp_core.lessons import ENGLISH, said
from ldp_core.presets.questions import NumberQuestion, ScenarioQuestion
from ldp_core.runs import GuessValue, guesses
from pages.parts.ui.job_actions import refusal, refusing
from pages.parts.ui.memory import tab
from pages.parts.ui.text import plain
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import here, settled

NOT_KEPT = "guess"
MOST_BUTTONS = 4
"""Largest number of options shown as buttons; more, or longer ones, are a list."""
MOST_LETTERS = 48


def field(question: ScenarioQuestion, draft: Draft, guess: GuessValue | None, name: str) -> None:
    """Draw the field and the button that submits the guess; `name` is part of the widgets' keys."""
    key = f"guess-{name}-{guesses.key_of(draft)}-{tab().visit}"
    # what it begins with stays: with another value it would be another widget, and lose what is pressed next
    first = st.session_state.setdefault(f"first of {key}", guess)
    element(question, first, key)
    now = st.session_state.get(key, first)
    # the same button before and after, so that the focus stays on it
    st.button("Guess", key=f"this {key}", on_click=_guess, args=(draft, key), disabled=now is None)


def way_around(
    words: str, scenario: str, skipped: bool = True, help: str | None = None, next_step: bool = False
) -> None:
    """Button that skips the question, or asks it again; the page's main one if it is the `next_step`."""
    args = (scenario, skipped)
    key = f"{'skip' if skipped else 'ask'} {scenario}"
    look: Literal["primary", "tertiary"] = "primary" if next_step else "tertiary"
    st.button(words, type=look, key=key, help=help, on_click=skip, args=args)


def not_kept() -> None:
    """Show the error of a guess that could not be stored."""
    refusal(NOT_KEPT)


def element(
    question: ScenarioQuestion,
    guess: GuessValue | None,
    key: str,
    wide: bool = False,
    language: str = ENGLISH,
) -> None:
    """Draw the slider, buttons or list for an answer; `wide` fills the width."""
    named: dict[str, Any] = {"label_visibility": "collapsed", "key": key}
    if isinstance(question, NumberQuestion):
        value = int(guess) if isinstance(guess, int | float) else question.most // 2
        unit = "%d %%" if question.unit else "%d"
        width: Any = "stretch" if wide else 260
        st.slider(question.text, 0, question.most, value, format=unit, width=width, **named)
        return
    labels = {one: plain(question.called(one)) for one in question.options}
    if len(labels) <= MOST_BUTTONS and sum(map(len, labels.values())) <= MOST_LETTERS:
        st.segmented_control(
            question.text, list(labels), required=True, default=guess, format_func=labels.__getitem__, **named
        )
        return
    index = question.options.index(str(guess)) if guess is not None else None
    named |= {"placeholder": said("choose", language), "width": "stretch" if wide else 330}
    st.selectbox(question.text, [*labels], index=index, format_func=labels.__getitem__, **named)


@pressed
def _guess(draft: Draft, key: str) -> None:
    guess = st.session_state.get(key)
    if guess is not None:  # else none was made, or the field has gone since
        with refusing(NOT_KEPT):
            guesses.keep(settled(), draft, guess, here())


@pressed
def skip(scenario: str, skipped: bool = True) -> None:
    """Store whether the visitor is not to be asked about a scenario."""
    with refusing(NOT_KEPT):
        guesses.skip(settled(), scenario, skipped, here())
