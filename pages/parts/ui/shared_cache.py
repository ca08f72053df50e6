"""What all who watch a run see alike is made once for all of them: a class of thirty looks at one run."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, TypeVar

import streamlit as st

from ldp_core.errors import StorageFailed, UnknownJob
from ldp_core.runs import Folded, Job, jobs
from pages.parts.ui.fragments import pace, refreshing
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.text import plain
from pages.parts.ui.visitor import visitor

T = TypeVar("T")
F = TypeVar("F", bound=Folded)
MOST = 128
"""Things kept; what was not asked for longest goes first."""
PAUSE_SECONDS = 0.3
"""Between two looks at the queue or at a record, however many watch."""
AGAIN_SECONDS = 3.0
"""Between two looks at a job that has ended."""
_kept: OrderedDict[Hashable, tuple[Moment | None, Any]] = OrderedDict()
_making: dict[Hashable, threading.RLock] = {}
"""Held while what is to be kept there is made."""
_lock = threading.Lock()


class Moment(NamedTuple):
    """Progress of a job, as a cache key: equal moments look equal."""

    job: str
    status: str
    seq: int
    """Of the last event."""


def once(place: Hashable, make: Callable[[], T], moment: Moment | None = None) -> T:
    """Cached result of `make`, computed once per `place`; concurrent callers of the same place wait, others
    do not. With a `moment`, a new one replaces the last.

    Where it changes with a job, it is of one moment, and takes the place of that of the moment before:
    charts of a thousand rounds, each with all rounds before it, would fill the server's memory.
    """
    with _lock:
        if (found := _found(place, moment)) is None:
            alone = _making.setdefault(place, threading.RLock())
    if found is None:
        with alone:
            found = _made(place, make, moment)
    value: T = found[1]
    return value


Kept = tuple[Moment | None, Any]


def _made(place: Hashable, make: Callable[[], T], moment: Moment | None) -> Kept:
    """Cached or newly made value; stored before another thread may compute it."""
    with _lock:
        found = _found(place, moment)
    try:
        if found is None:
            found = moment, make()
            with _lock:
                _kept[place] = found
                _kept.move_to_end(place)
                while len(_kept) > MOST:
                    _kept.popitem(last=False)
    finally:
        with _lock:
            _making.pop(place, None)
    return found


def _found(place: Hashable, moment: Moment | None) -> Kept | None:
    if place not in _kept or _kept[place][0] != moment:
        return None
    _kept.move_to_end(place)
    return _kept[place]


@st.cache_data(ttl=PAUSE_SECONDS, max_entries=256, show_spinner=False)
def job_now(identity: str) -> Job:
    """The job as it was a moment ago.

    Raises:
        UnknownJob: there is no such job.
    """
    return jobs.look(identity)


def watched(identity: str, live: bool) -> Job | None:
    """The job for a part of a page that was drawn while it was `live`, or when it had ended; None if it is
    gone.

    How it was a moment ago is near enough where it is asked again soon. Where it is not, nobody would ever
    put that right: there it is looked up anew. When it ends, or is taken up, the whole page is drawn again.
    """
    try:
        job = job_now(identity) if live else jobs.look(identity)
        jobs.refuse_others(job, visitor())
    except UnknownJob:
        if live:
            st.rerun()
        return None
    if job.live != live:
        st.rerun()
    return job


def watched_record(identity: str, every: float | None, kind: type[F], noun: str) -> tuple[Job, F] | None:
    """A job that is looked at `every` so many seconds, or has ended, and its record so far; None, and a
    sentence on the page, if it cannot be shown.
    """
    job = watched(identity, live=every is not None)
    if job is None:
        st.info(f"This {noun} has been deleted.")
        return None
    pace()  # viewers are counted; those who come later poll less often
    try:
        return job, kind.of_job(job).update(PAUSE_SECONDS if job.live else 0.0)
    except StorageFailed as error:
        st.error(plain(error_in_words(error), 300))
        return None


def look_again(job: Job, own: bool) -> None:
    """On the page of a job that has ended: have it drawn again when that is taken up, or its record goes; and
    on one's `own` page, when another job of the draft is launched, from another tab.
    """
    if not job.live:
        refreshing(_look_again, AGAIN_SECONDS)(job, own)


def _look_again(drawn: Job, own: bool) -> None:
    try:
        job = jobs.look(drawn.id)
    except UnknownJob:
        st.rerun()
    newest = jobs.of_draft(drawn.draft or "", drawn.kind, most=1) if own else []
    other = any(jobs.look(one.id).live for one in newest if one.live)
    if other or (job.live, job.message) != (drawn.live, drawn.message):
        st.rerun()
