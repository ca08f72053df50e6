"""Buttons that launch, stop and resume a page's job; what a job was asked; results of earlier settings."""

from contextlib import suppress
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ldp_core.errors import StudioError
from ldp_core.runs import Job, jobs, kinds, rates
from ldp_core.system.shipped import ASSETS
from pages.parts.runs.job_state import may_go_on
from pages.parts.ui.job_actions import go_on_button, refusal, refusing, stop_button, too_much
from pages.parts.ui.shared_cache import once
from pages.parts.ui.text import plain
from pages.parts.ui.uninterrupted import pressed, uncut
from pages.parts.ui.visitor import who
from pages.parts.ui.workspace import Workspace

PRESSED = "launch pressed"


def asked_of(job: Job | None) -> Any:
    """What a job was asked, as its kind reads it; None if that cannot be read any more."""
    return None if job is None else once(("asked", job.id), lambda: _read(job))


def _read(job: Job) -> Any:
    with suppress(StudioError, LookupError, TypeError):
        return kinds.get(job.kind).parse(job.request)
    return None


def launch_bar(
    workspace: Workspace, job: Job | None, kind: str, planned: Any, fits: bool, words: tuple[str, str]
) -> bool:
    """Draw the buttons; whether what is `planned` (None if fields are invalid) can be launched now. `fits`:
    whether the displayed job was asked the same.
    """
    verb, noun = words
    if job is not None and job.live:
        stop_button(job, f"stop {kind}")
        if planned is not None and not fits:
            st.caption(f"The settings have changed; this {noun} goes on with the earlier ones.")
        return False
    goes_on = job is not None and fits and may_go_on(job)
    if job is not None and goes_on:
        go_on_button(job)
    wrong = ""
    if planned is not None:
        place = f"too much of {kind}", str(planned.as_json()), rates()  # which may have been measured since
        wrong = once(place, lambda: too_much(kind, planned))
    st.button(
        f"{verb} again" if job else verb,
        type="secondary" if goes_on else "primary",
        key=f"start {kind}",
        help="From the beginning; what was stopped stays on the list of runs" if goes_on else None,
        disabled=planned is None or bool(wrong),
        on_click=_press,
        args=(workspace.id, kind),
    )
    refusal()
    if planned is None:
        st.caption("First mend what is marked in red.")
    elif wrong:
        st.error(plain(wrong, 300))
    return planned is not None and not wrong


@pressed
def _press(draft: str, kind: str) -> None:
    st.session_state[PRESSED] = draft, kind


def launch_if_pressed(workspace: Workspace, kind: str, planned: Any) -> None:
    """Launch once fields are drawn: only then is it known what those hold that changed in the same moment."""
    if st.session_state.get(PRESSED) == (workspace.id, kind):
        _launch(kind, workspace.id, planned)
        st.rerun()


@uncut
def _launch(kind: str, draft: str, planned: Any) -> None:
    """Launch a job, once; nothing if its settings are invalid."""
    st.session_state.pop(PRESSED, None)
    if planned is not None:
        with refusing():
            jobs.launch(kind, planned, draft, **who())


def results(stale: bool) -> DeltaGenerator:
    """Container for results; faint for earlier settings, until pointed at."""
    if stale:
        st.html(ASSETS / "stale.css")
    return st.container(key="results", gap="small")


def of_earlier_settings(since: str = "", more: str = "") -> None:
    """Note that results are of earlier settings, with the changes `since`."""
    since = f"; since then: {plain(since, 300)}" if since else ""
    faint = "**The results below are of earlier settings**, so drawn faintly until pointed at"
    st.caption(f":orange[{faint}{since}.{more}]")
