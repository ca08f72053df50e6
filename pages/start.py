"""Start: what can I see here?"""

from __future__ import annotations

import streamlit as st

from ldp_core import presets
from ldp_core.presets import Preset
from ldp_core.runs.jobs.listing import listed
from pages.parts.charts.scenario_card import picture
from pages.parts.runs.job_list import job_line
from pages.parts.ui import components
from pages.parts.ui.fragments import refreshing
from pages.parts.ui.job_actions import lasting_refusal
from pages.parts.ui.meanings import AGGREGATOR, EPSILON, SIGMA
from pages.parts.ui.text import budgets_in_words, few
from pages.parts.ui.visitor import sign_in_entrance, teacher_entrance
from pages.parts.ui.workspace import start_with

PICTURE = 300
"""Width of a card's picture, in pixels."""


def main() -> None:
    st.title("What does a privacy budget really buy?", anchor=False)
    st.markdown(
        "In federated learning every client can ask for its own budget ε. Here you change it, see at once "
        "what noise it adds, train a real model, and watch what it learns and what an attacker still sees."
    )
    st.caption(f"{EPSILON} {SIGMA} {AGGREGATOR}")
    names = presets.names()
    for row in range(0, len(names), 2):
        for column, name in zip(st.columns(2, gap="medium"), names[row : row + 2], strict=False):
            with column:
                _card(presets.get(name), name, first=name == names[0])
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True):
        st.markdown("**Your last drafts**")
        components.remembered()
    with right, st.container(border=True):
        st.markdown("**Latest runs on this server**")
        refreshing(_runs, every=3)()
        sign_in_entrance()
        teacher_entrance()


def _card(preset: Preset, name: str, first: bool) -> None:
    draft = preset.draft
    asked = budgets_in_words(draft.base.clients.budgets().tolist())
    with st.container(border=True, height="stretch", key=f"card-{name}"):
        st.subheader(preset.label, anchor=False)
        st.image(picture(draft), width=PICTURE, alt=f"{draft.base.clients.count} clients, {asked}")
        st.markdown(preset.question)
        st.caption("compared: " + few([variant.label for variant in draft.variants]))
        if st.button("Open", type="primary" if first else "secondary", key=f"open {name}"):
            start_with(draft)
            st.switch_page("train.py")


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
