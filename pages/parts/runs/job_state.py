"""Line on a job's status: place in the queue, speed, or end."""

import time
from collections.abc import Callable, Iterable, Sequence

import streamlit as st

from ldp_core.cost.estimate import cost
from ldp_core.datasets import data_dir
from ldp_core.experiment import Draft, Experiment, plan
from ldp_core.experiment.draft import REFERENCE
from ldp_core.runs import (
    ASIDE,
    REMOVED,
    RESUMABLE,
    STALLED,
    Job,
    Progress,
    Training,
    how_far,
    kinds,
    queue,
    rates,
    slots,
)
from pages.parts.charts.series import Series, final
from pages.parts.ui.text import bytes_in_words, number, plain, runs_in_words, seconds, span
from pages.parts.ui.visitor import visitor

WAIT_SECONDS = 1.0
"""Interval between two looks at the order of the queue, for all viewers together."""


def job_state(job: Job, draft: Draft, progress: Progress) -> None:
    numbers = [run.variant for run in progress.runs or draft.runs(bool(job.request.get("reference")))]
    runs, several = len(numbers), runs_in_words(len(numbers), numbers.count(REFERENCE))
    done = progress.rounds_done()
    rounds = span(draft.lengths)
    why = because(job)
    if job.status == "queued" and done and progress.ended() < runs:
        text = f"Round {number(progress.at(), 6)} of {rounds}, {several}"
        share = min(1.0, done / (runs * draft.lengths[1]))
        known = ASIDE if job.message == ASIDE else "the same is trained already; you see it here too"
        st.progress(share, text=f"{text}: {known}")
    elif shared_state(job):
        return
    elif job.live:
        far = how_far(job)
        if far and far.step.doing and job.status == "running":
            st.progress(far.step.share, text=plain(str(far.step), 200))
            return
        at = progress.at()
        trained = final(progress.runs)
        verb = "Stopping" if job.status == "cancelling" else "Trained" if trained else "Training"
        follow = "; attacks follow" if trained and any(plan(one).spies for one in draft.experiments()) else ""
        share = far.step.done % 1 if far and not trained else 0.0
        pace = _time_left(far and far.left)
        part = f" and {share:.0%} of the next" if share >= 0.01 else ""
        if runs > 1 and share:
            part += f" in run {1 + sum(run.round > at or run.end is not None for run in progress.runs)}"
        ended = f", {progress.ended()} of them done" if progress.ended() else ""
        st.progress(
            far.step.share if far else 0.0,
            text=f"{verb}: round {number(at, 6)} of {rounds}{part}, {several}{ended}{follow}{pace}{why}",
        )
    elif job.status == "completed":
        # wall-clock time, or the runs' own if the job was interrupted
        by_the_clock = (job.ended or time.time()) - (job.started or job.created)
        took = seconds(max(by_the_clock, progress.seconds_taken(job.created)))
        st.caption(f"Finished: {amount(draft, numbers)}, in {took}{_known(job, progress)}")
    elif job.status == "cancelled":
        st.caption(f"{_stopped(draft, progress)}{why}")
    elif job.status == "diverged":
        st.error(f"This training {plain(job.message, 300)}.")
    else:
        reached = _reached(draft, progress) if done else ""
        st.error(f"{job.status.capitalize()}{reached}: {plain(job.message, 400)}.")


def amount(draft: Draft, numbers: Sequence[int] = ()) -> str:
    """Rounds and runs of a training, of these variants or else of all, in words."""
    numbers = numbers or [run.variant for run in draft.runs(reference=True)]
    several, rounds = runs_in_words(len(numbers), numbers.count(REFERENCE)), draft.lengths
    return f"{span(rounds)} round{'s' if rounds[1] > 1 else ''} of {several}"


def diverged_lines(job: Job, shown: Sequence[Series], known: bool = False) -> None:
    """Draw diverged runs of a job; without advice if the cause is `known`."""
    for one in shown:
        if job.status != "diverged" and one.diverged and one.diverged.end:
            what, _, advice = one.diverged.end["message"].partition("; ")
            words = what if known or not advice else f"{what}; {advice}"
            st.warning(f"{plain(one.label)} {plain(words, 300)}.")


