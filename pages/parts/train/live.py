"""A job as it goes: its state, the three panels, the ledger, and what happened."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ldp_core.errors import InvalidExperiment, StorageFailed
from ldp_core.experiment import Draft, parse_draft
from ldp_core.experiment.threat_model import spies, why_not
from ldp_core.presets.claims import Lesson
from ldp_core.presets.claims import told as lesson_told
from ldp_core.runs.queue.job import Job
from ldp_core.runs.view.outcomes import evidence
from ldp_core.runs.view.run_progress import progress_of
from ldp_core.theory import server_noise
from pages.parts.charts.rounds import accuracy_figure, noise_figure
from pages.parts.charts.series import Series, announced, series
from pages.parts.runs.job_state import is_gone, job_state
from pages.parts.train.attack_rounds import attack_rounds
from pages.parts.train.findings import findings
from pages.parts.train.heard import heard
from pages.parts.train.help import how_to_read
from pages.parts.train.ledger_panel import ledger_section, spent_so_far
from pages.parts.train.server_panel import MOST_COLUMNS, UPLOADS, perturbed, server_panel, uploads_in
from pages.parts.ui import components
from pages.parts.ui.fragments import pace, refreshing
from pages.parts.ui.shared_cache import PAUSE_SECONDS, Moment, look_again, once, watched
from pages.parts.ui.text import number, plain

ASSETS = Path(__file__).parents[3] / "assets"
VIEWS = {True: "closest reconstructions", False: "newest"}


def live_view(
    draft: Draft, job: Job | None, lesson: Lesson = (), own: bool = False, stale: bool = False
) -> None:
    """A job, refreshed while it runs; or what to expect of the draft, before there is one.

    Args:
        draft: what the page holds.
        job: what it shows.
        lesson: what a prepared scenario is meant to show, told once its runs have ended, as far as they do.
        own: whether other jobs of the job's draft belong on this page, too.
        stale: whether the page holds other settings by now.
    """
    if stale:
        st.html(ASSETS / "stale.css")
    with st.container(key="results"):
        _live_view(draft, job, lesson, own, stale)


def _live_view(draft: Draft, job: Job | None, lesson: Lesson, own: bool, stale: bool) -> None:
    if job is None:
        refreshing(_before)(draft)
        ledger_section(draft)
    elif recorded := settings_of(job):
        live = job.live
        every = pace() if live else None
        refreshing(_watch, every)(job.id, every, lesson, stale)
        look_again(job, own)
        ledger_section(recorded)


def _before(draft: Draft) -> None:
    """What to expect, in the places that a job's own lines and charts will take: so nothing moves then."""
    state, view = _lines()
    with state:
        st.caption("Not trained yet. What theory expects is drawn already.")
    with view:
        how_to_read()
    expected = _panels(draft, [], None, Pictured([]), empty=_expected(draft))
    components.panels(components.packed(expected), key="panels")


def _lines() -> tuple[DeltaGenerator, DeltaGenerator]:
    """The places for a job's state and for what may be chosen to see, on one line of one height."""
    with st.container(key="state-line"):
        state, view = st.columns([2, 1.7], vertical_alignment="center")
    return state, view.container(horizontal=True, vertical_alignment="center")


def settings_of(job: Job) -> Draft | None:
    """What a job was launched with; None, and a word on the page, if that means nothing any more."""
    try:
        return once(("settings", job.id), lambda: parse_draft(job.request["draft"]))
    except InvalidExperiment as error:
        st.error(f"This run cannot be shown, as its settings no longer fit: {plain(str(error), 300)}.")
        return None


def _watch(identity: str, every: float | None, lesson: Lesson, stale: bool = False) -> None:
    """The part that refreshes itself; the whole page is drawn again when the job ends."""
    job = watched(identity, live=every is not None)
    if job is None:
        st.info("This run has been deleted.")
        return
    pace()  # who looks is counted; whoever comes later asks less often
    draft = settings_of(job)
    if draft is None:
        return
    try:
        progress = progress_of(job.folder).update(PAUSE_SECONDS if job.live else 0.0)
    except StorageFailed as error:
        st.error(f"The record of this run is damaged: {plain(str(error), 300)}.")
        return
    shown, reference = series(progress, draft)
    state, view = _lines()
    with state.container(gap=None):
        job_state(job, draft, progress, shown)
        if stale and not job.live:
            st.caption(":orange[**Of earlier settings**, so drawn faintly; point at it to see it in full.]")
    with view:
        pictured = _pictured(shown)
        how_to_read(shown)
    moment = Moment(job.id, job.status, progress.seq)
    seen = (pictured.upload, pictured.worst, *(one.number for one in pictured.shown))
    empty = _nothing_yet(job, draft, shown)
    components.panels(
        once(
            ("panels", job.id, seen, empty),
            lambda: components.packed(_panels(draft, shown, reference, pictured, empty)),
            moment,
        ),
        key="panels",
    )
    attack_rounds(draft, shown, pictured.upload, moment)
    if not job.live:
        told = findings(shown, reference, _chance(shown), stopped=job.status != "completed")
        learned = lesson_told(lesson, evidence(progress.runs)) if job.status == "completed" else ""
        if told:
            st.info("\n\n".join(filter(None, (told, plain(learned, 2000)))))
    spent_so_far(shown, job.live)
    heard(shown, moment)


