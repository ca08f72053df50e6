"""What a visitor does to a job at the press of a button, and why it could not be done."""

from __future__ import annotations

import time
from collections.abc import Callable

import streamlit as st

from ldp_core.errors import StudioError
from ldp_core.runs import Job, Person, jobs
from pages.parts.ui.meanings import error_in_words
from pages.parts.ui.memory import tab
from pages.parts.ui.text import plain
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import visitor, who

REFUSED = "refused"
READ_SECONDS = 10.0
NOT_YOURS = "Somebody else has launched this; they can stop it, or a teacher."


@pressed
def act(do: Callable[[str, Person], object], identity: str) -> None:
    """Stop, resume or delete a job as the visitor."""
    tab().page.refused.pop(REFUSED, None)
    try:
        do(identity, visitor())
    except StudioError as error:
        refuse(error)


def go_on_button(job: Job) -> None:
    """The first thing to do about a job that was stopped: have it taken up."""
    st.button("Go on where it stopped", type="primary", key="resume", on_click=act, args=(_take_up, job.id))


def _take_up(identity: str, person: Person) -> None:
    jobs.resume(identity, person, who()["address"])


def refuse(error: StudioError, where: str = REFUSED) -> None:
    """Keep why something could not be done until that part of the page is drawn."""
    tab().page.refused[where] = (error_in_words(error), time.monotonic())


def refusal(where: str = REFUSED) -> bool:
    """Say once why the last act could not be done; False if it was."""
    why, _ = tab().page.refused.pop(where, ("", 0.0))
    if why:
        st.error(plain(why, 300))
    return bool(why)


def lasting_refusal() -> None:
    """Say it for a while, where the page draws itself again before anybody has read it."""
    why, since = tab().page.refused.get(REFUSED, ("", 0.0))
    if time.monotonic() - since > READ_SECONDS:
        tab().page.refused.pop(REFUSED, None)
    elif why:
        st.error(plain(why, 300))
