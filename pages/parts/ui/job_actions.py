"""Actions of visitors on jobs, and error messages if they fail."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import streamlit as st

from ldp_core.errors import InvalidExperiment, StudioError
from ldp_core.runs import Job, Person, jobs
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.memory import tab
from pages.parts.ui.text import plain
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import here, visitor

REFUSED = "refused"
READ_SECONDS = 10.0
NOT_YOURS = "Somebody else has launched this; they can stop it, or a teacher."


@pressed
def act(do: Callable[[str, Person], object], identity: str) -> None:
    """Perform an action of `ldp_core.runs.jobs` as the visitor; errors are shown on the page."""
    tab().page.refused.pop(REFUSED, None)
    with refusing():
        do(identity, visitor())


def go_on_button(job: Job) -> None:
    resume = partial(jobs.resume, address=here())
    st.button("Go on where it stopped", type="primary", key="resume", on_click=act, args=(resume, job.id))


def stop_button(job: Job, key: str) -> None:
    mine, stopping = visitor().may(job.owner), job.status == "cancelling"
    st.button(
        "Stopping…" if stopping else "Stop",
        disabled=stopping or not mine,
        help=None if mine else NOT_YOURS,
        key=key,
        on_click=act,
        args=(jobs.cancel, job.id),
    )
    refusal()


def too_much(kind: str, asked: Any) -> str:
    """Why a job exceeds this server's limits; "" if it does not."""
    try:
        jobs.refuse_too_much(kind, asked)
    except InvalidExperiment as error:
        return error_in_words(error)
    return ""


@contextmanager
def refusing(where: str = REFUSED) -> Iterator[None]:
    """Store the error of what is done within until that part of the page is drawn."""
    try:
        yield
    except StudioError as error:
        tab().page.refused[where] = (error_in_words(error), time.monotonic())


def refusal(where: str = REFUSED) -> bool:
    """Show the stored error once; False if there is none."""
    why, _ = tab().page.refused.pop(where, ("", 0.0))
    if why:
        st.error(plain(why, 300))
    return bool(why)


def lasting_refusal() -> None:
    """Show the stored error for a while, on pages that redraw before it can be read."""
    why, since = tab().page.refused.get(REFUSED, ("", 0.0))
    if time.monotonic() - since > READ_SECONDS:
        tab().page.refused.pop(REFUSED, None)
    elif why:
        st.error(plain(why, 300))
