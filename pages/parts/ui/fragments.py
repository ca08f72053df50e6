"""Parts of a page that draw themselves again; where they cannot, they say why instead of tearing the page.

A class that watches a job asks each second, a few people twice as often.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ldp_core.errors import StudioError
from pages.parts.ui.text import plain

P = ParamSpec("P")
FEW = 4
SECONDS = {True: 0.5, False: 1.0}
"""Between two questions of one viewer, where they are few and where they are many."""
GONE_SECONDS = 5.0
"""Who has not asked for this long looks no more."""
_asked: dict[str, float] = {}
_lock = threading.Lock()


def guarded(draw: Callable[P, None]) -> Callable[P, None]:
    """Draw; a folder of runs that cannot be used, or a database that is damaged, becomes its sentence."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            draw(*args, **kwargs)
        except StudioError as error:
            logging.exception("a page cannot be shown")
            st.error(f"This cannot be shown now: {plain(str(error), 400)}.")

    return drawn


def refreshing(draw: Callable[P, None], every: float | None = None) -> Callable[P, None]:
    """A fragment, drawn again every so many seconds, or with its own widgets alone."""
    fragment: Callable[P, None] = st.fragment(guarded(draw), run_every=every)
    return fragment


def pace() -> float:
    """Seconds until this viewer, who is asking now, should ask again."""
    context = get_script_run_ctx()
    return SECONDS[_viewers(context.session_id if context else "", time.monotonic()) <= FEW]


def _viewers(session: str, now: float) -> int:
    """How many look at live jobs, this session among them."""
    with _lock:
        _asked[session] = now
        for gone in [one for one, at in _asked.items() if now - at > GONE_SECONDS]:
            del _asked[gone]
        return len(_asked)
