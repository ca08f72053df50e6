"""Train's primary action: launch, or stop."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ldp_core.errors import InvalidExperiment, StudioError
from ldp_core.estimate import cost, refuse_what_cannot_fit
from ldp_core.experiment import Draft
from ldp_core.runs import drafts, jobs
from ldp_core.runs.calibration import rates
from ldp_core.runs.job import Job
from pages.parts.acts import act, refusal, refuse
from pages.parts.changes import changes, differing
from pages.parts.fields import mistakes
from pages.parts.job_state import may_go_on, takes
from pages.parts.scenario import preset_of
from pages.parts.text import plain
from pages.parts.uncut import uncut
from pages.parts.visitor import visitor
from pages.parts.workspace import Workspace


def title(draft: Draft | None = None) -> None:
    """The page's question, and that of the draft's scenario."""
    st.title("Does it still learn, and what leaks?", anchor=False)
    if draft and (question := question_of(draft)):
        st.markdown(question)


def question_of(draft: Draft) -> str:
    """What its scenario asks; "" once the clients are others: the question says who they are."""
    preset = preset_of(draft)
    if preset is None:
        return ""
    base, prepared = draft.base, preset.draft.base
    same = (base.clients, base.partition) == (prepared.clients, prepared.partition)
    return preset.question if same else ""


def launch(workspace: Workspace) -> Job | None:
    """The button; returns the job to show below it, if there is one."""
    job = _job_of(workspace)
    since = differs(job, workspace.draft) if job is not None else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        if job is not None and job.live:
            if since:
                st.caption("The settings have changed; this run goes on with the earlier ones.")
            stopping = job.status == "cancelling"
            mine = visitor().may(job.owner)
            st.button(
                "Stopping…" if stopping else "Stop",
                disabled=stopping or not mine,
                help=None if mine else "Somebody else has launched this run; they can stop it, or a teacher.",
                key="stop",
                on_click=act,
                args=(jobs.cancel, job.id),
            )
            return job
        st.button(
            "Train again" if job else "Train",
            type="primary",
            key="train",
            on_click=_train,
            args=(workspace,),
            disabled=bool(wrong := [*mistakes(workspace), *_too_much(workspace.draft)]),
        )
        can_resume = job is not None and may_go_on(job)
        if job is not None and can_resume and not since:
            st.button("Go on where it stopped", key="resume", on_click=act, args=(jobs.resume, job.id))
        refusal()
        if wrong:
            st.caption(f"First mend this: {plain(wrong[0], 200)}.")
            return job
        if since:
            back = " Undo that to go on where this run stopped." if can_resume else ""
            st.warning(f"The results below are of earlier settings; since then: {plain(since, 300)}.{back}")
        if (job is None or since) and (known := rates()):
            st.caption(takes(cost(workspace.draft).seconds(known), visitor().owner))
    return job


def _job_of(workspace: Workspace) -> Job | None:
    """The job to show: one that runs, else the closest."""
    found = jobs.of_draft(workspace.id)
    chosen = next((job for job in found if job.live), None) or closest(found, workspace.draft)
    return jobs.look(chosen.id) if chosen else None


def closest(found: Sequence[Job], draft: Draft) -> Job | None:
    """Of the scenario's jobs, newest first, the one that differs least; one that does not may be of any.

    So a small edit is held against what was on the page before it, and not against another experiment.
    """
    now = draft.as_json()
    many = [(len(differing(job.request["draft"], now)), job) for job in found]
    name = draft.base.name
    mine = [one for one in many if one[0] == 0 or one[1].request["draft"]["base"]["name"] == name]
    return min(mine, key=lambda one: one[0])[1] if mine else None


def differs(job: Job, draft: Draft) -> str:
    """What has changed since a job was launched, in a few words; "" if nothing has."""
    return changes(job.request["draft"], draft.as_json())


def _too_much(draft: Draft) -> list[str]:
    """Why this draft cannot fit on this server, if it cannot."""
    try:
        refuse_what_cannot_fit(draft)
    except InvalidExperiment as error:
        return [str(problem) for problem in error.problems]
    return []


@uncut
def _train(workspace: Workspace) -> None:
    """Launch; if a job of this draft is waiting or running already, that one stays the only one."""
    try:
        draft = drafts.load(workspace.id) or workspace.draft
        jobs.submit(draft, workspace.id, reference=True, owner=visitor().owner)
    except StudioError as error:
        refuse(error)
