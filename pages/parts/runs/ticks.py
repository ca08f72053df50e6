"""A tick for each training in the list of runs, and the way from there to Compare."""

from __future__ import annotations

import re

import streamlit as st

from ldp_core.runs.queue.job import Job
from pages.parts.ui.uninterrupted import pressed, uncut

MOST = 6
"""Trainings that can be ticked: as many as Compare has room for."""
TICKED = "ticked runs"
WORD = r"[^\W_]+"
"""A box's name is read out as it is typed, and read as Markdown besides: so it is of words alone."""
PARAMETER = "runs"
"""By which the address of Compare names them."""


def ticked() -> list[str]:
    """The ids, in the order of the ticks; those on other pages of the list are among them."""
    found: list[str] = st.session_state.setdefault(TICKED, [])
    return found


def tick(job: Job, name: str) -> None:
    """A box that takes a training into the comparison; of another kind of job there is nothing to compare."""
    if job.kind != "run":
        return
    held, key = ticked(), f"tick {job.id}"
    full = len(held) >= MOST and job.id not in held
    st.checkbox(
        f"Compare {' '.join(re.findall(WORD, name)) or 'Untitled'}",
        value=job.id in held,
        key=key,
        disabled=full,
        on_change=_change,
        args=(job.id, key),
        label_visibility="collapsed",
        width="content",
    )


def to_compare() -> None:
    """The link to what is ticked; without ticks, what they are for."""
    held = ticked()
    if not held:
        st.caption("Tick runs to compare them.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        words = (
            f"Compare the {len(held)} ticked runs" if len(held) > 1 else "Compare the runs of this training"
        )
        st.page_link("compare.py", label=f":blue[**{words}**]", query_params={PARAMETER: ",".join(held)})
        st.button("Untick all", type="tertiary", on_click=_clear)


@uncut
def _change(identity: str, key: str) -> None:
    held = [one for one in ticked() if one != identity]
    st.session_state[TICKED] = [*held, identity] if st.session_state[key] else held


@pressed
def _clear() -> None:
    for identity in ticked():
        st.session_state[f"tick {identity}"] = False
    st.session_state[TICKED] = []
