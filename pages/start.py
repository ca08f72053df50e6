"""Start: what is this, and what does ε buy?"""

from collections.abc import Sequence

import streamlit as st

from ldp_core import presets
from ldp_core.runs import listed, outcomes
from pages.parts.runs.job_list import job_line
from pages.parts.runs.take_away import open_file
from pages.parts.start.guessed import Guessed
from pages.parts.start.hero import hero
from pages.parts.start.outcome_view import made, picture
from pages.parts.ui import components
from pages.parts.ui.job_actions import lasting_refusal
from pages.parts.ui.polling import refreshing
from pages.parts.ui.scenario import at_a_glance
from pages.parts.ui.text import plain
from pages.parts.ui.visitor import sign_in_entrance, teacher_entrance
from pages.parts.ui.workspace import start_with
from pages.parts.watch.guess_field import way_around

ACROSS = 3
"""Number of scenarios in a row."""
SMALL = 150
"""Height of a card's chart in pixels."""


def main() -> None:
    with st.container(key="opening", gap="small"):
        st.title("How much noise, and what does it cost?", anchor=False)
        st.markdown(
            "Many train one model together without handing over their data (federated learning); each adds "
            "noise to what they send. The smaller the budget ε, the more noise."
        )
    others, mine = presets.of_papers(), Guessed.here()
    names = [name for name in presets.names() if name not in others]
    known = {name: found for name in names if (found := stored(name))}
    asked = st.query_params.get("scenario", "")
    if asked in known:
        _card(asked, known[asked], mine)
    with st.container(border=True, key="hero"):
        hero()
    _doors()
    _yours()
    with st.expander(f"{len(names)} scenarios", expanded=bool(mine.guesses)):
        _grid([name for name in names if name != asked], known, mine)


def _doors() -> None:
    first = presets.names()[0]
    with st.container(horizontal=True, key="doors"):
        words = "Ask: what do you need?"
        if st.button(words, type="primary", key="door ask", width="stretch"):
            st.switch_page("ask.py")
        if st.button("Try it", key=f"open {first}", width="stretch"):
            start_with(presets.get(first).draft)
            st.switch_page("train.py")
        if st.button("Learn", key="door learn", width="stretch"):
            st.switch_page("learn.py")


def _yours() -> None:
    """Draw the last drafts and runs, if there are any."""
    left, right = st.columns(2, gap="medium")
    with left:
        components.draw("memory", {"show": True}, key="memory-list")
        open_file()
    with right:
        refreshing(_runs, every=3)()
        sign_in_entrance()
        teacher_entrance()


@st.cache_resource(show_spinner=False)
def stored(name: str) -> outcomes.Outcome | None:
    """A scenario's stored results, cached; None if missing, or not of its present variants."""
    found = outcomes.stored(name)
    fits = found is not None and len(found.curves) == len(presets.get(name).draft.variants)
    return found if fits else None


def _grid(names: Sequence[str], found: dict[str, outcomes.Outcome], known: Guessed) -> None:
    for row in range(0, len(names), ACROSS):
        for column, name in zip(st.columns(ACROSS, gap="small"), names[row : row + ACROSS], strict=False):
            with column:
                _card(name, found.get(name), known)


def _card(name: str, found: outcomes.Outcome | None, known: Guessed) -> None:
    preset, is_open = presets.get(name), known.is_open(name)
    draft = preset.draft
    with st.container(border=True, height="stretch", key=f"card-{name}", gap="small"):
        st.markdown(f"**{plain(preset.label)}**")
        st.markdown(preset.question)
        if found:
            about, hidden = preset.ask.of, known.veiled(name)
            shown = picture(draft, found, SMALL, about, hidden, known.level(name))
            components.draw("outcome", shown, key=f"outcome {name}")
            st.caption(plain(preset.ask.text if is_open else preset.says[0], 400))
            if words := at_a_glance(preset):
                st.caption(words)
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button("Open", key=f"open the card {name}"):
                start_with(draft)
                st.switch_page("train.py")
            if found and is_open:
                way_around("Show", preset.label, help="What it came to; open it to guess first")
            if found:
                st.caption(made(draft, found))


def _runs() -> None:
    recent = listed(3)
    lasting_refusal()
    if recent:
        st.markdown("**Latest runs on this server**")
    for one in recent:
        job_line(one)
    if recent:
        st.page_link("runs.py", label=":blue[All runs]")


main()
