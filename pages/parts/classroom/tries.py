"""What students try when one thing is free, and the board of what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from ldp_core import aggregators, mechanisms, presets
from ldp_core.classroom import FREE, Session, Try
from ldp_core.errors import InvalidExperiment, StorageFailed, UnknownJob
from ldp_core.experiment import Draft, Variant, checked, with_fit
from ldp_core.runs.view.final_figures import Final, finals
from ldp_core.runs.view.run_progress import progress_of
from pages.parts.classroom.figures import Dot
from pages.parts.ui.shared_cache import Moment, job_now, once

PARTS: dict[str, Mapping[str, str]] = {
    "aggregator.name": aggregators.registry.labels(),
    "mechanism.name": mechanisms.registry.labels(),
}
NUMBERS: dict[str, tuple[list[float], str]] = {
    "clients.epsilon": ([0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64], "ε %s"),
    "clients.range": ([0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5], "±%s"),
    "rounds": ([1, 5, 10, 15, 30, 60, 100], "%s rounds"),
}


def field(session: Session) -> tuple[Any, str]:
    """The one field that is free; returns its value and how it is called."""
    label = FREE[session.free].capitalize()
    key = f"try {session.code} {session.scenario} {session.free}"
    if session.free in PARTS:
        labels = PARTS[session.free]
        chosen = st.selectbox(label, list(labels), format_func=labels.__getitem__, key=key)
        return chosen, labels[chosen]
    values, words = NUMBERS[session.free]
    value = st.select_slider(
        label, values, value=values[len(values) // 2], format_func=lambda one: words % f"{one:g}", key=key
    )
    return value, words % f"{value:g}"


def draft_of(session: Session, value: Any, called: str) -> Draft:
    """The scenario's base with one field set, as a single run.

    Raises:
        InvalidExperiment: the value does not go with the rest.
    """
    prepared = presets.get(session.scenario).draft
    changes: dict[str, Any] = {session.free: value}
    if session.free == "clients.range":
        changes |= {"clients.low": None, "clients.high": None}
    draft = prepared.with_base(with_fit(prepared.base, changes))
    return checked(replace(draft, variants=(Variant(called, {}),)))


def dots(tries: Sequence[Try]) -> list[Dot]:
    """Completed tries with their final figures."""
    return [Dot(one.name, one.value, one.job, found) for one in tries if (found := _final(one.job))]


def _final(identity: str) -> Final | None:
    try:
        job = job_now(identity)
        if job.live or job.status != "completed":
            return None
        return once(
            ("class final", identity),
            lambda: next(iter(finals(progress_of(job).update().runs)), None),
            Moment(identity, job.status, 0),
        )
    except (UnknownJob, StorageFailed, InvalidExperiment):
        return None
