"""Train's main button: launch or stop."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ldp_core.experiment import Draft
from ldp_core.runs import Job, Training, drafts, jobs
from pages.parts.clients.cells import unmended
from pages.parts.runs.job_state import lasting, may_go_on, missing
from pages.parts.runs.launching import of_earlier_settings
from pages.parts.train.chosen_job import differs
from pages.parts.ui.fields import mistakes
from pages.parts.ui.header import question
from pages.parts.ui.job_actions import go_on_button, refusal, refusing, stop_button, too_much
from pages.parts.ui.scenario import preset_of
from pages.parts.ui.text import plain
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import who
from pages.parts.ui.workspace import Workspace

SPOKEN_OF = ("clients", "partition", "dataset", "model", "system")
"""Fields that the scenarios' questions are about."""
MOST_WRONG = 3


def title(draft: Draft | None = None) -> DeltaGenerator:
    asked = question_of(draft) if draft else ""
    return question("Does it still learn, and what leaks?", asked)


def question_of(draft: Draft) -> str:
    """The scenario's question; "" if the fields it is about were changed."""
    preset = preset_of(draft)
    if preset is None:
        return ""
    same = all(getattr(draft.base, what) == getattr(preset.draft.base, what) for what in SPOKEN_OF)
    return preset.question if same else ""


def launch(workspace: Workspace, job: Job | None) -> None:
    """Draw the button that launches the draft; `job` is the one displayed."""
    since = differs(job, workspace.draft) if job is not None else ""
    with st.container(horizontal=True, vertical_alignment="center", key="launch"):
        if job is not None and job.live:
            if since:
                st.caption("The settings have changed; this run goes on with the earlier ones.")
            stop_button(job, "stop")
            return
        goes_on = job is not None and may_go_on(job) and not since
        if job is not None and goes_on:
            go_on_button(job)
        st.button(
            "Train again" if job else "Train",
            type="secondary" if goes_on else "primary",
            key="train",
            help="From the beginning; what was stopped stays on the list of runs" if goes_on else None,
            on_click=_train,
            args=(workspace,),
            disabled=bool(wrong := _wrong(workspace)),
        )
        refusal()
        if wrong:
            st.caption(f"First mend this: {'; '.join(plain(one, 200) for one in wrong[:MOST_WRONG])}.")
            return
        if cells := unmended(workspace):
            st.caption(f":orange[{cells}; those clients train with what they had.]")
            st.page_link("clients.py", label=":blue[Mend them]", query_params={"draft": workspace.id})
        if lacking := missing(workspace.draft.experiments()):
            st.caption(lacking)
        if job is not None and not since:
            return
        if words := lasting(workspace.draft):
            # beside the button on a phone, where nothing longer has to stand there
            with st.container(key="lasts" if job is None and not (cells or lacking) else None):
                st.caption(words)


def stale(workspace: Workspace, job: Job | None) -> bool:
    return job is not None and not job.live and bool(differs(job, workspace.draft))


def note(workspace: Workspace, job: Job) -> None:
    """Note over the results: in the line of buttons its length would move these."""
    back = " Undo that to go on where this run stopped." if may_go_on(job) else ""
    of_earlier_settings(differs(job, workspace.draft), back)


def again_bar(workspace: Workspace, job: Job | None) -> None:
    """Draw a bar at the foot of changed settings: results are of earlier ones, and the button to train."""
    if not stale(workspace, job):
        return
    wrong = _wrong(workspace)
    with st.container(key="again-bar"):
        st.markdown("The results are of **earlier settings**.")
        st.button(
            "Train these settings",
            type="primary",
            key="train these",
            width="stretch",
            on_click=_train,
            args=(workspace,),
            disabled=bool(wrong),
            help=f"First mend this: {plain(wrong[0], 200)}" if wrong else None,
        )


def _wrong(workspace: Workspace) -> list[str]:
    return [*mistakes(workspace), *filter(None, [too_much("run", Training(workspace.draft, True))])]


@pressed
def _train(workspace: Workspace) -> None:
    """Launch the draft; a job of it that waits or runs already is kept instead."""
    with refusing():
        draft = drafts.load(workspace.id) or workspace.draft
        jobs.submit(draft, workspace.id, reference=True, **who())
