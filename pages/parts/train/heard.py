"""Accuracy of each run on each class and for each group of clients."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ldp_core.experiment import parse
from pages.parts.charts.base import TEXT, colour, figure
from pages.parts.charts.series import Series
from pages.parts.ui import components
from pages.parts.ui.components import Card
from pages.parts.ui.figure_json import Figure
from pages.parts.ui.shared_cache import Moment, once
from pages.parts.ui.text import class_names, listed, percent, shortened

BLUE = 2
GROUPS = ("strict", "permissive")
OWN = {
    "best own": "the best of the clients' own models",
    "own mix": "clients, each on its own classes, on average",
}
"""Columns of systems that compare clients, in words."""
Rows = Sequence[tuple[Series, dict[str, Any]]]
"""Runs with their accuracies."""


def heard(shown: Sequence[Series], moment: Moment) -> None:
    """Draw a row per run, a column per group and class, cached by `moment`; nothing before round 1."""
    rows = [(one, row) for one in shown if (row := row_of(one)) is not None]
    if not rows:
        return
    place = ("heard", moment.job)
    components.cards(once(place, lambda: components.sheet([_card(rows)]), moment), key="heard")


def _card(rows: Rows) -> Card:
    words = "; ".join(f"{one.label}: {percent(row['accuracy'])} on average" for one, row in rows)
    shares = [f"{percent(row['share'], 1)} with {one.label}" for one, row in rows if row["share"] > 0]
    held = f" The permissive clients' share of the average: {listed(shares)}." if shares else ""
    grouped = (
        "Strict: who asks for at most the median ε, or for less than it where most ask for the largest; "
        "permissive: the rest. A group's accuracy counts the classes as its clients hold them, "
        f"not as they are held out; “all” is the average over the clients.{held}"
    )
    return Card(
        title="Whom does the model serve?",
        rest=" Accuracy in %, by group of clients and by class"
        if groups_of(rows)
        else " Accuracy in %, by class",
        caption=(grouped if groups_of(rows) else "All clients ask alike, so there are no groups of them.")
        + _compared(rows),
        figure=heard_figure(rows),
        label=f"Accuracy. {words}.",
        height=70 + 34 * len(rows),
    )


def _compared(rows: Rows) -> str:
    """Explanation of the columns of clients' own models."""
    unlike = [
        f"{row['unlike']:.2g} with {one.label} (accuracy {percent(row['accuracy'])})"
        for one, row in rows
        if row["unlike"] is not None
    ]
    if not unlike:
        return ""
    columns = "; ".join(f"{name}: {words}" for name, words in OWN.items() if name in own_of(rows))
    return f" {columns.capitalize()}. Variance between clients' losses in the newest round: {listed(unlike)}."


def own_of(rows: Rows) -> list[str]:
    return [name for name in OWN if any(row[name] is not None for _, row in rows)]


def row_of(one: Series) -> dict[str, Any] | None:
    """Means over a run's seeds, in their latest rounds."""
    last = [run.last for run in one.runs if run.last]
    if not last:
        return None
    found: dict[str, Any] = {"accuracy": float(np.mean([event["accuracy"] for event in last]))}
    for group in GROUPS:
        values = [v for event in last if (v := event["accuracy_per_group"].get(group)) is not None]
        found[group] = float(np.mean(values)) if values else None
    groups, share = [found[group] for group in GROUPS], strict_share(one.runs[0].experiment)
    found["all"] = found["accuracy"] if None in groups else float(np.dot(groups, [share, 1 - share]))
    found["classes"] = np.mean([event["accuracy_per_class"] for event in last], axis=0).tolist()
    best = [max(event["accuracy_per_client"]) for event in last if event.get("accuracy_per_client")]
    mixed, unlike = (
        [event[name] for event in last if event.get(name) is not None]
        for name in ("accuracy_own_mix", "heterogeneity")
    )
    for name, known in (("best own", best), ("own mix", mixed), ("unlike", unlike)):
        found[name] = float(np.mean(known)) if known else None
    found["share"] = float(np.mean([event["client_weights"].get("permissive", 0.0) for event in last]))
    return found


@lru_cache(maxsize=256)
def strict_share(experiment: str) -> float:
    """Share of an experiment's clients in the group "strict"; the experiment as JSON."""
    return float(parse(json.loads(experiment)).population().strict.mean())


def groups_of(rows: Rows) -> list[str]:
    """Groups of clients; empty if all are in one."""
    found = [group for group in GROUPS if any(row[group] is not None for _, row in rows)]
    return found if len(found) > 1 else []


def heard_figure(rows: Rows) -> Figure:
    """Heat map with its values as text."""
    groups = groups_of(rows)
    names = class_names(rows[0][0].runs[0].start.get("experiment", {}), len(rows[0][1]["classes"]))
    other = ("all", *own_of(rows), *groups)
    classes = [html.escape(f"{name} (class)" if name in other else name) for name in names]
    own = own_of(rows)
    columns = ["all", *own, *groups, *classes]  # in a word or two each: a phone turns them on end
    table = [[row["all"], *(row[g] for g in (*own, *groups)), *row["classes"]] for _, row in rows]
    names = [shortened(one.label, 18) for one, _ in rows]
    heat = {
        "type": "heatmap",
        "x": columns,
        "y": names,
        "z": table,
        "zmin": 0,
        "zmax": 1,
        "text": [[f"{100 * v:.0f}" if v is not None else "–" for v in line] for line in table],
        "texttemplate": "%{text}",
        "textfont": {"color": TEXT, "size": 12},
        "colorscale": [[0, colour(BLUE, 0.02)], [1, colour(BLUE, 0.55)]],
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "hovertemplate": "%{y}, %{x}: %{z:.0%}<extra></extra>",
    }
    return figure(
        [heat],
        x={"type": "category", "side": "top"},
        y={"type": "category", "autorange": "reversed", "showgrid": False},
        hovermode="closest",
        margin={"l": 8, "r": 8, "t": 40, "b": 8},
    )
