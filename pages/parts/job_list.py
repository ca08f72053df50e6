"""The runs of this server as a list, each with its state and what its visitor may do to it."""

from __future__ import annotations

import contextlib
import time

import streamlit as st

from ldp_core.errors import StudioError
from ldp_core.runs import jobs
from ldp_core.runs.listing import Listed, describe
from pages.parts.desk_settings import UPLOADS
from pages.parts.text import ago, number, plain
from pages.parts.visitor import visitor

EACH = 20
"""Runs on one page of the list."""
MOST = 500
"""Runs in the list."""


def job_list() -> None:
    """Draw the list, the newest first, some at a time."""
    found = jobs.recent(MOST)
    if not found:
        st.caption("None yet. Open a scenario and press Train.")
    pages = max(1, -(-len(found) // EACH))
    page = min(st.session_state.get("page of runs", 1), pages)
    for one in map(describe, found[EACH * (page - 1) : EACH * page]):
        with st.container(horizontal=True, vertical_alignment="center"):
            job_line(one)
            if visitor().owns(one.job.owner) and not one.job.live:
                _delete(one)
    if refused := st.session_state.pop("not deleted", None):
        st.error(plain(refused, 300))
    if pages > 1:
        st.pagination(pages, key="page of runs")


def job_line(one: Listed) -> None:
    """One run: its name, which leads to it, its state, and a button to stop it."""
    job = one.job
    name = plain(one.name or "Untitled")
    if one.rounds:
        page = "train.py" if job.kind == "run" else "attack.py"
        st.page_link(page, label=f":blue[{name}]", query_params={"job": job.id})
    else:
        st.markdown(name)
    size = f", {one.runs} × {number(one.rounds, 6)} rounds" if one.rounds else ""
    if one.rounds and job.kind == "attack":
        size = f", an attack on {UPLOADS.get(job.request['ladder']['upload'], 'uploads')}"
    st.caption(f"{plain(one.state)}{size}, {ago(time.time() - job.created)}")
    if job.live and visitor().may(job.owner):
        st.button("Stop", key=f"stop {job.id}", type="tertiary", on_click=_stop, args=(job.id,))


def _delete(one: Listed) -> None:
    """Ask once, then delete."""
    with st.popover("Delete", type="tertiary"):
        st.markdown("Its curves, images and figures will be gone for good.")
        st.button(
            "Delete this run",
            type="primary",
            key=f"delete {one.job.id}",
            on_click=_remove,
            args=(one.job.id,),
        )


def _remove(identity: str) -> None:
    try:
        jobs.remove(identity, visitor())
    except StudioError as error:
        st.session_state["not deleted"] = str(error)


def _stop(identity: str) -> None:
    with contextlib.suppress(StudioError):
        jobs.cancel(identity, visitor())
