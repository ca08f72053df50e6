"""Owners of runs: the nickname beside a run, and the field for one."""

import streamlit as st

from ldp_core.runs import Job, Person, jobs, nicknames
from pages.parts.ui.job_actions import refusal, refusing
from pages.parts.ui.shared_cache import PAUSE_SECONDS
from pages.parts.ui.text import plain
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import here

TYPED, NOT_KEPT = "nickname", "nickname not kept"


@st.cache_data(ttl=PAUSE_SECONDS, show_spinner=False)
def names() -> dict[str, str]:
    return nicknames.everybody()


def whose(job: Job, me: Person) -> str:
    """ "yours" for a job of `me`, else its owner's nickname, "" if there is none."""
    return "yours" if job.owner and job.owner == me.owner else plain(names().get(job.owner or "", ""), 24)


def ask(me: Person) -> None:
    """Offer a nickname to a visitor who has launched a run."""
    known = names().get(me.owner or "")
    if known is None and not jobs.recent(1, me.owner):
        return
    with st.popover(f"Your nickname: {plain(known or '', 24) or 'none'}", type="tertiary"):
        st.text_input("A nickname for your runs? All who see them see it", key=TYPED, max_chars=60)
        st.button("Keep it", key="keep nickname", on_click=_keep, args=(me,))
    refusal(NOT_KEPT)


@pressed
def _keep(me: Person) -> None:
    with refusing(NOT_KEPT):
        nicknames.keep(me.owner or "", st.session_state.get(TYPED) or "", here())
    names.clear()
