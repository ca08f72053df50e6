"""Ranking of mechanisms by formula: noise and ε of the run, from four numbers."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from ldp_core import aggregators, limits
from ldp_core.accounting import worth
from ldp_core.errors import InvalidInput
from ldp_core.experiment import plan
from ldp_core.runs import tint_of
from ldp_core.tuning.ranking import AssumedClients, Ranked, ranking
from pages.parts.charts.base import MUTED, Figure, colour, figure, log_axis, scatter
from pages.parts.tune.kept import kept
from pages.parts.tune.price import promise_in_words
from pages.parts.ui import components
from pages.parts.ui.meanings import SCOPES, error_in_words
from pages.parts.ui.shared_cache import once
from pages.parts.ui.tables import table
from pages.parts.ui.text import at_most, deltas, listed, number, plain
from pages.parts.ui.workspace import Workspace

WEIGHTS = limits.Limit(1, 1e9, 650, "weights")
ROW = 30
"""Height of a mechanism in the chart, in pixels."""
ALIKE = 1.1
"""Ratio of ε up to which two runs count as equally dear."""
MEANS = (
    "σ is the standard deviation of the noise per weight that is left at the server after one round, for "
    "weights in the middle of their range. PrivUnit shortens whole uploads: here to the length they have "
    "if their weights spread evenly over the range. Harmony is counted as one layer. Noise that changes from "
    "round to round is left out. All promises are against a server that sees each upload. Whether a design "
    "learns, only its data show: take it to Noise and Train."
)


def best(workspace: Workspace) -> None:
    base = workspace.draft.base
    budgets = base.clients.budgets()
    left, right = st.columns([1.1, 3.4], gap="medium")
    with left, st.container(border=True):
        st.header("What is known", anchor="population")
        asked = AssumedClients(
            clients=int(_field(workspace, "Clients", limits.CLIENTS, base.clients.count)),
            weights=int(_field(workspace, "Weights of an upload", WEIGHTS, plan(base).uploaded)),
            lowest=_field(workspace, "Smallest budget ε", limits.EPSILON, float(budgets.min())),
            highest=_field(workspace, "Largest budget ε", limits.EPSILON, float(budgets.max())),
            scope=st.segmented_control(
                "One ε covers",
                list(SCOPES),
                required=True,
                format_func=SCOPES.__getitem__,
                **kept(workspace, "ranking scope", base.clients.epsilon_scope, into="default"),
            ),
            half=_field(workspace, "Safe range ±τ", limits.HALF_WIDTH, float(base.clients.bounds()[1][0])),
            rounds=int(_field(workspace, "Rounds", limits.ROUNDS, base.rounds)),
        )
    with right, st.container(border=True):
        try:
            found = once(("ranking", asked), lambda: ranking(asked))
        except InvalidInput as error:
            why = error_in_words(error)
            st.warning(plain(f"{why[0].upper()}{why[1:]}: change one of them.", 300))
            return
        if not found:
            st.warning("No mechanism keeps to these budgets: take larger ones, or fewer rounds.")
            return
        st.header(headline(found), anchor="ranking")
        between = f"Budgets evenly spaced from ε {number(asked.lowest)} to {number(asked.highest)}. "
        st.caption(f"{between * (asked.lowest < asked.highest)}{promise_line(found[0])}{unequal(found)}")
        components.chart(
            ranked_figure(found),
            key="ranking",
            height=70 + ROW * len(found),
            label=f"Noise at the server by mechanism and aggregator. {headline(found)}.",
        )
        labels = aggregators.registry.labels()
        sigmas = [f"σ under {labels[name]}" for name in found[0].noise]
        head = ["mechanism", *sigmas, "the run costs the strictest", "the most generous"]
        table(head, [_row(one) for one in found])
        st.caption(MEANS)


def headline(found: Sequence[Ranked]) -> str:
    first, labels = found[0], aggregators.registry.labels()
    name = min(first.noise, key=first.noise.__getitem__)
    who = listed(one.mechanism.label for one in found if one.least < 1.001 * first.least)
    leave = "leave" if " and " in who else "leaves"
    return f"{who} with {labels[name]} {leave} least noise: σ {number(first.least)} per weight"


def promise_line(one: Ranked) -> str:
    """Guarantee for the client with the largest ε, in words."""
    found = worth(one.generous)
    return (
        f"All uploads together cost the most generous client {promise_in_words(one.generous)}: "
        f"who has to tell two of its values apart is right {found.odds}."
    )


def unequal(found: Sequence[Ranked]) -> str:
    """Note on runs that cost different ε; "" if all cost about the same."""
    costs = sorted(one.generous.bound for one in found)
    if costs[-1] < ALIKE * costs[0]:
        return ""
    return (
        f" **Not at equal promise**: these runs cost ε {at_most(costs[0])} to {at_most(costs[-1])}"
        f"{deltas(one.generous.delta for one in found)}. To rank "
        f"at an equal one, let one ε cover {SCOPES['run']}."
    )


def _field(workspace: Workspace, label: str, limit: limits.Limit, first: float) -> float:
    kind, style = (int, "%d") if limit.unit else (float, "%g")
    ends: dict[str, Any] = {"min_value": kind(limit.minimum), "max_value": kind(limit.maximum)}
    asked = kept(workspace, f"ranking {label}", kind(first))
    return float(st.number_input(label, format=style, **ends, **asked))


def _row(one: Ranked) -> list[str]:
    costs = [promise_in_words(each) for each in (one.strict, one.generous)]
    return [f"**{one.mechanism.label}**", *map(number, one.noise.values()), *costs]


def ranked_figure(found: Sequence[Ranked]) -> Figure:
    """A dot per aggregator, a line per mechanism, the best on top."""
    every = [value for one in found for value in one.noise.values()]
    places = np.arange(len(found))[::-1]
    labels = aggregators.registry.labels()
    tints = {name: tint_of(aggregators.registry, name) for name in found[0].noise}
    ranked = sorted(tints, key=found[0].noise.__getitem__)  # labels of near dots go to either side
    sides = dict(zip(ranked, ["top left", *["top center"] * (len(ranked) - 2), "top right"], strict=False))
    traces = [
        scatter(
            [one.noise[name] for one in found],
            places,
            mode="markers+text",
            text=[labels[name] if place == places[0] else "" for place in places],
            textposition=sides[name],
            textfont={"color": colour(tint)},
            marker={"color": colour(tint), "size": 11},
            hovertemplate=f"σ %{{x:.3~r}} under {labels[name]}<extra></extra>",
        )
        for name, tint in tints.items()
    ]
    ends = math.floor(math.log10(min(every))), math.ceil(math.log10(max(every)))
    return figure(
        traces,
        x={"title": "noise σ per weight at the server", **log_axis(*ends)},
        y={
            "tickvals": places.tolist(),
            "ticktext": [one.mechanism.label for one in found],
            "range": [-0.6, len(found) - 0.2],
            "color": MUTED,
        },
        hovermode="closest",
    )
