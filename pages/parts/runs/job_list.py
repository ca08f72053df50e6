"""Lists of this server's jobs: a table of all, and lines of the latest."""

import time
from collections.abc import Callable

import streamlit as st

from ldp_core.runs import LIVE, Listed, Person, finding, jobs, kinds, queue, quota
from pages.parts.runs.find_bar import find_bar, order, taken_as_table
from pages.parts.runs.said import PAGES, marks, said, state
from pages.parts.runs.table import table
from pages.parts.runs.ticks import offered_back, quota_taken, what_is_ticked
from pages.parts.ui.job_actions import act, lasting_refusal, refusing
from pages.parts.ui.text import ago, bytes_in_words, number, plain
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import visitor
from pages.parts.ui.workspace import offer_first

EACH = 25
"""Number of runs on one page of the table."""
WHOSE = ("Everybody's", "Mine")


def job_list(report: Callable[[str, Person], bytes]) -> None:
    bar = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
    me, wanted = visitor(), order(find_bar(bar))
    found, whose = finding.lines(wanted), WHOSE[0]
    if any(line.job.owner != me.owner for line in found):
        whose = bar.segmented_control(
            "Whose runs", WHOSE, default=whose, required=True, key="whose runs", label_visibility="collapsed"
        )
    owner = me.owner if whose == WHOSE[1] else None
    found = finding.folded(finding.lines(wanted, owner) if owner else found, me.owner)
    lasting_refusal()
    offered_back(me)
    if me.teacher:
        _stop_all()
    if not (found or wanted.limits):
        st.caption("None yet. Open a scenario and press Train.")
        offer_first()
    else:
        _all(found, wanted, owner, me, report)
    taken, most = bytes_in_words(quota_taken()), bytes_in_words(quota.most_bytes())
    st.caption(
        f"All runs take {taken} of {most}.",
        help="Where this server has no more room the oldest go first; pinned ones stay.",
    )


def _all(
    found: list[finding.Line],
    wanted: finding.Wanted,
    owner: str | None,
    me: Person,
    report: Callable[[str, Person], bytes],
) -> None:
    what_is_ticked(me, report)
    pages, chosen = max(1, -(-len(found) // EACH)), f"page of {owner}"
    page = min(st.session_state.get(chosen, 1), pages)
    table(finding.whole(found[EACH * (page - 1) : EACH * page]), wanted, me)
    if pages > 1:
        st.pagination(pages, key=chosen)
    fit = sum(line.equal for line in found)
    with st.container(horizontal=True, vertical_alignment="center"):
        rows = f", in {number(len(found), 6)} rows: equal ones share one" * (len(found) < fit)
        st.caption(f"{number(fit, 6)} {'run fits' if fit == 1 else 'runs fit'}{rows}.", width="content")
        taken_as_table(wanted, owner)


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
    words = said(job.id, job).words if one.rounds else kinds.Words(one.name)
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
