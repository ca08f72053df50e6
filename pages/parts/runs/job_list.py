"""Lists of this server's jobs: a table of all, and lines of the latest."""

import time
from collections.abc import Callable

import streamlit as st

from ldp_core.runs import (
    LIVE,
    Listed,
    ListPage,
    Person,
    jobs,
    kinds,
    page,
    queue,
    quota,
)
from pages.parts.runs.said import PAGES, marks, said, state
from pages.parts.runs.table import table
from pages.parts.runs.ticks import offered_back, quota_taken, what_is_ticked
from pages.parts.ui.job_actions import act, lasting_refusal, refusing
from pages.parts.ui.text import ago, bytes_in_words, number, plain
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import visitor
from pages.parts.ui.workspace import offer_first

EACH = 50
"""Number of runs on one page of the table."""
WHOSE, WHOSE_KEY = ("Everybody's", "Mine"), "whose runs"


def job_list(report: Callable[[str, Person], bytes]) -> None:
    me = visitor()
    mine = st.session_state.get(WHOSE_KEY) == WHOSE[1]
    shown = page(st.session_state.get(f"page of {mine}", 1), EACH, me.owner, mine)
    if shown.others:
        st.segmented_control(
            "Whose", WHOSE, default=WHOSE[0], required=True, key=WHOSE_KEY, label_visibility="collapsed"
        )
    lasting_refusal()
    offered_back(me)
    if me.teacher:
        _stop_all()
    if not shown.lines:
        st.caption("None yet. Open a scenario and press Train.")
        offer_first()
    else:
        _all(shown, mine, me, report)
    taken, most = bytes_in_words(quota_taken()), bytes_in_words(quota.most_bytes())
    st.caption(
        f"All runs take {taken} of {most}.",
        help="Where this server has no more room the oldest go first; pinned ones stay.",
    )


def _all(shown: ListPage, mine: bool, me: Person, report: Callable[[str, Person], bytes]) -> None:
    what_is_ticked(me, report)
    table(shown.lines, me)
    if shown.rows > EACH:
        st.pagination(-(-shown.rows // EACH), key=f"page of {mine}")
    every = shown.jobs
    with st.container(horizontal=True, vertical_alignment="center"):
        rows = f", in {number(shown.rows, 6)} rows: equal ones share one" if shown.rows < every else ""
        st.caption(f"{number(every, 6)} run{'s' if every > 1 else ''}{rows}.", width="content")


def _stop_all() -> None:
    """A teacher's button to stop all jobs."""
    if not (going := len(queue.find(f"status IN {LIVE}", most=10_000, requests=False))):
        return
    with st.popover(f"End all ({going})", type="tertiary"):
        st.caption("Everybody's that wait or run; whole rounds are kept, and each can be taken up again.")
        st.button("End them", type="primary", key="end all", on_click=_all_stopped)


@pressed
def _all_stopped() -> None:
    with refusing():
        jobs.cancel_all(visitor())


def job_line(one: Listed) -> None:
    """Draw a job's name, description and status, with a button to stop it."""
    job, me = one.job, visitor()
    words = said(job.id, job) if one.rounds else kinds.Words(one.name)
    name = plain(job.name or words.name or "Untitled")
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(gap=None):
            if one.rounds and job.kind in PAGES:
                st.page_link(PAGES[job.kind], label=f":blue[{name}]", query_params={"job": job.id})
            else:
                st.markdown(name)
            parts = [plain(state(one), 200), *marks(one, me), words.size, ago(time.time() - job.created)]
            line = ", ".join(filter(None, parts))
            st.caption(f"{line}  \n{plain(words.compared, 300)}" if words.compared else line)
        if job.live and me.may(job.owner):
            st.button("Stop", key=f"stop {job.id}", type="tertiary", on_click=act, args=(jobs.cancel, job.id))
