"""Attack: what can the server see?"""

from __future__ import annotations

import contextlib
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ldp_core.cost.seconds import seconds, work_of_ladder
from ldp_core.errors import InvalidExperiment, StorageFailed
from ldp_core.experiment import Draft, Variant
from ldp_core.experiment.attack_grid import DEFAULT, Ladder, parse_ladder
from ldp_core.runs import Desk, Job, drafts, jobs, kinds, rates
from pages.parts.attack.changes import ladder_changes
from pages.parts.attack.saved_upload import saved_upload
from pages.parts.attack.settings import settings
from pages.parts.attack.view import desk_view
from pages.parts.runs.earlier import of_earlier_settings, results
from pages.parts.runs.job_state import may_go_on, missing, takes
from pages.parts.systems.panel import system_panel
from pages.parts.ui.header import header, question
from pages.parts.ui.job_actions import go_on_button, refusal, refusing, stop_button, too_much
from pages.parts.ui.text import plain
from pages.parts.ui.uninterrupted import pressed, uncut
from pages.parts.ui.visitor import look, who
from pages.parts.ui.workspace import Workspace, open_workspace, start_with
from pages.parts.watch.watch_only import go_on, shared_job, whose

PRESSED = "attack pressed"


def main() -> None:
    if "job" in st.query_params:
        _watch_only(st.query_params["job"])
        return
    workspace = open_workspace("attack")
    job = _newest(jobs.of_draft(workspace.id, "attack", most=5))
    line = header(workspace, job)
    with line:
        system_panel(workspace)
    buttons = line.container(horizontal=True, vertical_alignment="center")
    _title()
    before = _asked(job) if job else None
    with st.container(key="results-first"):
        left, right = st.columns([1.1, 3.4], gap="medium")
        with left, st.container(border=True):
            st.header("What is attacked", anchor="settings")
            start = _start_from(workspace, before)
            ladder = settings(workspace, start)
            if ladder is not None and _settings_of(ladder) != _settings_of(start):
                drafts.keep_ladder(workspace.id, _settings_of(ladder))
        if st.session_state.get(PRESSED) == workspace.id:
            # only now is it known what the fields hold that were changed in the same moment
            _submit(workspace.id, ladder)
            st.rerun()
        note = right.container()
        with buttons:
            _launch(workspace, job, before, ladder, note)
        with right, results(_stale(job, before, ladder)):
            desk_view(job, own=True)
    saved_upload()


def _newest(found: list[Job]) -> Job | None:
    """The latest job with results: one that was cancelled before its first cell does not count."""
    for job in found:
        if job.live or job.status != "cancelled" or _has_cells(job):
            return look(job.id)
    return look(found[0].id) if found else None


def _has_cells(job: Job) -> bool:
    try:
        return bool(Desk.of_job(job).update().cells)
    except StorageFailed:  # reported where it is shown
        return True


def _title() -> None:
    question(
        "What can the server see?",
        "It keeps to the protocol, and tries to get a client's images back from an upload, and to tell "
        "which image that was made of: at every budget, under several mechanisms at once.",
    )


def _asked(job: Job) -> Ladder | None:
    with contextlib.suppress(InvalidExperiment):
        return kinds.get("attack").parse(job.request)
    return None


def _start_from(workspace: Workspace, before: Ladder | None) -> Ladder:
    """Initial attack grid: the last one set or requested, else the draft's noisy mechanisms with default
    settings.
    """
    if (kept := drafts.ladder_of(workspace.id)) is not None:
        with contextlib.suppress(InvalidExperiment):
            return parse_ladder(kept | {"base": workspace.draft.base.as_json()})
    if before is not None:
        return before
    used = [experiment.mechanism for experiment in workspace.draft.experiments()]
    named = {one.name: one for one in [*used, *DEFAULT] if one.role != "identity"}
    attack = workspace.draft.base.attack
    real = attack is not None and attack.uploads != "audit"
    return Ladder(mechanisms=tuple(named.values())[:3], upload="real" if real else "audit")


def _settings_of(ladder: Ladder) -> dict[str, Any]:
    """Settings stored with a draft, so that reloads and shared links keep them."""
    return {name: value for name, value in ladder.as_json().items() if name != "base"}


def _launch(
    workspace: Workspace,
    job: Job | None,
    before: Ladder | None,
    ladder: Ladder | None,
    note: DeltaGenerator,
) -> None:
    if job is not None and job.live:
        stop_button(job, "stop attack")
        if before and ladder and ladder_changes(before, ladder):
            st.caption("The settings have changed; this attack goes on with the earlier ones.")
        return
    since = ladder_changes(before, ladder) if before and ladder else ""
    can_resume = job is not None and may_go_on(job)
    goes_on = job is not None and can_resume and before and ladder and not since
    if job is not None and goes_on:
        go_on_button(job)
    st.button(
        "Attack again" if job else "Attack",
        type="secondary" if goes_on else "primary",
        key="attack",
        help="From the beginning; what was stopped stays on the list of runs" if goes_on else None,
        disabled=ladder is None or bool(wrong := too_much("attack", ladder)),
        on_click=_press,
        args=(workspace.id,),
    )
    if not refusal() and _stale(job, before, ladder):
        with note:  # in the line of buttons its length would move the page
            back = " Set that back to go on where this one stopped."
            of_earlier_settings(since, back * bool(since and can_resume))
    if ladder is None:
        st.caption("First mend what is marked in red among the settings.")
        return
    if wrong:
        st.error(plain(wrong, 300))
        return
    if lacking := missing([ladder.base]):
        st.caption(lacking)
    if (job is None or since) and (known := rates()):
        with st.container(key=None if job or lacking else "lasts"):  # beside the button on a phone
            st.caption(takes(seconds([work_of_ladder(ladder)], known)))


def _stale(job: Job | None, before: Ladder | None, ladder: Ladder | None) -> bool:
    """Whether the shown results belong to earlier settings."""
    if job is None or job.live or ladder is None:
        return False
    return before is None or bool(ladder_changes(before, ladder))


@pressed
def _press(draft: str) -> None:
    st.session_state[PRESSED] = draft


@uncut
def _submit(draft: str, ladder: Ladder | None) -> None:
    """Launch the requested attack grid, once; nothing if its settings are invalid."""
    st.session_state.pop(PRESSED, None)
    if ladder is None:
        return
    with refusing():
        jobs.launch("attack", ladder, draft, **who())


def _watch_only(identity: str) -> None:
    _title()
    job = shared_job(identity, "attack")
    if job is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        go_on(job)
        ladder = _asked(job)
        if ladder and st.button("Copy its settings", help="To change and to attack; this one stays as it is"):
            copy = start_with(Draft(ladder.base, (Variant("run"),)))
            drafts.keep_ladder(copy.id, _settings_of(ladder))
            st.rerun()
        whose(job)
    desk_view(job)


main()
