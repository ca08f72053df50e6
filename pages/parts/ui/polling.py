"""Parts of a page that refresh themselves, or wait for a verdict before training; errors are sentences.

Viewers of a job refresh each second, few viewers twice as often, and less often on a busy machine, since
browsers and training compete for it.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from typing import ParamSpec

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ldp_core.errors import StudioError
from ldp_core.experiment import Experiment
from ldp_core.runs import ensure_worker, pilots, queue
from ldp_core.theory import Outlook
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.text import percent, plain
from pages.parts.ui.visitor import here, me

P = ParamSpec("P")
FEW = 4
FEW_SECONDS, MANY_SECONDS, BUSY_SECONDS = 0.5, 1.0, 2.0
"""Refresh intervals: for few viewers; for many, or a load of 2 per core; for a load of 4 per core."""
GONE_SECONDS = 5.0
"""Time without a refresh after which a viewer counts as gone."""
_asked: dict[str, float] = {}
_lock = threading.Lock()


def guarded(draw: Callable[P, None]) -> Callable[P, None]:
    """Errors of storage are shown as a sentence, and any error for an imported record."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            draw(*args, **kwargs)
        except StudioError as error:
            logging.exception("a page cannot be shown")
            st.error(f"This cannot be shown now: {plain(error_in_words(error), 400)}.")
        except Exception:
            if not _foreign():
                raise
            logging.exception("a record that came as a file cannot be shown")
            st.error("This run was brought here as a file, and what that says cannot be shown.")

    return drawn


def _foreign() -> bool:
    """Whether the address names an imported job."""
    for named in [*st.query_params.get_all("job"), *st.query_params.get("runs", "").split(",")][:20]:
        with suppress(StudioError):
            if queue.get(named[:12]).imported:
                return True
    return False


def refreshing(draw: Callable[P, None], every: float | None = None) -> Callable[P, None]:
    """A Streamlit fragment, redrawn every so many seconds, or only by its own widgets."""
    fragment: Callable[P, None] = st.fragment(guarded(draw), run_every=every)
    return fragment


def pace() -> float:
    """Seconds until this viewer should refresh."""
    context = get_script_run_ctx()
    few = _viewers(context.session_id if context else "", time.monotonic()) <= FEW
    crowd = crowding()
    return BUSY_SECONDS if crowd > 4 else FEW_SECONDS if few and crowd <= 2 else MANY_SECONDS


def crowding() -> float:
    """Load of the machine per core over the last minute; 0 if unknown."""
    # of the whole machine: what a container may use of it is another matter
    return os.getloadavg()[0] / (os.cpu_count() or 1) if hasattr(os, "getloadavg") else 0.0


def _viewers(session: str, now: float) -> int:
    """Number of sessions that watch live jobs, this one included."""
    with _lock:
        _asked[session] = now
        for gone in [one for one, at in _asked.items() if now - at > GONE_SECONDS]:
            del _asked[gone]
        return len(_asked)


def outlook_of(experiment: Experiment) -> Outlook:
    """Verdict that is known at once; `pilots.TESTING` for others."""
    return pilots.known([experiment])[0]


def within(view: Outlook) -> str:
    """Accuracies of nine in ten runs; "" where nothing is known."""
    if view.low is None or view.high is None:
        return ""
    return f"{100 * view.low:.0f}–{percent(view.high)}"


def wait_for(experiments: Sequence[Experiment]) -> None:
    """Ask for the verdicts that are not known; the page is drawn again when they are."""
    if missing := _missing(experiments):
        refreshing(_look, pace())(missing)


def _missing(experiments: Sequence[Experiment]) -> list[Experiment]:
    views = zip(experiments, pilots.known(experiments), strict=True)
    return [one for one, view in views if view is pilots.TESTING]


def _look(experiments: Sequence[Experiment]) -> None:
    missing = _missing(experiments)
    if len(missing) < len(experiments):
        st.rerun()
    with suppress(StudioError, OSError):  # a verdict is no reason to show an error
        pilots.ask(missing, me(), here())
        ensure_worker()
