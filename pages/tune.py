"""Tune: which ε, which τ?"""

from __future__ import annotations

import streamlit as st

from ldp_core.cost.estimate import Cost
from ldp_core.errors import InvalidExperiment, StudioError
from ldp_core.experiment import Draft, Variant
from ldp_core.experiment.sweep import Sweep
from ldp_core.runs import jobs, kinds
from ldp_core.runs.machine.calibration import rates
from ldp_core.runs.queue.job import Job
from pages.parts.runs.job_state import may_go_on, takes
from pages.parts.tune.builder import builder
from pages.parts.tune.view import asked, sweep_view
from pages.parts.ui.header import header
from pages.parts.ui.job_actions import NOT_YOURS, act, go_on_button, refusal, refuse
from pages.parts.ui.shared_cache import once
from pages.parts.ui.text import number, plain
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import visitor
from pages.parts.ui.workspace import Workspace, open_workspace, start_with
from pages.parts.watch.watch_only import go_on, shared_job, whose

PRESSED = "sweep pressed"


def main() -> None:
    if "job" in st.query_params:
        _watch_only(st.query_params["job"])
        return
    workspace = open_workspace("tune")
    found = jobs.of_draft(workspace.id, "sweep", most=1)
    job = jobs.look(found[0].id) if found else None
    header(workspace, job)
    _title()
    before = asked(job) if job else None
    buttons = st.container(horizontal=True, vertical_alignment="center")
    with st.container(key="results-first"):
        left, right = st.columns([1.1, 3.4], gap="medium")
        with left, st.container(border=True):
            st.subheader("What is swept over", anchor="axes")
            planned = builder(workspace, before)
            st.caption("Everything else stays as this draft has it.")
        if st.session_state.get(PRESSED) == workspace.id:
            # only now is it known what the fields hold that were changed in the same moment
            if planned is not None:
                _submit(workspace.id, planned)
            st.session_state.pop(PRESSED, None)
            st.rerun()
        with buttons:
            _launch(workspace, job, before, planned)
        with right:
            sweep_view(job, planned, own=True)


def _title() -> None:
    st.title("Which ε, and which τ?", anchor=False)
    st.markdown(
        "Choose two things to vary. Every combination is trained, with the same data, batches and initial "
        "model in all of them; the map fills cell by cell."
    )


def _launch(workspace: Workspace, job: Job | None, before: Sweep | None, planned: Sweep | None) -> None:
    if job is not None and job.live:
        mine, stopping = visitor().may(job.owner), job.status == "cancelling"
        st.button(
            "Stopping…" if stopping else "Stop",
            disabled=stopping or not mine,
            help=NOT_YOURS if not mine else None,
            key="stop sweep",
            on_click=act,
            args=(jobs.cancel, job.id),
        )
        refusal()
        if planned is not None and planned != before:
            st.caption("The settings have changed; this sweep goes on with the earlier ones.")
        return
    same = planned is not None and planned == before
    goes_on = job is not None and may_go_on(job) and same
    if job is not None and goes_on:
        go_on_button(job)
    wrong = _too_much(planned)
    st.button(
        "Sweep again" if job else "Sweep",
        type="secondary" if goes_on else "primary",
        key="sweep",
        disabled=planned is None or bool(wrong),
        help="Runs that are known are not trained again",
        on_click=_press,
        args=(workspace.id,),
    )
    refusal()
    if planned is None:
        st.caption("First mend what is marked in red.")
        return
    if wrong:
        st.error(plain(wrong, 300))
        return
    if job is not None and not same:
        st.caption(":orange[**The map below is of earlier settings.**]")
    if job is None or not same:
        settings = len(planned.cells) // planned.seeds
        runs = f"{number(settings, 6)} settings × {planned.seeds} seed{'s' if planned.seeds > 1 else ''} = "
        known = rates()
        took = f"; {takes(_cost(planned).seconds(known), visitor().owner)}" if known else ""
        st.caption(f"{runs}{number(len(planned.cells), 6)} runs{took}")


def _cost(planned: Sweep) -> Cost:
    return once(("cost of sweep", str(planned.as_json())), lambda: kinds.get("sweep").cost(planned))


def _too_much(planned: Sweep | None) -> str:
    """Why this sweep cannot fit on this server, if it cannot."""
    if planned is None:
        return ""

    def look() -> str:
        try:
            kinds.get("sweep").refuse_what_cannot_fit(planned)
        except InvalidExperiment as error:
            return str(error)
        return ""

    return once(("too much", str(planned.as_json())), look)


@pressed
def _press(draft: str) -> None:
    st.session_state[PRESSED] = draft


def _submit(draft: str, planned: Sweep) -> None:
    try:
        jobs.launch("sweep", planned, draft, owner=visitor().owner)
    except StudioError as error:
        refuse(error)


def _watch_only(identity: str) -> None:
    _title()
    job = shared_job(identity, "sweep")
    if job is None:
        return
    sweep = asked(job)
    with st.container(horizontal=True, vertical_alignment="center"):
        go_on(job)
        if sweep and st.button("Copy its experiment", help="To change and to sweep; this one stays as it is"):
            start_with(Draft(sweep.base, (Variant("run"),)))
            st.rerun()
        whose(job)
    sweep_view(job, None)


main()
