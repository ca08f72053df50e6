"""Start: what can I see here?"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ldp_core import presets
from ldp_core.presets import Preset
from ldp_core.runs import listed, outcomes
from pages.parts.runs.job_list import job_line
from pages.parts.start.guessed import Guessed
from pages.parts.start.outcome_view import made, picture
from pages.parts.ui import components
from pages.parts.ui.fragments import refreshing
from pages.parts.ui.job_actions import lasting_refusal
from pages.parts.ui.meanings import AGGREGATOR, EPSILON, SIGMA, glossary
from pages.parts.ui.text import asked_in_words, few, plain
from pages.parts.ui.visitor import sign_in_entrance, teacher_entrance
from pages.parts.ui.workspace import start_with
from pages.parts.watch.guess_field import field, not_kept, way_around

ACROSS = 3
"""Scenarios in a row."""
HERO, SMALL = 236, 150
"""Heights of pictures, in pixels."""


def main() -> None:
    with st.container(key="opening", gap="small"):
        st.title("What does a privacy budget really buy?", anchor=False)
        st.markdown(
            "In federated learning every client can ask for its own budget ε: here you change it, train a "
            "real model, and watch what it learns and what an attacker still sees.",
            help=f"{EPSILON} {SIGMA} {AGGREGATOR}",
        )
    names = presets.names()
    known = {name: found for name in names if (found := stored(name))}
    first, *others = names
    mine = Guessed.here()
    _hero(first, known.get(first), mine)
    st.header("Scenarios, and what they came to", anchor=False)
    _grid([name for name in others if name in known], known, mine)
    rest = [name for name in others if name not in known]
    if rest:
        with st.expander(f"{len(rest)} more: the papers' systems, to run yourself"):
            _grid(rest, known, mine)
    with st.expander("Words, each explained once"):
        st.markdown(glossary())
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True):
        st.markdown("**Your last drafts**")
        components.remembered()
    with right, st.container(border=True):
        st.markdown("**Latest runs on this server**")
        refreshing(_runs, every=3)()
        sign_in_entrance()
        teacher_entrance()


@st.cache_resource(show_spinner=False)
def stored(name: str) -> outcomes.Outcome | None:
    """A scenario's outcome, read once; None where there is none, or it is not of its variants any more."""
    found = outcomes.stored(name)
    fits = found is not None and len(found.curves) == len(presets.get(name).draft.variants)
    return found if fits else None


def _hero(name: str, found: outcomes.Outcome | None, known: Guessed) -> None:
    """The default scenario: its question and then what came of it, and the one button."""
    preset = presets.get(name)
    with st.container(border=True, key=f"card-{name}"):
        left, right = st.columns([1, 1.7], gap="large", vertical_alignment="center")
        with left:
            st.header(preset.label, anchor=False)
            st.markdown(preset.question)
            if found and known.is_open(name):
                st.markdown(f"**Guess first.** {plain(preset.ask.text)}")
                with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                    field(preset.ask, preset.draft, known.guesses.get(name), "start")
                    mine = known.mine(name)
                    way_around("Show what came of it" if mine else "Just show me", preset.label)
                if mine:
                    st.caption(f"You guessed {mine}. You may guess anew until you have the answer shown.")
                not_kept()
            elif found:
                st.markdown(f"{known.words(name, found)} {_lesson(found, sentences=2)}".strip())
            _open(preset, name, first=True)
            if found:
                st.caption(made(preset.draft, found))
        with right:
            if found:
                _picture(name, found, known, HERO)


def _picture(name: str, found: outcomes.Outcome, known: Guessed, height: int) -> None:
    preset = presets.get(name)
    about, hidden = preset.ask.of, known.veiled(name)
    shown = picture(preset.draft, found, height, about, hidden, known.level(name))
    components.outcome(shown, key=f"outcome {name}")


def _grid(names: Sequence[str], found: dict[str, outcomes.Outcome], known: Guessed) -> None:
    for row in range(0, len(names), ACROSS):
        for column, name in zip(st.columns(ACROSS, gap="small"), names[row : row + ACROSS], strict=False):
            with column:
                _card(presets.get(name), name, found.get(name), known)


def _card(preset: Preset, name: str, found: outcomes.Outcome | None, known: Guessed) -> None:
    draft = preset.draft
    is_open = known.is_open(name)
    with st.container(border=True, height="stretch", key=f"card-{name}", gap="small"):
        st.markdown(f"**{plain(preset.label)}**")
        st.markdown(preset.question)
        if found:
            _picture(name, found, known, SMALL)
            st.caption(plain(preset.ask.text) if is_open else _lesson(found))
        else:
            (asked,) = asked_in_words([draft.base])
            st.caption(f"{asked}; compared: " + few([plain(variant.label) for variant in draft.variants]))
        with st.container(horizontal=True, vertical_alignment="center"):
            _open(preset, name)
            if found and is_open:
                way_around("Show", preset.label, help="What it came to; open it to guess first")
            if found:
                st.caption(made(preset.draft, found))


def _open(preset: Preset, name: str, first: bool = False) -> None:
    if st.button("Open", type="primary" if first else "secondary", key=f"open {name}"):
        start_with(preset.draft)
        st.switch_page("train.py")


def _lesson(found: outcomes.Outcome, sentences: int = 1) -> str:
    """The beginning of what the scenario teaches, as far as its stored runs bear it out."""
    parts = found.lesson.split(". ")
    return plain(". ".join(parts[:sentences]).rstrip(".") + ".", 400) if found.lesson else ""


def _runs() -> None:
    recent = listed(6)
    lasting_refusal()
    if not recent:
        st.caption("None yet. Open a scenario and press Train.")
    for one in recent:
        job_line(one)
    if recent:
        st.page_link("runs.py", label=":blue[All runs]")


main()
