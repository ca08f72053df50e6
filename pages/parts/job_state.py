"""One line on where a job is: its place in the queue, its pace, or how it ended."""

from __future__ import annotations

import time
from collections.abc import Sequence

import streamlit as st

from ldp_core.experiment import Draft
from ldp_core.runs import queue
from ldp_core.runs.progress import Progress
from ldp_core.runs.queue import Job
from pages.parts.series import Series
from pages.parts.text import plain, seconds


def job_state(job: Job, draft: Draft, progress: Progress, shown: Sequence[Series]) -> None:
    """Draw the line."""
    runs = len(progress.runs) or len(draft.variants) * draft.seeds
    every, done = runs * draft.base.rounds, progress.rounds_done()
    if job.status == "queued":
        ahead = queue.ahead_of(job)
        wait = f"{ahead} job{'s' if ahead > 1 else ''} before this one" if ahead else "it starts in a moment"
        st.progress(0.0, text=f"In the queue: {wait}")
    elif job.live:
        left = progress.seconds_left(every)
        pace = f", about {seconds(left)} left" if left is not None else ""
        at = min((run.round for run in progress.runs), default=0)
        verb = "Stopping" if job.status == "cancelling" else "Training"
        st.progress(
            min(1.0, done / every), text=f"{verb}: round {at} of {draft.base.rounds}, {runs} runs{pace}"
        )
    elif job.status == "completed":
        took = (job.ended or time.time()) - (job.started or job.created)
        st.caption(f"Finished: {runs} runs of {draft.base.rounds} rounds in {seconds(took)}")
    elif job.status == "cancelled":
        st.caption(f"Stopped after {done} of {every} rounds; what was trained until then is kept")
    elif job.status == "diverged":
        st.error(f"This training {plain(job.message, 300)}.")
    else:
        st.error(f"{job.status.capitalize()}: {plain(job.message, 400)}.")
    if job.status != "diverged":
        for one in shown:
            if one.diverged and one.diverged.end:
                st.warning(f"{plain(one.label)} {plain(one.diverged.end['message'], 300)}.")
