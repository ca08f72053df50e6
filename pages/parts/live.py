"""A job as it goes: its state, the three panels, the ledger, and what happened."""

from __future__ import annotations

import json

import streamlit as st

from ldp_core.errors import InvalidExperiment, StorageFailed, UnknownJob
from ldp_core.experiment import Draft, parse_draft
from ldp_core.runs import jobs
from ldp_core.runs.queue import Job
from ldp_core.theory import server_variance
from pages.parts import components
from pages.parts.findings import findings
from pages.parts.heard import heard
from pages.parts.help import how_to_read
from pages.parts.job_state import job_state, progress_of
from pages.parts.ledger_panel import ledger_section, spent_so_far
from pages.parts.live_charts import accuracy_figure, noise_figure
from pages.parts.series import Series, announced, series
from pages.parts.server_panel import MOST_COLUMNS, server_panel
from pages.parts.text import number, plain

POLL_SECONDS = 0.5
VIEWS = {True: "closest reconstructions", False: "newest"}


def live_view(draft: Draft, job: Job | None, lesson: str = "") -> None:
    """A job, refreshed while it runs; or what to expect of the draft, before there is one.

    `lesson` is what a prepared scenario is meant to show, told once its runs have ended.
    """
    if job is None:
        _panels(draft, [], None, [], True, empty="press Train, and the server's view appears here")
        ledger_section(draft)
    elif recorded := settings_of(job):
        live = job.live
        st.fragment(_watch, run_every=POLL_SECONDS if live else None)(job.id, live, lesson)
        ledger_section(recorded)


def settings_of(job: Job) -> Draft | None:
    """What a job was launched with; None, and a word on the page, if that means nothing any more."""
    try:
        return parse_draft(job.request["draft"])
    except InvalidExperiment as error:
        st.error(f"This run cannot be shown, as its settings no longer fit: {plain(str(error), 300)}.")
        return None


def _watch(identity: str, was_live: bool, lesson: str) -> None:
    """The part that refreshes itself; once the job has ended, the whole page is drawn once more."""
    try:
        job = jobs.look(identity)
    except UnknownJob:
        st.info("This run has been deleted.")
        return
    if was_live and not job.live:
        st.rerun()
    draft = settings_of(job)
    if draft is None:
        return
    try:
        progress = progress_of(job.folder).update()
    except StorageFailed as error:
        st.error(f"The record of this run is damaged: {plain(str(error), 300)}.")
        return
    shown, reference = series(progress, draft)
    state, view = st.columns([3, 1.5], vertical_alignment="center")
    with state:
        job_state(job, draft, progress, shown)
    with view:
        pictured, worst = _pictured(shown)
        how_to_read()
    _panels(draft, shown, reference, pictured, worst, empty=_nothing_yet(job, draft))
    told = findings(shown, reference, _chance(shown), stopped=job.status != "completed")
    if not job.live and told:
        st.info(f"{told}\n\n{lesson}" if lesson and job.status == "completed" else told)
    spent_so_far(shown)
    heard(shown)


def _pictured(shown: list[Series]) -> tuple[list[Series], bool]:
    """Whose reconstructions are shown, and whether the closest or the newest."""
    attacked = [one for one in shown if one.runs[0].images]
    if not attacked:
        return [], True
    worst = st.segmented_control(
        "Reconstructions shown",
        list(VIEWS),
        default=True,
        required=True,
        format_func=VIEWS.__getitem__,
        key="reconstructions",
        label_visibility="collapsed",
    )
    if len(attacked) <= MOST_COLUMNS:
        return attacked, worst
    names = {one.number: one.label for one in attacked}
    chosen = st.multiselect(
        "Runs whose reconstructions are shown",
        list(names),
        default=list(names)[-MOST_COLUMNS:],
        max_selections=MOST_COLUMNS,
        format_func=names.__getitem__,
        key="pictured",
        label_visibility="collapsed",
        placeholder="choose up to three runs",
    )
    return [one for one in attacked if one.number in chosen], worst


def _nothing_yet(job: Job, draft: Draft) -> str:
    """What the server's panel says while it has no image."""
    if not any(experiment.attacked for experiment in draft.experiments()):
        return "no attack in this experiment"
    if job.status == "queued":
        return "waiting for its turn"
    return "waiting for the first upload" if job.live else "nothing was uploaded"


def _panels(
    draft: Draft,
    shown: list[Series],
    reference: Series | None,
    pictured: list[Series],
    worst: bool,
    empty: str,
) -> None:
    rounds = draft.base.rounds
    expected = {}
    if all(one.round == 0 for one in shown):
        expected = {i: server_variance(e) for i, e in enumerate(draft.experiments())}
    lines = shown or announced(draft)
    seeds = max((len(one.runs) for one in shown), default=draft.seeds)
    components.panels(
        {
            "accuracy": {
                "title": "Accuracy",
                "subtitle": "on held-out images" + (f"; band: {seeds} seeds" if seeds > 1 else ""),
                "figure": json.dumps(accuracy_figure(shown, rounds, _chance(shown), reference)),
                "label": _told("Accuracy by round", shown, "accuracy"),
            },
            "noise": {
                "title": "Noise variance per weight",
                "subtitle": "line: measured; open dots: predicted; dotted: signal"
                if shown and not expected
                else "dashed: predicted, for weights in mid-range",
                "figure": json.dumps(noise_figure(lines, rounds, expected)),
                "label": _told("Noise variance per weight by round", shown, "noise_variance"),
            },
            "server": server_panel(pictured, worst, empty),
        },
        key="panels",
    )


def _told(title: str, shown: list[Series], curve: str) -> str:
    """A chart in words, for those who cannot see it."""
    ends = [(one.label, one.final(curve)) for one in shown]
    values = "; ".join(f"{label}: {number(values.mean())}" for label, values in ends if len(values))
    return f"{title}. {values or 'No values yet'}."


def _chance(shown: list[Series]) -> float | None:
    starts = [run.start for one in shown for run in one.runs if run.start]
    return float(starts[0]["chance"]) if starts else None
