"""Tabs below Train's charts, drawn when opened."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from ldp_core.experiment import Draft
from ldp_core.runs import Job
from pages.parts.runs.job_state import diverged_lines
from pages.parts.runs.take_away import take_away
from pages.parts.train.attributes import RULE, attributes_of_runs, is_table, of_rows
from pages.parts.train.heard import heard
from pages.parts.train.ledger_panel import ledger_section, spent_so_far
from pages.parts.train.measured_bar import measured_section
from pages.parts.train.standings import standings
from pages.parts.ui.polling import pace, refreshing
from pages.parts.ui.scenario import at_a_glance, preset_of
from pages.parts.ui.text import plain
from pages.parts.watch.live import LiveView, seen, settings_of
from pages.parts.watch.report import report
from pages.parts.watch.trio import chance_of

SETTINGS = "Settings"
Lesson = tuple[str, ...]
Draw = Callable[[LiveView, Lesson], None]


def more(draft: Draft, job: Job | None, lesson: Lesson, settings: Callable[[], None] | None = None) -> None:
    """Draw the tabs; `settings` draws the fields, if changes are allowed."""
    drawn = DRAWN | ({ATTRIBUTES: _attributes} if is_table(draft.base.dataset) else {})
    names = [*([SETTINGS] if settings else []), *drawn]
    tabs = dict(zip(names, st.tabs(names, key="more", on_change="rerun"), strict=True))
    if settings:
        with tabs[SETTINGS]:  # always on the page: what stands typed in a field is not lost with its tab
            settings()
    recorded = settings_of(job, say=False) if job else draft
    for name, draw in drawn.items():
        if not tabs[name].open or recorded is None:
            continue
        with tabs[name], st.container(key="results-behind"):
            if name == PROMISED:
                ledger_section(recorded, partial(_measured, job) if job else None)
            if job is None:
                preset = preset_of(draft) if name == WORDS else None
                if preset and preset.draft == draft:
                    st.markdown(at_a_glance(preset))
                if name != PROMISED:
                    st.caption("Nothing is trained yet: press Train.")
                continue
            if job.live and name == WORDS:  # nothing new until the whole page is drawn again, at the end
                st.caption("What the runs show follows when they have ended.")
                continue
            every = pace() if job.live else None
            refreshing(_watch, every)(job.id, every, lesson, draw)


def _watch(identity: str, every: float | None, lesson: Lesson, draw: Draw) -> None:
    if now := seen(identity, live=every is not None, say=False):  # the charts above say why not
        draw(now, lesson)


def _in_words(now: LiveView, lesson: Lesson) -> None:
    """Draw how the runs stand at their end, and the scenario's sentences."""
    status = now.job.status
    stand = " ".join(standings(now.shown, now.reference, chance_of(now.shown), status != "completed"))
    learned = " ".join(lesson) if status == "completed" else ""
    figures, taught = of_rows((stand, plain(learned, 2000)), now.draft.base.dataset)
    if taught:
        st.markdown(taught)
    if figures:
        with st.expander("The figures behind it", expanded=not taught):
            st.markdown(figures)
    diverged_lines(now.job, now.shown, known=now.reference is not None)
    with st.container(horizontal=True):
        take_away(now.job, now.draft.base.name, "train", report)


def _served(now: LiveView, _: Lesson) -> None:
    if not any(one.round for one in now.shown):
        st.caption("No round has ended yet.")
    heard(now.shown)


def _measured(job: Job) -> None:
    if now := seen(job.id, job.live, say=False):
        measured_section(now.draft, now.shown)


def _spent(now: LiveView, _: Lesson) -> None:
    spent_so_far(now.shown, now.job.live)


def _attributes(now: LiveView, _: Lesson) -> None:
    attributes_of_runs(now.shown, now.draft.base.dataset)
    st.caption(RULE)


WORDS, PROMISED, ATTRIBUTES = "In words", "What is promised", "Attribute by attribute"
DRAWN: dict[str, Draw] = {
    WORDS: _in_words,
    "Whom it serves": _served,
    PROMISED: _spent,
}
