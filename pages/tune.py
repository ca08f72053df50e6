"""Tune: which ε, which τ?"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from ldp_core.cost.estimate import Cost
from ldp_core.errors import UnknownJob
from ldp_core.experiment import Draft, Variant
from ldp_core.experiment.sweep import Sweep
from ldp_core.runs import Job, jobs, kinds, rates
from ldp_core.tuning import Question
from pages.parts.runs.earlier import of_earlier_settings, results
from pages.parts.runs.job_state import may_go_on, missing, takes
from pages.parts.systems.panel import system_panel
from pages.parts.tune.answer import answer_view, question_of
from pages.parts.tune.ask import ask
from pages.parts.tune.builder import builder
from pages.parts.tune.formulas import formulas
from pages.parts.tune.kept import kept
from pages.parts.tune.limits import limits
from pages.parts.tune.price import setting_line
from pages.parts.tune.ranking import best
from pages.parts.tune.view import asked, sweep_view
from pages.parts.ui.header import header, question
from pages.parts.ui.job_actions import go_on_button, refusal, refusing, stop_button, too_much
from pages.parts.ui.shared_cache import once
from pages.parts.ui.text import number, plain
from pages.parts.ui.uninterrupted import pressed, uncut
from pages.parts.ui.visitor import look, who
from pages.parts.ui.workspace import Workspace, open_workspace, start_with
from pages.parts.watch.watch_only import go_on, shared_job, whose

PRESSED = "sweep pressed"


def main() -> None:
    if "job" in st.query_params:
        _watch_only(st.query_params["job"])
        return
    workspace = open_workspace("tune")
    found = {kind: jobs.of_draft(workspace.id, kind, most=1) for kind in KINDS}
    newest = max((job for one in found.values() for job in one), key=lambda job: job.created, default=None)
    with header(workspace, look(newest.id) if newest else None):
        system_panel(workspace)
    _title()
    titles = {name: way.title for name, way in KINDS.items()} | {
        name: one[0] for name, one in BY_FORMULA.items()
    }
    line = st.container(horizontal=True, vertical_alignment="center", gap="medium")
    kind = line.segmented_control(
        "What to do",
        list(titles),
        required=True,
        format_func=titles.__getitem__,
        **kept(workspace, "what to do", newest.kind if newest else "sweep", into="default"),
        label_visibility="collapsed",
        width="content",
    )
    if kind != "best":  # which asks for a population of its own
        st.caption(setting_line(workspace.draft.base))
    if kind in BY_FORMULA:
        BY_FORMULA[kind][1](workspace)
        return
    job = look(found[kind][0].id) if found[kind] else None
    before = _asked(kind, job) if job else None
    buttons = line.container(horizontal=True, vertical_alignment="center")
    with st.container(key="results-first"):
        left, right = st.columns([1.1, 3.4], gap="medium")
        with left, st.container(border=True):
            st.header(KINDS[kind].heading, anchor="axes")
            planned: Any = builder(workspace, before) if kind == "sweep" else ask(workspace, before)
            st.caption("Everything else stays as this draft has it.")
        if st.session_state.get(PRESSED) == (workspace.id, kind):
            # only now is it known what the fields hold that were changed in the same moment
            _submit(kind, workspace.id, planned)
            st.rerun()
        with buttons:
            _launch(kind, workspace, job, before, planned)
        stale = job is not None and not job.live and planned is not None and planned != before
        with right, results(stale):
            if kind == "sweep":
                sweep_view(job, planned, own=True)
            else:
                answer_view(job, partial(_submit, "tune", workspace.id))


class Way(NamedTuple):
    """One of the page's two jobs that train."""

    title: str
    heading: str
    verb: str
    noun: str


KINDS = {
    "sweep": Way("Sweep over two things", "What is swept over", "Sweep", "sweep"),
    "tune": Way("Find the least ε", "What is asked for", "Find it", "search"),
}
BY_FORMULA: dict[str, tuple[str, Callable[[Workspace], None]]] = {
    "formulas": ("ε for a noise", formulas),
    "limits": ("What limits cost", limits),
    "best": ("Best mechanism", best),
}
"""Title and drawing function of each part that needs no job."""


def _asked(kind: str, job: Job) -> Any:
    return asked(job) if kind == "sweep" else question_of(job)


def _title() -> None:
    question(
        "Which ε, and which τ?",
        "Vary two things and see the whole map; say which accuracy you need, and have the least ε found that "
        "reaches it; or read the formulas backwards. All runs share data, batches and the initial model.",
    )


def _launch(kind: str, workspace: Workspace, job: Job | None, before: Any, planned: Any) -> None:
    way = KINDS[kind]
    if job is not None and job.live:
        stop_button(job, f"stop {kind}")
        if planned is not None and planned != before:
            st.caption(f"The settings have changed; this {way.noun} goes on with the earlier ones.")
        return
    same = planned is not None and planned == before
    goes_on = job is not None and may_go_on(job) and same
    if job is not None and goes_on:
        go_on_button(job)
    wrong = _too_much(kind, planned)
    st.button(
        f"{way.verb} again" if job else way.verb,
        type="secondary" if goes_on else "primary",
        key=f"start {kind}",
        disabled=planned is None or bool(wrong),
        on_click=_press,
        args=(workspace.id, kind),
    )
    refusal()
    if planned is None:
        st.caption("First mend what is marked in red.")
        return
    if wrong:
        st.error(plain(wrong, 300))
        return
    if job is not None and not same:
        of_earlier_settings()
    if lacking := missing([planned.base]):
        st.caption(lacking)
    if job is None or not same:
        known = rates()
        took = [takes(_cost(kind, planned).seconds(known))] if known else []
        st.caption("; ".join([_runs(planned), *took]))


def _runs(planned: Sweep | Question) -> str:
    if not isinstance(planned, Sweep):
        return "usually 80 to 250 runs"
    settings, seeds = len(planned.cells) // planned.seeds, planned.seeds
    each = f"{number(settings, 6)} settings × {seeds} seed{'s' if seeds > 1 else ''}"
    return f"{each} = {number(len(planned.cells), 6)} runs"


def _cost(kind: str, planned: Any) -> Cost:
    return once((f"cost of {kind}", str(planned.as_json())), lambda: kinds.get(kind).cost(planned))


def _too_much(kind: str, planned: Any) -> str:
    """Why the job exceeds this server's limits; "" if it does not."""
    if planned is None:
        return ""
    return once((f"too much of {kind}", str(planned.as_json())), lambda: too_much(kind, planned))


@pressed
def _press(draft: str, kind: str) -> None:
    st.session_state[PRESSED] = draft, kind


@uncut
def _submit(kind: str, draft: str, planned: Any) -> None:
    """Launch the requested job, once; nothing if its settings are invalid."""
    st.session_state.pop(PRESSED, None)
    if planned is None:
        return
    with refusing():
        jobs.launch(kind, planned, draft, **who())


def _watch_only(identity: str) -> None:
    _title()
    kind = "sweep"
    with suppress(UnknownJob):
        kind = "tune" if look(identity).kind == "tune" else "sweep"
    job = shared_job(identity, kind)
    if job is None:
        return
    known = _asked(kind, job)
    with st.container(horizontal=True, vertical_alignment="center"):
        go_on(job)
        if known and st.button("Copy its experiment", help="To change; this one stays as it is"):
            start_with(Draft(known.base, (Variant("run"),)))
            st.rerun()
        whose(job)
    if kind == "sweep":
        sweep_view(job, None)
    else:
        answer_view(job)


main()
