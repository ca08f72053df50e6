"""The choice of the trust model: who sees what under each, its parameters, and all models at the same ε."""

from typing import Any

import numpy as np
import streamlit as st

from ldp_core import trust
from ldp_core.accounting import WHOLE_RUN as WHOLE
from ldp_core.errors import InvalidExperiment, Problem
from ldp_core.experiment import Draft, Variant, changed
from ldp_core.limits import EPSILON
from pages.parts.systems.unlike import differing
from pages.parts.ui.fields import named, own_parameters
from pages.parts.ui.meanings import problem_in_words
from pages.parts.ui.text import listed, plain
from pages.parts.ui.workspace import Workspace

WHOLE_RUN = 8.0
"""Initially offered ε of a client's whole run."""
SCOPE = "clients.epsilon_scope"
Demanded = dict[str, list[dict[str, Any]]]
DEMANDED: Demanded = {
    "trust": [{"system": None}],
    SCOPE: [{SCOPE: "run", "clients.epsilon": WHOLE_RUN}],
    "aggregator": [{"aggregator": "mean"}],
    "selection": [{"selection": "all"}],
    "clients.run_limit": [{"clients.run_limit": None}],
    "trust.rule": [{"trust.rule": "clipping"}],
    "mechanism": [{"form": "corrected"}, {"mechanism": "piecewise"}],
}
"""What to set, one after another, where a trust finds a field unfit."""


def trust_panel(workspace: Workspace) -> None:
    """Draw a button with the trust's name that opens the panel."""
    base = workspace.draft.base.trust
    compared = {one.trust.label: one.trust for one in workspace.draft.experiments()}
    shown = f"{len(compared)} compared" if len(compared) > 1 else next(iter(compared))
    chosen = base if len(compared) > 1 else next(iter(compared.values()))
    with st.popover(f"Trust: {shown}", help="Whom do you trust with the uploads?"):
        words, labels = f"**{plain(chosen.label)}**: {chosen.summary}", trust.registry.labels()
        named(workspace, "trust.kind", "Whom do you trust?", labels, chosen.name, _choose, help=words)
        draft, along = st.session_state.get("set along", (None, ""))
        if draft == workspace.draft:
            st.caption(f":orange[{plain(along, 600)}]")
        if chosen == base:
            own_parameters(workspace, "trust", base)
        for label, one in compared.items():
            if len(compared) > 1:
                st.markdown(f"**{plain(label)}**")
            st.markdown(plain(one.sees, 300))
            st.caption(plain(f"What breaks it: {one.breaks[0].lower()}{one.breaks[1:]}", 400))
        if all(one.own_noise for one in compared.values()):
            st.caption("Its own noise takes the mechanism's place; the mechanism is kept for later.")
        _side_by_side(workspace)


def _choose(workspace: Workspace, kind: str) -> tuple[Problem, ...]:
    before, label = workspace.draft.as_json(), trust.registry.labels()[kind]
    problems = workspace.renew(lambda draft: with_trust(draft, kind))
    along = [one for one in differing(before, workspace.draft.as_json()) if not one.startswith("trust")]
    if along and not problems:
        said = f"Set along for {label}: {listed(along)}. Undo takes all back."
        st.session_state["set along"] = workspace.draft, said
    return problems


def with_trust(draft: Draft, kind: str) -> Draft:
    """Draft under a trust, with as little else set as the trust demands; a single run only where a variant's
    own settings do not fit. Raises InvalidExperiment: the trust demands something else.
    """
    widest = float(max(np.abs(end).max() for end in draft.base.clients.bounds()))
    ways = DEMANDED | {"clients.range": [{"clients.range": widest}]}
    try:
        return _fitting(draft, kind, ways)
    except InvalidExperiment:
        return _fitting(Draft(draft.base, (Variant(trust.get(kind).label),), draft.seeds), kind, ways)


def _side_by_side(workspace: Workspace) -> None:
    base, key = workspace.draft.base, workspace.key("trust at one promise")
    st.markdown("**The same people and promise, each trust beside the others**")
    budget: float | None = None
    if base.clients.epsilon_scope != "run":
        budget = st.number_input(
            f"ε for {WHOLE[base.unit]}",
            float(EPSILON.minimum),
            float(EPSILON.maximum),
            WHOLE_RUN,
            key=key,
            help="The same for everybody; budgets that cover a whole run already are kept",
        )
    if st.button("Put them side by side", key=f"{key} pressed"):
        problems = workspace.renew(lambda draft: side_by_side(draft, budget))
        if not problems:
            st.rerun()
        for problem in problems:
            st.error(plain(problem_in_words(problem), 300))


def side_by_side(draft: Draft, budget: float | None) -> Draft:
    """Draft with a variant for each trust that fits the base, at ε `budget` for a person's whole run;
    InvalidExperiment, with the reasons, if only the local one does.
    """
    ask = {SCOPE: "run", **({} if budget is None else {"clients.epsilon": budget})}
    base = changed(draft.base, {"trust": {"kind": "local"}, **ask})
    variants, why = list[Variant](), list[Problem]()
    rule = {"trust.rule": DEMANDED["trust.rule"]}
    for name in trust.registry.labels():  # in their order
        try:
            fitting = _fitting(Draft(base, (Variant(name),)), name, rule).base
        except InvalidExperiment as error:
            why += error.problems
        else:
            found = fitting.as_json().get("trust", {"kind": name})  # the local one is left out of JSON
            variants.append(Variant(fitting.trust.label, {"trust": found}))
    if len(variants) < 2:
        raise InvalidExperiment(why)
    return Draft(base, tuple(variants), draft.seeds)


def _fitting(draft: Draft, kind: str, ways: Demanded) -> Draft:
    """Draft under a trust with its defaults, and as many of the ways as that takes; raises what is wrong."""
    left, changes = {path: iter(some) for path, some in ways.items()}, dict[str, Any]({"trust.kind": kind})
    while True:
        try:
            return draft.with_base(changes)
        except InvalidExperiment as error:
            for path in {one.path for one in error.problems}:
                if (more := next(left.get(path, iter(())), None)) is None:
                    raise
                changes |= more
