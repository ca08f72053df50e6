"""Up to three designs side by side: mechanism and aggregator on the same population.

A design is a variant of the draft, so Train runs it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from ldp_core import aggregators, mechanisms
from ldp_core.experiment import PER, Draft, Experiment, Variant, changed, plan
from ldp_core.limits import LABEL_LENGTH
from ldp_core.mechanisms import Mechanism
from ldp_core.runs import Style, styles
from pages.parts.systems.field_words import FORMS
from pages.parts.ui.fields import Apply, named, one_of, own_parameters
from pages.parts.ui.meanings import AGGREGATOR, MECHANISM
from pages.parts.ui.text import covered, plain
from pages.parts.ui.workspace import Workspace

MOST = 3
OWN = {"mechanism": MECHANISM, "aggregator": AGGREGATOR}
"""Meaning of the parts that a design chooses."""


@dataclass(frozen=True)
class Design:
    place: int
    variant: Variant
    experiment: Experiment
    style: Style

    @property
    def label(self) -> str:
        return self.variant.label


@dataclass(frozen=True)
class View:
    design: Design
    name: str
    """Name in charts: the mechanism, or the design if two have the same mechanism."""
    epsilon: float
    """ε of one use of the mechanism."""
    low: float
    high: float
    asked: tuple[float, float, float]
    """The client's own ε, and the ends of its safe range."""

    @property
    def mechanism(self) -> Mechanism:
        """Mechanism in the design's form; corrected if both forms agree."""
        own = plan(self.design.experiment).randomiser
        return own if own.printed_otherwise else own.formed("corrected")

    @property
    def per(self) -> str:
        """Unit of the ε, which is that of one use unless the trust has noise of its own."""
        experiment = self.design.experiment
        return covered(experiment) if experiment.trust.own_noise else f" {PER[self.mechanism.scope]}"

    @property
    def law(self) -> tuple[Mechanism, float, float, float]:
        """Mechanism, ε and range ends: everything that determines the law."""
        return self.mechanism, *self.use

    @property
    def use(self) -> tuple[float, float, float]:
        return self.epsilon, self.low, self.high


def own_of(experiment: Experiment, client: int, tau: float | None = None) -> tuple[float, float, float]:
    """ε and range ends of a client (the last, if there are fewer); with `tau`, of that half-width."""
    clients, i = experiment.clients, min(client, experiment.clients.count - 1)
    own, low, high = (float(values[i]) for values in (clients.budgets(), *clients.bounds()))
    return own, *ranged(experiment, low, high, tau)


def ranged(experiment: Experiment, low: Any, high: Any, tau: float | None) -> tuple[Any, Any]:
    """Range of half-width `tau` with the same centre; norm-bounded uploads have none to change."""
    if tau is None or experiment.mechanism.region == "ball":
        return low, high
    centre = (low + high) / 2
    return centre - tau, centre + tau


def views(shown: Sequence[Design], client: int) -> list[View]:
    own = [own_of(design.experiment, client) for design in shown]
    return moved([View(design, "", *asked, asked) for design, asked in zip(shown, own, strict=True)])


def moved(seen: Sequence[View], epsilon: float | None = None, tau: float | None = None) -> list[View]:
    """Designs for another ε or half-width τ (None: the client's own)."""
    each = [view.design.experiment for view in seen]
    labels = [plan(one).randomiser.label for one in each]
    found = []
    for view, label in zip(seen, labels, strict=True):
        experiment, (own, low, high) = view.design.experiment, view.asked
        low, high = ranged(experiment, low, high, tau)
        asked = (np.array([one]) for one in (own if epsilon is None else epsilon, low, high))
        once = float(plan(experiment).per_use(*asked)[0])
        name = label if labels.count(label) == 1 else view.design.label
        found.append(replace(view, name=name, epsilon=once, low=low, high=high))
    if len({view.law for view in found}) == 1:  # only the aggregators differ
        return [replace(view, name=labels[0]) for view in found]
    return found


def different(seen: Sequence[View]) -> list[View]:
    return list({view.law: view for view in reversed(seen)}.values())[::-1]


def designs(workspace: Workspace) -> list[Design]:
    """The displayed designs: the first three variants, or those picked."""
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
    for column, design in zip(st.columns(max(len(shown), 1), gap="small"), shown, strict=False):
        with column, st.container(border=True, gap=None, key=f"design-{design.place}"):
            _one(workspace, design)


def add_button(workspace: Workspace) -> None:
    if len(workspace.draft.variants) < MOST and st.button("Add a design", icon=":material/add:"):
        workspace.change(_added)
        st.rerun()


