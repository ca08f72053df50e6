"""Least noise within the clients' limits, and what each limit costs."""

from math import sqrt

import numpy as np
import streamlit as st

from ldp_core import aggregators
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import Experiment
from ldp_core.tuning.allocation import BEST, MEAN, Allocation, allocate
from pages.parts.tune.formulas import or_why
from pages.parts.tune.kept import kept
from pages.parts.ui.job_actions import refusal, refusing
from pages.parts.ui.meanings import TAU
from pages.parts.ui.shared_cache import once
from pages.parts.ui.tables import table
from pages.parts.ui.text import (
    THIN,
    asked_in_words,
    listed,
    number,
    percent,
    plain,
    ranges_in_words,
    signed,
)
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.workspace import Workspace

MOST_GROUPS = 12
"""Largest number of rows; of more groups, the strictest and the most permissive."""
HEAD = [
    *("clients", "ε at most", "range", "share of each"),
    *("its strictness costs", "held against the median", "without it", "without it, plain mean"),
]
MEANS = (
    "Of each client, in noise variance at the server. “Its strictness costs”: how much more there is than if "
    "this one were as permissive as the most permissive, or as the median client, and all others as they "
    "are. “Without it”: how much more or less there is if it stays away, by 1/σ² and under the plain mean. "
    "σ² is each client’s largest variance over its range; all take part. This is noise alone: a client that "
    "is hardly listened to is hardly learned from, either."
)


def limits(workspace: Workspace) -> None:
    """Draw the limits on the left, and their result on the right."""
    base = workspace.draft.base
    left, right = st.columns([1.1, 3.4], gap="medium")
    with left, st.container(border=True):
        st.header("Everybody’s limits", anchor="limits")
        low, high = base.clients.bounds()
        st.markdown(plain(f"{asked_in_words([base])[0]}; {ranges_in_words(low, high)}.", 300))
        st.caption("Read as the largest ε and the widest range that each accepts.")
        where = {"draft": workspace.id}
        st.page_link("clients.py", label=":blue[Change them on Clients]", query_params=where)
        need = st.number_input(
            "Weights reach ±",
            format="%g",
            placeholder="as far as each range",
            **kept(workspace, "need", None),
            help=f"No range needs to be wider: a wider one adds noise for nothing. {TAU}",
        )
    with right, st.container(border=True):
        st.header("The least noise within them", anchor="least")
        found = once(("limits", base.key, need), lambda: or_why(lambda: allocate(base, need)))
        if isinstance(found, str):
            st.warning(plain(f"{found[0].upper()}{found[1:]}.", 400))
            return
        st.markdown(in_words(found))
        every = groups(base)
        table(HEAD, rows(found, every))
        if len(every) > MOST_GROUPS:
            st.caption(f"{number(len(every) - MOST_GROUPS, 6)} groups between these are not shown.")
        st.caption(MEANS)
        st.button(
            "Take these ranges and weights",
            key="take limits",
            help="Into this draft: weights by 1/σ², and the ranges above",
            on_click=_take,
            args=(workspace, need),
        )
        refusal()


def groups(base: Experiment) -> list[tuple[int, int]]:
    """Groups of clients with equal limits: index of one of them, from 0, and their number."""
    limits = np.stack([base.clients.budgets(), *base.clients.bounds()], axis=1)
    _, first, counts = np.unique(limits, axis=0, return_index=True, return_counts=True)
    return list(zip(first.tolist(), counts.tolist(), strict=True))


def in_words(found: Allocation) -> str:
    labels = aggregators.registry.labels()
    both = found.mid_range, found.left
    middle, worst = ({name: number(sqrt(left)) for name, left in each.items()} for each in both)
    others = ", ".join(f"σ {middle[name]} under {labels[name]}" for name in middle if name != BEST)
    said = f"Weighted by {labels[BEST]}, the server is left with **σ {middle[BEST]}** per weight; "
    said += plain(f"{others}: for weights in mid-range, as on Noise.", 300)
    changing = found.experiment.pieces(1) != found.experiment.pieces(2)
    if middle != worst:
        first = " in the first round: this mechanism’s noise changes from round to round" if changing else ""
        said += f" For weights with most noise, on which the table rests, {listed(worst.values())}{first}."
    if found.clipped:
        many = f"{number(found.clipped, 6)} client{'s accept' if found.clipped > 1 else ' accepts'}"
        said += f" {many} less than the weights need, so their weights are clipped."
    return said


def rows(found: Allocation, every: list[tuple[int, int]]) -> list[list[str]]:
    """A row for each group, the noisiest first."""
    budgets, (low, high) = found.experiment.clients.budgets(), found.experiment.clients.bounds()
    noisiest = sorted(every, key=lambda one: -found.variance[one[0]])
    half = MOST_GROUPS // 2
    shown = noisiest if len(noisiest) <= MOST_GROUPS else [*noisiest[:half], *noisiest[-half:]]
    strict, median = 1 / found.if_like(found.least) - 1, 1 / found.if_like(found.median) - 1
    alone = found.without() - 1, found.without(MEAN) - 1
    return [
        [
            number(count, 6),
            number(budgets[i]),
            f"{plain(signed(low[i]))} to {plain(signed(high[i]))}",
            percent(float(found.weights[i]), 1),
            *(more(float(column[i])) for column in (strict, median, *alone)),
        ]
        for i, count in shown
    ]


def more(share: float) -> str:
    if not np.isfinite(share):
        return "nothing is left"
    if abs(share) < 5e-4:
        return "the same"
    shown = f"{number(100 * abs(share), 3)}{THIN}%"
    return f"{shown} {'more' if share > 0 else 'less'}"


@pressed
def _take(workspace: Workspace, need: float | None) -> None:
    made = allocate(workspace.draft.base, need).experiment.as_json()
    ranges = [name for name in ("range", "low", "high") if name in made["clients"]]
    fields = {
        "aggregator": made["aggregator"],
        **{f"clients.{name}": made["clients"][name] for name in ranges},
    }
    with refusing():
        if problems := workspace.renew(lambda draft: draft.with_base(fields)):
            raise InvalidExperiment(problems)
