"""The free field of a lesson, and results of runs with other values."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

import streamlit as st

from ldp_core import aggregators, mechanisms, presets
from ldp_core.accounting import AGAINST, word_of
from ldp_core.classroom import FREE
from ldp_core.errors import InvalidExperiment, StorageFailed, UnknownJob
from ldp_core.experiment import Draft, Variant, checked, with_fit
from ldp_core.runs import Final, final_figures, progress_of
from pages.parts.ui.shared_cache import Moment, job_now, once
from pages.parts.ui.text import at_most, number, percent, plain

PARTS: dict[str, Mapping[str, str]] = {
    "aggregator.name": aggregators.registry.labels(),
    "mechanism.name": mechanisms.offered(),
}
NUMBERS: dict[str, tuple[list[float], str]] = {
    "clients.epsilon": ([0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64], "ε %s"),
    "clients.range": ([0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5], "±%s"),
    "rounds": ([1, 5, 10, 15, 30, 60, 100], "%s rounds"),
}
SENT = {"weights": "the model's weights", "update": "what changed in them"}
"""What a range is of, by target."""


def field(scenario: str, free: str, key: str) -> tuple[Any, str]:
    """Draw the widget of a free field (see `FREE`), set to a value that the scenario does not have; returns
    its value and the value's name.
    """
    first = first_new(scenario, free)
    label = f"{FREE[free][:1].upper()}{FREE[free][1:]}"
    if free == "clients.range":
        label += f", for {SENT.get(presets.get(scenario).draft.base.target, 'what is sent')}"
    if free in PARTS:
        labels = PARTS[free]
        chosen = st.selectbox(label, list(labels), index=first, format_func=labels.__getitem__, key=key)
        return chosen, labels[chosen]
    values, words = NUMBERS[free]
    named = {one: (words % f"{one:g}").removesuffix("s" * (one == 1)) for one in values}
    value = st.select_slider(label, values, value=values[first], format_func=named.__getitem__, key=key)
    return value, named[value]


@cache
def first_new(scenario: str, free: str) -> int:
    """Place of a value that makes another run than each of the scenario's: of numbers the nearest to the
    middle, else the first; 0 without any.
    """
    values = list(PARTS[free]) if free in PARTS else NUMBERS[free][0]
    middle = 0 if free in PARTS else len(values) // 2
    known = presets.get(scenario).draft.experiments()
    for place in sorted(range(len(values)), key=lambda one: abs(one - middle)):
        with suppress(InvalidExperiment):
            (made,) = draft_of(scenario, free, values[place], "new").experiments()
            if made not in known:
                return place
    return 0


def draft_of(scenario: str, free: str, value: Any, called: str) -> Draft:
    """The scenario's base with one field set, as a single run; raises `InvalidExperiment`."""
    prepared = presets.get(scenario).draft
    draft = prepared.with_base(with_fit(prepared.base, {free: value}))
    return checked(replace(draft, variants=(Variant(called, {}),)))


def final_of(identity: str) -> Final | None:
    """Final figures of a job with one variant; None unless it is completed."""
    try:
        job = job_now(identity)
        if job.live or job.status != "completed":
            return None
        return once(
            ("final of one", identity),
            lambda: next(iter(final_figures.finals(progress_of(job).update().runs)), None),
            Moment(identity, job.status, 0),
        )
    except (UnknownJob, StorageFailed, InvalidExperiment):
        return None


def result_line(called: str, found: Final | None) -> None:
    """Draw a line on a run: accuracy and ε, or that it trains."""
    name = plain(called, 40)
    if found is None:
        st.caption(f"{name}: training …")
    elif found.accuracy is None:
        st.caption(f"{name}: it diverged")
    else:
        st.markdown(f"{name}: **{percent(found.accuracy)}**; {price(found)}")


def price(found: Final) -> str:
    """ε of the whole run for the client with the weakest guarantee, and its worth."""
    if found.epsilon is None:
        return "no guarantee for the whole run: promises nothing"
    delta = f" (δ\u00a0{number(found.delta)})" if found.delta else ""
    promises = f"{AGAINST[found.against]}: promises {word_of(found.epsilon)}"
    return f"ε {at_most(found.epsilon)}{delta} for the whole run against {promises}"