@dataclass(frozen=True)
class Pictured:
    """Whose reconstructions are shown, of which kind of upload, and the closest or the newest."""

    shown: list[Series]
    upload: str = "audit"
    worst: bool = True


def _pictured(shown: list[Series]) -> Pictured:
    """As the viewer chooses."""
    attacked = [one for one in shown if one.runs[0].tries]
    if not attacked:
        return Pictured([])
    kinds = uploads_in(attacked)
    # one image is attacked unless something else is asked for: whoever asks for more wants to see that
    upload = (
        kinds[0]
        if len(kinds) == 1
        else _one_of("Uploads shown", {kind: UPLOADS[kind] for kind in kinds}, kinds[-1])
    )
    worst = _one_of("Reconstructions shown", VIEWS)
    if len(attacked) <= MOST_COLUMNS:
        return Pictured(attacked, upload, worst)
    names = {one.number: one.label for one in attacked}
    chosen = st.multiselect(
        "Runs whose reconstructions are shown",
        list(names),
        default=_first_shown(attacked),
        max_selections=MOST_COLUMNS,
        format_func=names.__getitem__,
        key="pictured",
        label_visibility="collapsed",
        placeholder="choose up to three runs",
    )
    return Pictured([one for one in attacked if one.number in chosen], upload, worst)


def _first_shown(attacked: list[Series]) -> list[int]:
    """Of many, those that are shown unless the viewer chooses: the last, or what is without noise and the
    next ones, as all others are held against that."""
    exact = [one.number for one in attacked if not perturbed(one)]
    if not exact:
        return [one.number for one in attacked[-MOST_COLUMNS:]]
    others = [one.number for one in attacked if one.number not in exact]
    return sorted([*exact, *others][:MOST_COLUMNS])


def _one_of(title: str, options: dict[Any, str], first: Any = None) -> Any:
    """One of two views; `first`, or the first of them, unless the viewer chooses."""
    return st.segmented_control(
        title,
        list(options),
        default=next(iter(options)) if first is None else first,
        required=True,
        format_func=options.__getitem__,
        key=title.lower(),
        label_visibility="collapsed",
    )


def _expected(draft: Draft) -> str:
    """What the server's panel says before anything was launched."""
    experiments = draft.experiments()
    if any(spies(experiment) for experiment in experiments):
        return "press Train, and the server's view appears here"
    why = next((why for experiment in experiments if (why := why_not(experiment))), "")
    return f"nothing is attacked here: {why}" if why else "no attack in this experiment"


def _nothing_yet(job: Job, draft: Draft, shown: list[Series]) -> str:
    """What the server's panel says while it has no image."""
    if is_gone(job):
        return "there is nothing left to show"
    notes = [note for one in shown for run in one.runs if (note := run.start.get("attack_note"))]
    if notes and not any(run.targets for one in shown for run in one.runs):
        return f"nothing is attacked here: {notes[0]}"
    if not any(spies(experiment) for experiment in draft.experiments()):
        return _expected(draft)
    if job.status == "queued":
        return "waiting for its turn"
    return "waiting for the first upload" if job.live else "nothing was uploaded"


def _panels(
    draft: Draft,
    shown: list[Series],
    reference: Series | None,
    pictured: Pictured,
    empty: str,
) -> dict[str, Any]:
    """The data of the three panels."""
    rounds = draft.base.rounds
    expected = {}
    if all(one.round == 0 for one in shown):
        expected = {i: server_noise(e).heard for i, e in enumerate(draft.experiments())}
    lines = shown or announced(draft)
    seeds = max((len(one.runs) for one in shown), default=draft.seeds)
    return {
        "accuracy": {
            "title": "Accuracy",
            "subtitle": "on held-out images" + (f"; band: {seeds} seeds" if seeds > 1 else ""),
            "figure": components.written(accuracy_figure(shown, rounds, _chance(shown), reference)),
            "label": _told("Accuracy by round", shown, "accuracy"),
        },
        "noise": {
            "title": "Noise variance per weight",
            "subtitle": _noise_words(shown, expected),
            "figure": components.written(noise_figure(lines, rounds, expected)),
            "label": _told("Noise variance per weight by round", shown, "noise_variance"),
        },
        "server": server_panel(pictured.shown, pictured.upload, pictured.worst, empty),
    }


def _noise_words(shown: list[Series], expected: dict[int, float]) -> str:
    """What the lines of the noise chart are."""
    if not shown or expected:
        none = bool(expected) and not any(expected.values())
        return "no noise is added" if none else "dashed: predicted, for weights in mid-range"
    if not any(one.final("noise_variance").any() for one in shown):
        return "no noise is added; dotted: signal"
    return "line: measured; dots: by the round's own weights; dotted: signal"


def _told(title: str, shown: list[Series], curve: str) -> str:
    """A chart in words, for those who cannot see it."""
    ends = [(one.label, one.final(curve)) for one in shown]
    values = "; ".join(f"{label}: {number(values.mean())}" for label, values in ends if len(values))
    return f"{title}. {values or 'No values yet'}."


def _chance(shown: list[Series]) -> float | None:
    starts = [run.start for one in shown for run in one.runs if run.start]
    return float(starts[0]["chance"]) if starts else None