def _stopped(draft: Draft, progress: Progress) -> str:
    kept = "whole rounds are kept" if progress.rounds_done() else "to go on begins with the first round"
    return f"Stopped{_reached(draft, progress)}; {kept}"


def _reached(draft: Draft, progress: Progress) -> str:
    """Round at which an unfinished job ended, or the range over its runs."""
    ends = [run.round for run in progress.runs] or [0]
    return f" at round {span(ends)} of {span(draft.lengths)}"


def is_gone(job: Job) -> bool:
    """True for an ended job whose record was deleted."""
    return not job.live and job.removed


def shared_state(job: Job) -> bool:
    """Draw the status of a job that waits, stalls, or whose record is deleted; False for others."""
    if is_gone(job):
        became = {"completed": "finished", "cancelled": "stopped"}.get(job.status, job.status)
        st.warning(f"This was {became}; later {REMOVED}, so there is nothing to show any more.")
    elif job.status == "queued":
        st.progress(0.0, text=f"In the queue: {place_in_queue(job)}")
    elif job.status == STALLED:
        st.warning(f"Stalled: {plain(job.message, 500)}.")
    else:
        return False
    return True


def may_go_on(job: Job) -> bool:
    """True if this visitor may resume the stopped job."""
    stopped = job.status in RESUMABLE and not is_gone(job) and not job.imported
    return stopped and visitor().may(job.owner)


def because(job: Job) -> str:
    """A job's message, after a semicolon; "" if it has none."""
    return f"; {plain(job.message, 200)}" if job.message else ""


def _known(job: Job, progress: Progress) -> str:
    """Note on the number of runs whose results were stored before."""
    if job.imported:
        return "; imported: not trained on this server"
    before = progress.known_before(job.created)
    if not before:
        return ""
    share = "all" if before == len(progress.runs) else str(before)
    return f"; {share} of them known from before"


def _time_left(left: float | None) -> str:
    return "" if left is None else ", almost done" if left < 1 else f", about {seconds(left)} left"


def place_in_queue(job: Job) -> str:
    if job.message:
        return plain(job.message, 200)
    before = _places().get(job.id, 0)  # 0 if it has begun since it was looked up
    if before < slots.at_work():
        return "it starts in a moment"
    return f"{before} job{'s' if before > 1 else ''} before this one; people take turns"


@st.cache_data(ttl=WAIT_SECONDS, show_spinner=False)
def _places() -> dict[str, int]:
    return queue.places()


def takes(planned: float) -> str:
    return f"takes about {seconds(planned)}"


def lasting(draft: Draft) -> str:
    """Estimated duration of a training; "" before this machine's speed is measured."""
    if kinds.is_known("run", Training(draft, reference=True)):
        return "trained here before: shown at once"
    known = rates()
    return takes(cost(draft).seconds(known)) if known else ""


def missing(experiments: Iterable[Experiment]) -> str:
    """Data to be downloaded first, in words; "" if none."""
    sources = {one.dataset: plan(one).source for one in experiments}.values()
    return " ".join(
        f"{plain(one.label)} is not on this server: {bytes_in_words(one.download)} are downloaded first."
        for one in sources
        if not one.there(data_dir())
    )


def far_state(job: Job, share: float, doing: Callable[[str], str], stopped: str) -> bool:
    """Draw how far a job of cells is, or how it ended; True if completed. `doing` takes the time left."""
    if shared_state(job):
        return False
    if job.live:
        far = how_far(job)
        words = str(far.step) if far and far.step.doing else doing(_time_left(far and far.left))
        st.progress(far.step.share if far else share, text=plain(words, 200))
    elif job.status == "cancelled":
        st.caption(f"Stopped after {stopped}{because(job)}.")
    elif job.status != "completed":
        st.error(f"{job.status.capitalize()}: {plain(job.message, 400)}.")
    return job.status == "completed"
