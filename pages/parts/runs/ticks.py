"""Actions on the runs that are ticked in their table: deletion, with its undo, among them."""

import time
from collections.abc import Callable
from functools import partial

import streamlit as st

from ldp_core.runs import MOST_NAME, MOST_NOTE, UNDO_SECONDS, Job, Person, describe, jobs, queue, quota
from pages.parts.runs.said import PAGES
from pages.parts.runs.table import TICKED, ticked
from pages.parts.runs.take_away import take_away
from pages.parts.ui.job_actions import act, refusing
from pages.parts.ui.text import ago, plain, seconds
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import visitor

MOST = 24
"""Largest number of runs that Compare takes."""
MOST_DELETED = 3
"""Number of deleted runs offered at a time."""
PARAMETER = "runs"
"""Parameter of Compare's address with the chosen runs."""


def what_is_ticked(me: Person, report: Callable[[str, Person], bytes]) -> None:
    """Draw the actions on the selection; without one, a hint."""
    held = {job.id: job for job in queue.find(f"id IN ({','.join('?' * len(ticked()))})", (*ticked(),))}
    found = [held[identity] for identity in ticked() if identity in held]
    with st.container(horizontal=True, vertical_alignment="center", key="ticked"):
        if not found:
            st.caption(
                "Tick runs to open or compare them, to name, pin or delete your own, or to take one away.",
                help="By keyboard: arrows go from row to row, Shift and the space bar tick one.",
            )
            return
        if len(found) == 1 and found[0].kind in PAGES and describe(found[0]).rounds:
            st.page_link(PAGES[found[0].kind], label=":blue[Open]", query_params={"job": found[0].id})
        _compare([job.id for job in found if job.kind == "run"])
        if going := [job.id for job in found if job.live and me.may(job.owner)]:
            _button("Stop", jobs.cancel, going)
        if all(me.owns(job.owner) for job in found):
            _own(found)
        if len(found) == 1 and not (found[0].live or found[0].removed):
            # three buttons are a lot to send before they are asked for
            shown = st.popover("Take away", type="tertiary", key="taking", on_change="rerun")
            if shown.open:
                with shown:
                    take_away(found[0], _name(found[0]), "list", report)
        st.button("Untick all", type="tertiary", on_click=_untick)


def _compare(held: list[str]) -> None:
    if len(held) > MOST:
        st.caption(f"Compare takes {MOST} runs at most.", width="content")
    elif held:
        words = f"Compare the {len(held)} ticked runs" if held[1:] else "Compare the runs of this training"
        st.page_link("compare.py", label=f":blue[**{words}**]", query_params={PARAMETER: ",".join(held)})


def _own(found: list[Job]) -> None:
    """Draw name, pin and delete, for the owner."""
    if len(found) == 1:
        _relabel(found[0])
    if pinned := [job.id for job in found if job.pinned]:
        _button("Unpin", partial(jobs.pin, on=False), pinned)
    if loose := [job.id for job in found if not (job.pinned or job.removed)]:
        hint = "A pinned run is not removed to make room, and not deleted by mistake"
        _button("Pin", jobs.pin, loose, hint)
    if ended := [job.id for job in found if not (job.live or job.pinned)]:
        words = f"It can be brought back for {seconds(UNDO_SECONDS)}"
        key = "delete what is ticked"
        st.button("Delete", key=key, type="tertiary", help=words, on_click=_delete, args=(ended,))


def _button(label: str, do: Callable[[str, Person], object], ids: list[str], hint: str = "") -> None:
    key = f"{label} what is ticked"
    st.button(label, key=key, type="tertiary", help=hint or None, on_click=_each, args=(do, ids))


@pressed
def _each(do: Callable[[str, Person], object], ids: list[str]) -> None:
    for identity in ids:
        act(do, identity)


def _name(job: Job) -> str:
    return job.name or describe(job).name or "Untitled"


def _relabel(job: Job) -> None:
    """Fields for the owner's name and note of a job."""
    keys = f"name of {job.id}", f"note of {job.id}"
    with st.popover("Name", type="tertiary", key=f"naming {job.id}"):
        st.text_input("Name", job.name, MOST_NAME, key=keys[0], placeholder=describe(job).name or "Untitled")
        st.text_area("Note", job.note, max_chars=MOST_NOTE, key=keys[1])
        st.button("Keep", type="primary", key=f"keep name {job.id}", on_click=_keep, args=(job.id, *keys))


@pressed
def _keep(identity: str, name: str, note: str) -> None:
    with refusing():
        title, words = (str(st.session_state.get(key) or "") for key in (name, note))
        jobs.relabel(identity, title, words, visitor())


@pressed
def _untick() -> None:
    st.session_state[TICKED] = []


@st.cache_data(ttl=30, show_spinner=False)
def quota_taken() -> int:
    """Bytes of all records, cached over visitors."""
    return quota.taken()


@pressed
def _delete(ids: list[str]) -> None:
    for identity in ids:
        act(jobs.delete, identity)
    quota_taken.clear()
    st.session_state[TICKED] = []


def offered_back(me: Person) -> None:
    """Recently deleted jobs of this person, each with Undo."""
    for job in jobs.deleted(me)[:MOST_DELETED]:
        with st.container(horizontal=True, vertical_alignment="center", key=f"deleted {job.id}"):
            when = ago(time.time() - (job.deleted or 0.0))
            st.markdown(f"**{plain(_name(job))}** was deleted {when}.", width="content")
            st.button("Bring it back", key=f"back {job.id}", on_click=act, args=(jobs.undo_delete, job.id))