def _one(workspace: Workspace, design: Design) -> None:
    place, experiment = design.place, design.experiment
    form = f", {FORMS[experiment.form]}" if experiment.form != "corrected" else ""
    st.markdown(f"**{plain(design.label)}**{form if form.strip(', ') not in design.label else ''}")
    left, right, rest = st.columns([2.2, 1.5, 1], gap="small", vertical_alignment="bottom")
    labels = mechanisms.offered(experiment.target == "class_means"), aggregators.registry.labels()
    for column, part, offered in zip((left, right), OWN, labels, strict=True):
        field, now, change = f"design {place} {part}", getattr(experiment, part).name, _setter(place, part)
        with column:
            named(
                workspace,
                field,
                part.capitalize(),
                offered,
                now,
                change("name"),
                label_visibility="collapsed",
            )
    with rest, st.popover("More", width="stretch", help="Form, parameters, formulas and sources"):
        _rest(workspace, design)


def _rest(workspace: Workspace, design: Design) -> None:
    place, experiment = design.place, design.experiment
    mechanism, parts = experiment.mechanism, {name: getattr(experiment, name) for name in OWN}
    if plan(experiment).randomiser.printed_otherwise:
        words = f"{mechanism.as_printed} {plan(experiment).correction}"
        change = _setter(place)("form")
        one_of(workspace, f"design {place} form", "Form", FORMS, experiment.form, change, help=words)
    for name, part in parts.items():
        own_parameters(workspace, f"design {place} {name}", part, _setter(place, name))
    for name, part in parts.items():
        st.markdown(f"{OWN[name]} **{plain(part.label)}**: {plain(part.summary, 300)}")
        st.latex(part.formula)
        st.caption(plain(part.reference, 200))
    if len(workspace.draft.variants) > 1 and st.button("Remove", key=workspace.key(f"remove {place}")):
        workspace.change(lambda draft: _without(draft, place))
        st.rerun()


def _setter(place: int, part: str = "") -> Callable[[str], Apply]:

    def of(name: str) -> Apply:
        path = f"{part}.{name}".lstrip(".")
        return lambda workspace, value: workspace.change(lambda draft: _changed(draft, place, path, value))

    return of


def _changed(draft: Draft, place: int, path: str, value: Any) -> Draft:
    variants = list(draft.variants)
    if place >= len(variants):  # removed in another window meanwhile
        return draft
    sets = _set(variants[place].set, path, value)
    experiment = changed(draft.base, sets)
    if (
        path != "form"
        and experiment.form != "corrected"
        and not plan(experiment).randomiser.printed_otherwise
    ):
        sets["form"] = "corrected"
    variants[place] = replace(variants[place], set=sets)
    return _relabelled(replace(draft, variants=tuple(variants)), place)


def _set(sets: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A variant's fields with one more set; another mechanism drops the parameters of the old one."""
    part, _, last = path.partition(".")
    kept = {k: v for k, v in sets.items() if not (last == "name" and k.startswith(f"{part}."))}
    return kept | {path: value}


def _relabelled(draft: Draft, place: int) -> Draft:
    """Rename the changed variant, and those that differ in mechanism and aggregator only."""
    named: list[Variant] = []
    for i, variant in enumerate(draft.variants):
        label = variant.label
        if i == place or all(path == "form" or path.split(".")[0] in OWN for path in variant.set):
            label = _label(changed(draft.base, variant.set), variant.set)
        taken = {one.label for one in named} | {one.label for one in draft.variants[i + 1 :] if i == place}
        unique, number = label, 2
        while unique in taken:
            unique, number = f"{label[: LABEL_LENGTH - 5]} ({number})", number + 1
        named.append(replace(variant, label=unique))
    return replace(draft, variants=tuple(named))


def _label(experiment: Experiment, sets: Mapping[str, Any]) -> str:
    own = [value for key, value in sets.items() if key.startswith("mechanism.") and key != "mechanism.name"]
    printed = ["as printed"] * (
        experiment.form == "as_printed" and plan(experiment).randomiser.printed_otherwise
    )
    others = [
        f"{path.split('.')[-1]} {value}"
        for path, value in sets.items()
        if path != "form" and path.split(".")[0] not in OWN and not isinstance(value, list | dict)
    ]
    mechanism = " ".join([plan(experiment).randomiser.label, *map(str, own), *printed])
    return " · ".join([mechanism, experiment.aggregator.label, *others])[:LABEL_LENGTH]


def _added(draft: Draft) -> Draft:
    used = {experiment.mechanism.name for experiment in draft.experiments()}
    fresh = next(name for name in ("duchi", "hybrid", "piecewise", "laplace") if name not in used)
    place, sets = len(draft.variants), _set(draft.variants[-1].set, "mechanism.name", fresh)
    variants = (*draft.variants, Variant(f"design {place + 1}", sets))
    return _relabelled(replace(draft, variants=variants), place)


def _without(draft: Draft, place: int) -> Draft:
    kept = draft.variants[:place] + draft.variants[place + 1 :]
    return replace(draft, variants=kept) if kept else draft
