"""The choice of the trust model: who sees what under each, its parameters, and all models at the same ε."""

import html
from typing import Any

import numpy as np
import streamlit as st

from ldp_core import trust
from ldp_core.accounting import WHOLE_RUN as WHOLE
from ldp_core.errors import InvalidExperiment, Problem
from ldp_core.experiment import Draft, Variant, changed
from ldp_core.limits import EPSILON
from ldp_core.trust.base import Against
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
NAMES = ("Ada", "Ben", "Eve", "Kim")
BLUE, ORANGE, GREY = "#4a86cf", "#c77a2a", "#7d8794"
WIDTH, HEIGHT, ROW = 420, 190, 42
SEEN: dict[Against, tuple[str, str]] = {
    "server": ("", "each upload, with its name"),
    "shuffled heap": ("shuffler", "a heap without names"),
    "sum": ("secure sum", "only the sum"),
    "model": ("trusted server", "only the model"),
}
"""What stands between clients and server, and what the adversary sees, by `Trust.against`."""


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
            else:
                st.image(who_sees_what(one.against), width="stretch", alt=one.sees)
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


def who_sees_what(against: Against) -> str:
    """An SVG that is legible on light and dark ground."""
    between, seen = SEEN[against]
    parts = []
    for place, name in enumerate(NAMES):
        y = 30 + ROW * place
        parts += [_dot(26, y, BLUE), _text(40, y + 5, name, GREY)]
        if not between:
            parts += [_line(80, y, 290), _dot(310, y, ORANGE), _text(324, y + 5, name, GREY)]
        else:
            parts.append(_line(80, y, 150, 30 + ROW * 1.5))
    if between:
        box = f'<rect x="150" y="70" width="104" height="46" rx="8" fill="none" stroke="{GREY}"/>'
        parts += [box, _text(202, 98, between, GREY, "middle"), _line(254, 93, 290)]
        spots = [(310, 78), (334, 104), (326, 70), (306, 110)] if against == "shuffled heap" else [(318, 93)]
        parts += [_dot(x, y, ORANGE, 7 if len(spots) > 1 else 14) for x, y in spots]
    parts.append(_text(WIDTH - 6, HEIGHT - 6, f"seen: {seen}", ORANGE, "end"))
    label = html.escape(f"Four clients, {between or 'nothing'} between; seen: {seen}", quote=True)
    size = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
    look = f'role="img" aria-label="{label}" font-family="sans-serif" font-size="14"'
    return f"<svg {size} {look}>{''.join(parts)}</svg>"


def _dot(x: float, y: float, fill: str, radius: float = 7) -> str:
    return f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}"/>'


def _line(x: float, y: float, to: float, down: float | None = None) -> str:
    return f'<line x1="{x}" y1="{y}" x2="{to}" y2="{y if down is None else down}" stroke="{GREY}"/>'


def _text(x: float, y: float, words: str, fill: str, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" fill="{fill}" text-anchor="{anchor}">{html.escape(words)}</text>'
