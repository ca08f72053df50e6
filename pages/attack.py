"""Attack: what can the server see?"""

import contextlib
from typing import Any

import streamlit as st

from ldp_core.cost.seconds import seconds, work_of_ladder
from ldp_core.errors import InvalidExperiment, StorageFailed
from ldp_core.experiment import Draft
from ldp_core.experiment.attack import HONEST
from ldp_core.experiment.attack_grid import DEFAULT, Ladder, parse_ladder
from ldp_core.runs import Desk, Job, drafts, jobs, rates
from pages.parts.attack.saved_upload import saved_upload
from pages.parts.attack.settings import asks_same, settings
from pages.parts.attack.view import desk_view
from pages.parts.attack.words import ASKED, TRIES
from pages.parts.runs.job_state import may_go_on, missing, takes
from pages.parts.runs.launching import asked_of, launch_bar, launch_if_pressed, of_earlier_settings, results
from pages.parts.systems.panel import system_panel
from pages.parts.ui.header import header, question
from pages.parts.ui.visitor import look
from pages.parts.ui.workspace import Workspace, open_workspace, start_with
from pages.parts.watch.watch_only import own_bar, shared_job


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
    before = asked_of(job)
    with st.container(key="results-first"):
        left, right = st.columns([1.1, 3.4], gap="medium")
        with left, st.container(border=True):
            start = _start_from(workspace, before)
            ladder = settings(workspace, start)
            if ladder is not None and _settings_of(ladder) != _settings_of(start):
                drafts.keep_ladder(workspace.id, _settings_of(ladder))
        launch_if_pressed(workspace, "attack", ladder)
        fits = bool(before and ladder and asks_same(before, ladder))
        with buttons:
            ready = launch_bar(workspace, job, "attack", ladder, fits, ("Attack", "attack"))
            if ladder is not None and ready:
                _costs(job, ladder, fits)
        stale = job is not None and not job.live and ladder is not None and not fits
        with right:
            if job is not None and stale:  # in the line of buttons its length would move the page
                back = " Set that back to go on where this one stopped."
                of_earlier_settings(more=back if may_go_on(job) else "")
            with results(stale):
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
    question(ASKED, TRIES)


def _start_from(workspace: Workspace, before: Ladder | None) -> Ladder:
    """Initial attack grid: the last one set or requested, else a grid of the draft's noisy mechanisms."""
    if (kept := drafts.ladder_of(workspace.id)) is not None:
        with contextlib.suppress(InvalidExperiment):
            return parse_ladder(kept | {"base": workspace.draft.base.as_json()})
    if before is not None:
        return before
    used = [experiment.mechanism for experiment in workspace.draft.experiments()]
    named = {one.name: one for one in [*used, *DEFAULT] if one.role != "identity"}
    attack = workspace.draft.base.attack
    real = attack is not None and attack.uploads != "audit"
    server = attack.server if attack and real else HONEST
    return Ladder(mechanisms=tuple(named.values())[:3], upload="real" if real else "audit", server=server)


def _settings_of(ladder: Ladder) -> dict[str, Any]:
    """Settings stored with a draft, so that reloads and shared links keep them."""
    return {name: value for name, value in ladder.as_json().items() if name != "base"}


def _costs(job: Job | None, ladder: Ladder, fits: bool) -> None:
    """Draw, beside the buttons, what has to be waited for."""
    if lacking := missing([ladder.base]):
        st.caption(lacking)
    if not (job and fits) and (known := rates()):
        with st.container(key=None if job or lacking else "lasts"):  # beside the button on a phone
            st.caption(takes(seconds([work_of_ladder(ladder)], known)))


def _watch_only(identity: str) -> None:
    _title()
    job = shared_job(identity, "attack")
    if job is None:
        return
    ladder = asked_of(job)

    def copy() -> None:
        copied = start_with(Draft.alone(ladder.base))
        drafts.keep_ladder(copied.id, _settings_of(ladder))

    own_bar(job, copy if ladder else None, "Copy its settings", "To change and to attack")
    desk_view(job)


main()
