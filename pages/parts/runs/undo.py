"""Deletion of runs, and its undo."""

from __future__ import annotations

import time
from collections.abc import Callable

import streamlit as st

from ldp_core.runs import UNDO_SECONDS, Person, describe, jobs, quota
from pages.parts.ui.job_actions import act
from pages.parts.ui.text import ago, plain, seconds
from pages.parts.ui.uninterrupted import pressed

MOST = 3
"""Number of deleted runs offered at a time."""


@st.cache_data(ttl=30, show_spinner=False)
def quota_taken() -> int:
    """Bytes of all records, cached over visitors."""
    return quota.taken()


def delete_button(ids: list[str], then: Callable[[], None]) -> None:
    """Draw the button that deletes jobs and then calls `then`."""
    words = f"It can be brought back for {seconds(UNDO_SECONDS)}"
    st.button(
        "Delete", key="delete what is ticked", type="tertiary", help=words, on_click=_delete, args=(ids, then)
    )


@pressed
def _delete(ids: list[str], then: Callable[[], None]) -> None:
    for identity in ids:
        act(jobs.delete, identity)
    quota_taken.clear()
    then()


def offered_back(me: Person) -> None:
    """Recently deleted jobs of this person, each with Undo."""
    for job in jobs.deleted(me)[:MOST]:
        with st.container(horizontal=True, vertical_alignment="center", key=f"deleted {job.id}"):
            name = job.name or describe(job).name or "Untitled"
            st.markdown(
                f"**{plain(name)}** was deleted {ago(time.time() - (job.deleted or 0.0))}.", width="content"
            )
            st.button("Bring it back", key=f"back {job.id}", on_click=act, args=(jobs.bring_back, job.id))
