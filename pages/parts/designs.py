"""Up to three designs side by side: a mechanism and an aggregator each, on the same population.

A design is a run of the draft, so that Train runs what was designed here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from ldp_core import aggregators, mechanisms
from ldp_core.errors import Problem
from ldp_core.experiment import Draft, Experiment, Variant, changed
from pages.parts.fields import Apply, named, one_of, own_parameters
from pages.parts.styles import Style, styles
from pages.parts.text import plain
from pages.parts.workspace import Workspace

MOST = 3
FORMS = {"corrected": "corrected", "as_printed": "as printed"}
OWN = {"mechanism": mechanisms.registry, "aggregator": aggregators.registry}


@dataclass(frozen=True)
class Design:
    """One run of the draft, as this page shows it."""

    place: int
    variant: Variant
    experiment: Experiment
    style: Style

    @property
    def label(self) -> str:
        """The run's own."""
        return self.variant.label


def designs(workspace: Workspace) -> list[Design]:
    """The designs that are shown: the first three runs, or those that were picked."""
    draft = workspace.draft
    looks, experiments = styles(draft), draft.experiments()
    every = [Design(i, variant, experiments[i], looks[i]) for i, variant in enumerate(draft.variants)]
    if len(every) <= MOST:
        return every
    labels = [design.label for design in every]
    picked = st.multiselect(
        "Designs shown",
        range(len(every)),
        default=list(range(MOST)),
        max_selections=MOST,
        format_func=labels.__getitem__,
        key=workspace.key("designs shown"),
        placeholder="choose up to three of the runs",
    )
    return [every[i] for i in picked] or every[:MOST]


def choose(workspace: Workspace, shown: list[Design]) -> None:
    """A column of choices for each design."""
    for column, design in zip(st.columns(max(len(shown), 1)), shown, strict=False):
        with column, st.container(border=True):
            _one(workspace, design)
    if len(workspace.draft.variants) < MOST and st.button("Add a design beside it", icon=":material/add:"):
        workspace.change(_added)
        st.rerun()


def _one(workspace: Workspace, design: Design) -> None:
    place, experiment = design.place, design.experiment
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain(design.label)}**")
        if len(workspace.draft.variants) > 1 and st.button(
            "Remove", key=workspace.key(f"remove {place}"), type="tertiary"
        ):
            workspace.change(lambda draft: _without(draft, place))
            st.rerun()
    mechanism = experiment.mechanism
    named(
        workspace,
        f"design {place} mechanism",
        "Mechanism",
        mechanisms.registry.labels(),
        mechanism.name,
        _setter(place, "mechanism.name"),
        help=mechanism.summary,
    )
    own_parameters(workspace, f"design {place} mechanism", mechanism, _setters(place, "mechanism"))
    if mechanism.as_printed:
        change = _setter(place, "form")
        one_of(
            workspace,
            f"design {place} form",
            "Form",
            FORMS,
            experiment.form,
            change,
            help=mechanism.as_printed,
        )
    aggregator = experiment.aggregator
    named(
        workspace,
        f"design {place} aggregator",
        "Aggregator",
        aggregators.registry.labels(),
        aggregator.name,
        _setter(place, "aggregator.name"),
        help=aggregator.summary,
    )
    own_parameters(workspace, f"design {place} aggregator", aggregator, _setters(place, "aggregator"))
    with st.popover("Formulas and sources", width="stretch"):
        for part in (mechanism, aggregator):
            st.markdown(f"**{part.label}**: {plain(part.summary, 300)}")
            st.latex(part.formula)
            st.caption(plain(part.reference, 200))


def _setters(place: int, part: str) -> Callable[[str], Apply]:
    return lambda name: _setter(place, f"{part}.{name}")


def _setter(place: int, path: str) -> Apply:
    """What a change of one field of one design does."""

    def apply(workspace: Workspace, value: Any) -> tuple[Problem, ...]:
        return workspace.change(lambda draft: _changed(draft, place, path, value))

    return apply


def _changed(draft: Draft, place: int, path: str, value: Any) -> Draft:
    variants = list(draft.variants)
    sets = _set(variants[place].set, path, value)
    experiment = changed(draft.base, sets)
    if path == "mechanism.name" and experiment.form != "corrected" and not experiment.mechanism.as_printed:
        sets["form"] = "corrected"
    variants[place] = Variant(_label(draft, place, sets), sets)
    return replace(draft, variants=tuple(variants))


def _set(sets: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A run's fields with one more set; another mechanism takes its parameters along."""
    part, _, last = path.partition(".")
    kept = {k: v for k, v in sets.items() if not (last == "name" and k.startswith(f"{part}."))}
    return kept | {path: value}


def _label(draft: Draft, place: int, sets: Mapping[str, Any]) -> str:
    """What a run is called: what sets it apart, and not what another one is called."""
    experiment = changed(draft.base, sets)
    words = [experiment.mechanism.label, experiment.aggregator.label]
    if experiment.form == "as_printed":
        words[0] += " as printed"
    words += [
        f"{path.split('.')[-1]} {value}"
        for path, value in sets.items()
        if path not in ("form", "mechanism.name", "aggregator.name") and not isinstance(value, list | dict)
    ]
    label = " · ".join(words)[:50]
    taken = {variant.label for i, variant in enumerate(draft.variants) if i != place}
    number = 2
    unique = label
    while unique in taken:
        unique, number = f"{label} ({number})", number + 1
    return unique


def _added(draft: Draft) -> Draft:
    last = draft.variants[-1]
    used = {experiment.mechanism.name for experiment in draft.experiments()}
    fresh = next(name for name in ("duchi", "hybrid", "piecewise", "laplace") if name not in used)
    sets = _set(last.set, "mechanism.name", fresh)
    return replace(draft, variants=(*draft.variants, Variant(_label(draft, len(draft.variants), sets), sets)))


def _without(draft: Draft, place: int) -> Draft:
    kept = tuple(variant for i, variant in enumerate(draft.variants) if i != place)
    return replace(draft, variants=kept) if kept else draft
