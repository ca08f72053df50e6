"""What all who watch a run see alike is made once for all of them: a class of thirty looks at one run."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import streamlit as st

from ldp_core.runs import jobs
from ldp_core.runs.queue import Job

T = TypeVar("T")
MOST = 128
"""Things kept; what was not asked for longest goes first."""
PAUSE_SECONDS = 0.3
"""Between two looks at the queue or at a record, however many watch."""
_kept: OrderedDict[Hashable, Any] = OrderedDict()
_lock = threading.RLock()


def once(key: Hashable, make: Callable[[], T]) -> T:
    """What `make` gives, made by the first who asks with this key; the others wait for it."""
    with _lock:
        if key not in _kept:
            _kept[key] = make()
        _kept.move_to_end(key)
        while len(_kept) > MOST:
            _kept.popitem(last=False)
        found: T = _kept[key]
        return found


@st.cache_data(ttl=PAUSE_SECONDS, max_entries=256, show_spinner=False)
def job_now(identity: str) -> Job:
    """The job as it was a moment ago.

    Raises:
        UnknownJob: there is no such job.
    """
    return jobs.look(identity)
