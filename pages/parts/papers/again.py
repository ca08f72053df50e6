"""Re-measurement of a claim, as a job."""

import streamlit as st

from ldp_core.papers import Claim
from ldp_core.runs import STALLED, Job, claims, how_far, jobs, kinds
from pages.parts.ui.job_actions import refusal, refusing, stop_button
from pages.parts.ui.polling import refreshing
from pages.parts.ui.text import plain, seconds
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import look, who

MOST_SECONDS = 3600.0
"""Longest estimated duration that a page launches; longer measurements are for the command line."""
EVERY = 1.0
"""Interval between two refreshes in seconds."""


def again(system: str, claim: Claim) -> None:
    job, key = _newest(system, claim.id), f"again {system} {claim.id}"
    if job is not None and job.live:
        refreshing(_watch, every=EVERY)(system, claim.id)
        return
    takes = claims.seconds_of(claim)
    long = takes is not None and takes > MOST_SECONDS
    st.button(
        "Run this claim again",
        type="primary",
        key=key,
        on_click=_launch,
        args=(system, claim.id),
        disabled=bool(claim.missing) or long,
    )
    refusal(key)
    runs = f"{len(claim.runs) * claim.seeds * len(claim.read_each)} runs"
    about = f"{runs}, about {seconds(takes)} here" if takes else runs
    if claim.missing:
        st.caption(f"needs data that are not on this machine: {plain(claim.missing)}")
    elif long:
        command = f"python -m ldp_core papers --rerun {system} --only {claim.id}"
        st.caption(f"{about}: too long for a page. `{command}`")
    else:
        st.caption(about)
    if job is not None and job.status not in ("completed", "cancelled"):
        st.error(f"The last try {plain(job.status)}: {plain(job.message or 'no reason was given', 300)}")


def _watch(system: str, identity: str) -> None:
    job = _newest(system, identity)
    if job is None or not job.live:
        st.rerun()
    far = how_far(job)
    words = "in the queue" if job.status == "queued" else str(far.step) if far else "begins"
    reason = f": {plain(job.message, 200)}" if job.message else ""
    verb = "Stalled" if job.status == STALLED else "Measuring again"
    st.progress(far.step.share if far else 0.0, text=f"{verb}, {words}{reason}")
    stop_button(job, f"stop {job.id}")


def _newest(system: str, identity: str) -> Job | None:
    found = jobs.of_draft(_draft(system, identity), "claim", most=1)
    return look(found[0].id) if found else None


@pressed
def _launch(system: str, identity: str) -> None:
    made = kinds.get("claim")
    with refusing(f"again {system} {identity}"):
        asked = made.read({"system": system, "claim": identity}, {})
        jobs.launch("claim", asked, _draft(system, identity), **who())


def _draft(system: str, identity: str) -> str:
    """Draft id for the jobs of a claim, which has no draft."""
    return f"{system}/{identity}"
