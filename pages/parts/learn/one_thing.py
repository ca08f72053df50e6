"""The free field of a lesson, and results of runs with other values."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

import streamlit as st

from ldp_core import aggregators, mechanisms, presets
from ldp_core.accounting import word_of
from ldp_core.classroom import FREE
from ldp_core.errors import InvalidExperiment, Problem, StorageFailed, UnknownJob
from ldp_core.experiment import Draft, Variant, checked, with_fit
from ldp_core.experiment.overrides import at
from ldp_core.fields import is_number
from ldp_core.lessons import ENGLISH, said
from ldp_core.runs import Final, final_figures, progress_of
from pages.parts.systems import field_words
from pages.parts.systems.field_words import field_name, value_words
from pages.parts.ui.shared_cache import Moment, job_now, once
from pages.parts.ui.text import at_most, deltas, percent, plain

PARTS: dict[str, Mapping[str, str]] = {
    "aggregator.name": aggregators.registry.labels(),
    "mechanism.name": mechanisms.offered(),
}
NUMBERS: dict[str, tuple[list[float], str]] = {
    "clients.epsilon": ([0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64], "ε %s"),
    "clients.range": ([0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5], "±%s"),
    "rounds": ([1, 5, 10, 15, 30, 60, 100], "%s rounds"),
}
TIMES = (0.1, 0.25, 0.5, 1, 2, 4, 10)
"""What a scenario's number is multiplied by for a field without values of its own."""


def field(scenario: str, free: str, key: str, turn: int = 0, language: str = ENGLISH) -> tuple[Any, str]:
    """Draw the widget of a free field, set to a value that the scenario does not have (to another in another
    turn); returns its value and the value's name.
    """
    first, named = first_new(scenario, free, turn), options(scenario, free)
    label = free_name(free, language)
    if free == "clients.range":
        target = presets.get(scenario).draft.base.target
        sent = target if target in ("weights", "update") else "other"
        label = said("free of", language, what=label, sent=said(sent, language))
    label = f"{label[:1].upper()}{label[1:]}"
    values = list(named)
    if _counted(values):
        value = st.select_slider(label, values, value=values[first], format_func=named.__getitem__, key=key)
    else:
        value = st.selectbox(label, values, index=first, format_func=named.__getitem__, key=key)
    return value, named[value]


def free_name(free: str, language: str = ENGLISH) -> str:
    if free in FREE:
        return said(free, language)
    return field_name(free.removesuffix(".name").removesuffix(".kind"), {})


def options(scenario: str, free: str) -> Mapping[Any, str]:
    """Values of a free field, with their names. A field without a list of its own has its part's names, its
    words, or numbers around the scenario's; InvalidExperiment where it is none of these.
    """
    if free in PARTS:
        return PARTS[free]
    if free in NUMBERS:
        values, words = NUMBERS[free]
        return {one: (words % f"{one:g}").removesuffix("s" if one == 1 else "") for one in values}
    path, _, last = free.rpartition(".")
    now = at(presets.get(scenario).draft.base.as_json(), free)
    if last in ("name", "kind") and path in field_words.PARTS:
        return field_words.PARTS[path].labels()
    if isinstance(now, bool):
        found: list[Any] = [False, True]
    elif is_number(now):
        numbers = [float(f"{(now or 1) * times:.3g}") for times in TIMES]
        found = [max(1, round(one)) for one in numbers] if isinstance(now, int) else numbers
    elif free in field_words.WORDS:
        found = list(field_words.WORDS[free])
    else:
        raise InvalidExperiment((Problem(free, "has no number and no list of words to choose from"),))
    return {one: value_words(free, one) for one in dict.fromkeys(found)}


def _counted(values: list[Any]) -> bool:
    return all(is_number(one) for one in values)


@cache
def first_new(scenario: str, free: str, turn: int = 0) -> int:
    """Place of a value that makes another run than each of the scenario's: of numbers the nearest to the
    middle, else the first, and in later turns the next ones, round and round; 0 without any.
    """
    values = list(options(scenario, free))
    middle = len(values) // 2 if _counted(values) else 0
    known, new = presets.get(scenario).draft.experiments(), list[int]()
    for place in sorted(range(len(values)), key=lambda one: abs(one - middle)):
        with suppress(InvalidExperiment):
            (made,) = draft_of(scenario, free, values[place], "new").experiments()
            if made not in known:
                new.append(place)
                if len(new) > turn:
                    return place
    return new[turn % len(new)] if new else 0


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


def result_line(called: str, found: Final | None, language: str = ENGLISH) -> None:
    """Draw a line on a run: accuracy and ε, or that it trains."""
    name = plain(called, 40)
    if found is None:
        st.caption(said("training", language, name=name))
    else:
        st.markdown(f"{name}: {came_to(found, language)}")


def came_to(found: Final, language: str = ENGLISH) -> str:
    """Accuracy, and the price, as Markdown."""
    if found.accuracy is None:
        return said("diverged", language)
    return said("came to", language, accuracy=percent(found.accuracy), price=price(found, language))


def price(found: Final, language: str = ENGLISH) -> str:
    """ε of the whole run for the client with the weakest guarantee, and its worth."""
    if found.epsilon is None:
        return said("no price", language)
    bound, worth = f"{at_most(found.epsilon)}{deltas([found.delta])}", said(word_of(found.epsilon), language)
    return said("try price", language, bound=bound, whom=whom(found, language), worth=worth)


def whom(found: Final, language: str) -> str:
    """The adversary in words, and that ε is for a row, if it is."""
    words = said(found.against, language)
    return said("one record", language, whom=words) if found.unit == "record" else words
