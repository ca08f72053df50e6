"""Tune: which ε, which τ?"""

from typing import Any, NamedTuple

import streamlit as st

from ldp_core.experiment import Draft
from ldp_core.experiment.sweep import Sweep
from ldp_core.runs import Job, jobs, kinds, rates
from ldp_core.tuning import Question
from pages.parts.runs.job_state import missing, takes
from pages.parts.runs.launching import asked_of, launch_bar, launch_if_pressed, of_earlier_settings, results
from pages.parts.systems.panel import system_panel
from pages.parts.tune.answer import answer_view
from pages.parts.tune.ask import ask
from pages.parts.tune.builder import builder
from pages.parts.tune.kept import kept
from pages.parts.tune.price import setting_line
from pages.parts.tune.ranking import best
from pages.parts.tune.view import sweep_view
from pages.parts.ui.header import header, question
from pages.parts.ui.shared_cache import once
from pages.parts.ui.text import number
from pages.parts.ui.visitor import look
from pages.parts.ui.workspace import open_workspace, start_with
from pages.parts.watch.watch_only import own_bar, shared_job


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
    titles = {name: way.title for name, way in KINDS.items()} | {"best": "Best mechanism"}
    now = kept(workspace, "what to do", newest.kind if newest else "sweep", into="default")
    if now["default"] not in titles:  # stored before that part went
        now["default"] = "sweep"
    line = st.container(horizontal=True, vertical_alignment="center", gap="medium")
    kind = line.segmented_control(
        "What to do",
        list(titles),
        required=True,
        format_func=titles.__getitem__,
        **now,
        label_visibility="collapsed",
        width="content",
    )
    if kind == "best":  # which asks for a population of its own, and needs no job
        best(workspace)
        return
    job = look(found[kind][0].id) if found[kind] else None
    before = asked_of(job)
    buttons = line.container(horizontal=True, vertical_alignment="center")
    with st.container(key="results-first"):
        left, right = st.columns([1.1, 3.4], gap="medium")
        with left, st.container(border=True):
            rest = f"Everything else stays as this draft has it: {setting_line(workspace.draft.base)}"
            st.header(KINDS[kind].heading, anchor="axes", help=rest)
            planned: Any = builder(workspace, before) if kind == "sweep" else ask(workspace, before)
        launch_if_pressed(workspace, kind, planned)
        fits = planned is not None and planned == before
        with buttons:
            if launch_bar(workspace, job, kind, planned, fits, KINDS[kind].words):
                _costs(kind, job, planned, fits)
        with right, results(job is not None and not job.live and planned is not None and not fits):
            if kind == "sweep":
                sweep_view(job, planned, own=True)
            else:
                answer_view(job, own=True)


class Way(NamedTuple):
    """One of the page's two jobs that train."""

    title: str
    heading: str
    words: tuple[str, str]
    """Verb and noun."""


KINDS = {
    "sweep": Way("Sweep over two things", "What is swept over", ("Sweep", "sweep")),
    "tune": Way("Find the least ε", "What is asked for", ("Find it", "search")),
}


def _title() -> None:
    question(
        "Which ε, and which τ?",
        "Vary two things and see the whole map; say which accuracy you need, and have the least ε found that "
        "reaches it; or rank the mechanisms by their noise. All runs share data, batches and first model.",
    )


def _costs(kind: str, job: Job | None, planned: Sweep | Question, fits: bool) -> None:
    """Draw, beside the buttons, what has to be waited for."""
    if job is not None and not fits:
        of_earlier_settings()
    if lacking := missing([planned.base]):
        st.caption(lacking)
    if not fits:
        known = rates()
        cost = once((f"cost of {kind}", str(planned.as_json())), lambda: kinds.get(kind).cost(planned))
        st.caption("; ".join([_runs(planned), *([takes(cost.seconds(known))] if known else [])]))


def _runs(planned: Sweep | Question) -> str:
    if not isinstance(planned, Sweep):
        return "usually 30 to 150 runs"
    return f"{number(len(planned.cells), 6)} runs"


def _watch_only(identity: str) -> None:
    _title()
    job = shared_job(identity, *KINDS)
    if job is None:
        return
    asked = asked_of(job)
    copy = asked and (lambda: start_with(Draft.alone(asked.base)))
    own_bar(job, copy, "Copy its experiment", "To change")
    if job.kind == "sweep":
        sweep_view(job, None)
    else:
        answer_view(job)


main()
