"""View of another visitor's job."""

from collections.abc import Callable

import streamlit as st

from ldp_core.errors import UnknownJob
from ldp_core.runs import Job, kinds
from pages.parts.runs.job_state import may_go_on
from pages.parts.runs.said import PAGES, said
from pages.parts.train.chosen_job import lesson_of
from pages.parts.train.launch import title
from pages.parts.ui.job_actions import go_on_button, refusal
from pages.parts.ui.memory import tab
from pages.parts.ui.text import plain
from pages.parts.ui.visitor import look, visitor
from pages.parts.ui.workspace import start_with
from pages.parts.watch.live import live_view, settings_of
from pages.parts.watch.more import more

NAMES = {"train.py": "Train", "attack.py": "Attack", "tune.py": "Tune", "runs.py": "the table of runs"}


def shared_job(identity: str, *wanted: str) -> Job | None:
    """Job of a link; None, with a message on the page, if there is none of the wanted kinds."""
    try:
        job = look(identity)
    except UnknownJob:
        st.error("There is no such run on this server (any more).")
        st.page_link("start.py", label=":blue[Back to the start]")
        return None
    if not job.request:
        st.error(
            "What this run was asked to do cannot be read any more; it can be deleted on the list of runs."
        )
        return None
    if job.kind in wanted:
        return job
    page = PAGES.get(job.kind, "runs.py")
    label, other = (kinds.registry.labels().get(one, one) for one in (job.kind, wanted[0]))
    st.info(f"This run is {_a(label)}, not {_a(other)}.")
    st.page_link(page, label=f":blue[Watch it on {NAMES[page]}]", query_params={"job": job.id})
    return None


def _a(label: str) -> str:
    return f"{'an' if label[0] in 'aeiou' else 'a'} {plain(label)}"


def own_bar(job: Job, copy: Callable[[], object] | None, label: str, hint: str) -> None:
    """Draw what a viewer may do: resume the job, copy its settings, go back to their own."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if may_go_on(job):
            go_on_button(job)
        refusal()
        if copy and st.button(label, help=f"{hint}; this one stays as it is"):
            copy()
            st.rerun()
        whose(job)


def whose(job: Job) -> None:
    """Draw the run's ownership and a link back."""
    mine = job.owner is not None and job.owner == visitor().owner
    # the navigation's own entry leads here, to the page that is shown already
    draft = job.draft if mine else tab().draft
    if draft:
        page = PAGES[job.kind]  # or it would not be shown here
        label = "Back to its settings" if mine else "Back to your own"
        st.page_link(page, label=f":blue[{label}]", query_params={"draft": draft})
    if job.imported:
        st.caption("Imported: it came here as a file, and nobody here knows whether that was changed.")
    else:
        st.caption("This is your run." if mine else "You are watching somebody else's run.")


def watch_only(identity: str) -> None:
    """View of a job by its id, without changes."""
    title()
    job = shared_job(identity, "run")
    if job is None:
        return
    draft = settings_of(job)
    if draft is None:
        return
    words = said(job.id, job)
    if words.name:
        st.markdown(f"**{plain(words.name)}**")
    st.caption(f"{plain(words.compared, 300)}; {plain(words.asked, 300)}")
    own_bar(job, lambda: start_with(draft), "Copy its settings", "To change and to train them")
    live_view(draft, job)
    more(draft, job, lesson_of(job))
