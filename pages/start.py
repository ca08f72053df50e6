"""Start: what is this, and what does ε buy?"""

from collections.abc import Sequence

import streamlit as st

from ldp_core import presets
from ldp_core.runs import listed
from pages.parts.runs.job_list import job_line
from pages.parts.runs.take_away import open_file
from pages.parts.start.hero import OPENING, TITLE, hero
from pages.parts.ui import components
from pages.parts.ui.job_actions import lasting_refusal
from pages.parts.ui.polling import refreshing
from pages.parts.ui.text import plain
from pages.parts.ui.visitor import sign_in_entrance, teacher_entrance
from pages.parts.ui.workspace import start_with

ACROSS = 3
"""Number of scenarios in a row."""


def main() -> None:
    with st.container(key="opening", gap="small"):
        st.title(TITLE, anchor=False)
        st.markdown(OPENING)
    with st.container(border=True, key="hero"):
        hero()
    _doors()
    _yours()
    names = [name for name in presets.names() if name not in presets.of_papers()]
    with st.expander(f"{len(names)} scenarios"):
        _scenarios(names)


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


def _scenarios(names: Sequence[str]) -> None:
    for row in range(0, len(names), ACROSS):
        for column, name in zip(st.columns(ACROSS, gap="small"), names[row : row + ACROSS], strict=False):
            preset = presets.get(name)
            with column.container(border=True, height="stretch"):
                st.markdown(f"**{plain(preset.label)}**  \n{preset.question}")
                if st.button("Open", key=f"open the scenario {name}"):
                    start_with(preset.draft)
                    st.switch_page("train.py")


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
