"""Train's primary action: launch, or stop."""

from __future__ import annotations

import streamlit as st

from ldp_core.experiment import parse_draft
from ldp_core.presets import Preset
from ldp_core.runs import drafts, jobs
from ldp_core.runs.queue import Job
from pages.parts.workspace import Workspace


def title(preset: Preset | None) -> None:
    """The page's question, and the scenario's."""
    st.title("Does it still learn, and what leaks?", anchor=False)
    if preset:
        st.markdown(preset.question)


def launch(workspace: Workspace) -> Job | None:
    """The button; returns the newest job of this draft, if there is one."""
    found = jobs.latest(workspace.id)
    job = jobs.look(found.id) if found else None
    with st.container(horizontal=True, vertical_alignment="center"):
        if job is not None and job.live:
            stopping = job.status == "cancelling"
            st.button(
                "Stopping…" if stopping else "Stop",
                disabled=stopping,
                key="stop",
                on_click=_stop,
                args=(job.id,),
            )
            return job
        st.button(
            "Train again" if job else "Train", type="primary", key="train", on_click=_train, args=(workspace,)
        )
        if job is not None and parse_draft(job.request["draft"]) != workspace.draft:
            st.caption("The settings have changed since the run below.")
    return job


def _stop(identity: str) -> None:
    jobs.cancel(identity)


def _train(workspace: Workspace) -> None:
    """Launch; if a job of this draft is waiting or running already, that one stays the only one."""
    jobs.submit(drafts.load(workspace.id) or workspace.draft, workspace.id, reference=True)
