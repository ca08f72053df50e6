"""Cache of drawn results, shared by all viewers of a job."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, TypeVar
from weakref import WeakValueDictionary

import streamlit as st

from ldp_core.errors import StorageFailed, UnknownJob
from ldp_core.runs import Folded, Job, jobs
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.polling import pace, refreshing
from pages.parts.ui.text import plain
from pages.parts.ui.visitor import visitor

T = TypeVar("T")
F = TypeVar("F", bound=Folded)
MOST = 128
"""Number of cached results; the least recently used are dropped first."""
PAUSE_SECONDS = 0.3
"""Interval between two reads of the queue or of a record, for all viewers together."""
AGAIN_SECONDS = 3.0
"""Interval between two reads of an ended job."""
_kept: dict[Hashable, tuple[Moment | None, Any]] = {}
"""By place, with the moment of each; the last used is the last."""
_making: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()
"""Lock by place, while a result is asked for."""
_lock = threading.Lock()


class Moment(NamedTuple):
    """Progress of a job, as a cache key: equal moments look equal."""

    job: str
    status: str
    seq: int
    """Number of the last event."""


def once(place: Hashable, make: Callable[[], T], moment: Moment | None = None) -> T:
    """Cached result of `make`, computed once per `place`; concurrent callers for the same place wait. With a
    `moment`, results of later moments replace earlier ones, which bounds memory.
    """
    with _lock:
        alone = _making.setdefault(place, threading.RLock())
    with alone:
        found = _kept.get(place)
        if found is None or found[0] != moment:
            found = moment, make()
        with _lock:
            _kept.pop(place, None)
            _kept[place] = found
            if len(_kept) > MOST:
                del _kept[next(iter(_kept))]
    value: T = found[1]
    return value


@st.cache_data(ttl=PAUSE_SECONDS, max_entries=256, show_spinner=False)
def job_now(identity: str) -> Job:
    """Job as of a moment ago; raises `UnknownJob`."""
    return jobs.look(identity)


def watched(identity: str, live: bool) -> Job | None:
    """Job for a part of a page drawn while it was `live`, or after its end; None if it is deleted. When it
    ends or is resumed, the whole page is redrawn.
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


def watch_record(job: Job, kind: type[F], noun: str, draw: Callable[[Job, F], None], own: bool) -> None:
    """Draw a job with its folded record, refreshed while it runs; or why it cannot be shown. With `own`,
    later jobs of the same draft replace it on this page.
    """
    refreshing(_watch_record, pace() if job.live else None)(job.id, job.live, kind, noun, draw)
    look_again(job, own)


def _watch_record(
    identity: str, live: bool, kind: type[F], noun: str, draw: Callable[[Job, F], None]
) -> None:
    job = watched(identity, live)
    if job is None:
        st.info(f"This {noun} has been deleted.")
        return
    pace()  # viewers are counted; those who come later poll less often
    try:
        record = kind.of_job(job).update(PAUSE_SECONDS if job.live else 0.0)
    except StorageFailed as error:
        st.error(plain(error_in_words(error), 300))
    else:
        draw(job, record)


def look_again(job: Job, own: bool) -> None:
    """On the page of an ended job: redraw when it is resumed or deleted, or its draft's next is launched."""
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
