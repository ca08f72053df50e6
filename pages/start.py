"""Start: what can I see here?"""

from __future__ import annotations

import contextlib
import os
import time

import streamlit as st

from ldp_core import presets
from ldp_core.errors import StudioError
from ldp_core.presets import Preset
from ldp_core.runs import jobs
from pages.parts import components
from pages.parts.cards import picture
from pages.parts.text import ago, budgets_in_words, plain
from pages.parts.visitor import sign_in_entrance, teacher_entrance, visitor
from pages.parts.workspace import start_with

PICTURE = 300
"""Width of a card's picture, in pixels."""


def main() -> None:
    st.title("What does a privacy budget really buy?", anchor=False)
    st.markdown(
        "In federated learning every client can ask for its own budget ε. Here you change it, see at once "
        "what noise it adds, train a real model, and watch what it learns and what an attacker still sees."
    )
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
        st.fragment(_runs, run_every=3)()
        sign_in_entrance()
        if os.environ.get("EPSILON_TEACHER"):
            teacher_entrance()


def _card(preset: Preset, name: str, first: bool) -> None:
    draft = preset.draft
    asked = budgets_in_words(draft.base.clients.budgets().tolist())
    with st.container(border=True, height="stretch"):
        st.markdown(f"#### {preset.label}")
        st.image(picture(draft), width=PICTURE, alt=f"{draft.base.clients.count} clients, {asked}")
        st.markdown(preset.question)
        compared = [variant.label for variant in draft.variants]
        more = f" and {len(compared) - 3} more" if len(compared) > 3 else ""
        st.caption("compared: " + ", ".join(compared[:3]) + more)
        if st.button("Open", type="primary" if first else "secondary", key=f"open {name}"):
            start_with(draft)
            st.switch_page("train.py")


def _stop(identity: str) -> None:
    with contextlib.suppress(StudioError):
        jobs.cancel(identity, visitor())


def _runs() -> None:
    recent = jobs.recent(6)
    if not recent:
        st.caption("None yet. Open a scenario and press Train.")
    for job in recent:
        base = job.request["draft"]["base"]
        with st.container(horizontal=True, vertical_alignment="center"):
            name = plain(base["name"] or "Untitled")
            st.page_link("train.py", label=f":blue[{name}]", query_params={"job": job.id})
            runs = len(job.request["draft"]["variants"]) * job.request["draft"]["seeds"]
            st.caption(f"{job.status}, {runs} × {base['rounds']} rounds, {ago(time.time() - job.created)}")
            if job.live and visitor().may(job.owner):
                st.button("Stop", key=f"stop {job.id}", type="tertiary", on_click=_stop, args=(job.id,))


main()
