"""Accuracy of each run on each class and for each group of clients."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from ldp_core.experiment import plan
from pages.parts.charts.series import Series
from pages.parts.ui.tables import table
from pages.parts.ui.text import class_names, listed, number, percent, plain

GROUPS = ("strict", "permissive")
OWN = {
    "best own": "the best of the clients' own models",
    "own mix": "clients, each on its own classes, on average",
}
"""Columns of systems that compare clients, in words."""
Rows = Sequence[tuple[Series, dict[str, Any]]]


def heard(shown: Sequence[Series]) -> None:
    """Draw a row per run, a column per group and class; nothing before round 1."""
    rows = [(one, row) for one in shown if (row := row_of(one)) is not None]
    if not rows:
        return
    by, grouped = "", "All clients ask alike, so there are no groups of them."
    if set(GROUPS) & set(columns_of(rows)):
        by = "group of clients and by "
        shares = [f"{percent(row['share'], 1)} with {one.label}" for one, row in rows if row["share"] > 0]
        held = f" The permissive clients' share of the average: {listed(shares)}." if shares else ""
        grouped = (
            "Strict: who asks for at most the median ε, or for less than it where most ask for the largest; "
            "permissive: the rest. A group's accuracy counts the classes as its clients hold them, not as "
            f"they are held out; “all” is the average over the clients.{held}"
        )
    st.markdown(f"**Whom does the model serve?** Accuracy by {by}class")
    table(*heard_table(rows))
    st.caption(plain(grouped + unlikeness(rows), 2000))


def unlikeness(rows: Rows) -> str:
    unlike = [
        f"{number(row['unlike'], 2)} with {one.label} (accuracy {percent(row['accuracy'])})"
        for one, row in rows
        if row["unlike"] is not None
    ]
    if not unlike:
        return ""
    columns = "; ".join(f"{name}: {OWN[name]}" for name in columns_of(rows) if name in OWN)
    return f" {columns.capitalize()}. Variance between clients' losses in the newest round: {listed(unlike)}."


def columns_of(rows: Rows) -> list[str]:
    """Columns before those of the classes; without groups if all clients are in one."""
    known = [name for name in (*OWN, *GROUPS) if any(row[name] is not None for _, row in rows)]
    return ["all", *(name for name in known if name in OWN or set(GROUPS) <= set(known))]


def row_of(one: Series) -> dict[str, Any] | None:
    """Means over a run's seeds, in their latest rounds."""
    last = [run.last for run in one.runs if run.last]
    if not last:
        return None

    def mean(values: Iterable[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return float(np.mean(known)) if known else None

    found: dict[str, Any] = {
        "accuracy": mean(event["accuracy"] for event in last),
        "classes": [*map(mean, zip(*(event["accuracy_per_class"] for event in last), strict=True))],
        "best own": mean(max(event.get("accuracy_per_client") or [None]) for event in last),
        "own mix": mean(event.get("accuracy_own_mix") for event in last),
        "unlike": mean(event.get("heterogeneity") for event in last),
        "share": mean(event["client_weights"].get("permissive", 0.0) for event in last),
    }
    groups = {name: mean(event["accuracy_per_group"].get(name) for event in last) for name in GROUPS}
    strict, permissive = groups.values()
    found["all"] = found["accuracy"]
    if strict is not None and permissive is not None:
        share = float(plan(one.experiment).population.strict.mean())
        found["all"] = share * strict + (1 - share) * permissive
    return found | groups


def heard_table(rows: Rows) -> tuple[list[str], list[list[str]]]:
    """Head, and a row per run."""
    names = class_names(rows[0][0].runs[0].start.get("experiment", {}), len(rows[0][1]["classes"]))
    columns = columns_of(rows)
    classes = [plain(f"{name} (class)" if name in columns else name) for name in names]
    each = [(one, [*(row[name] for name in columns), *row["classes"]]) for one, row in rows]
    cells = [[plain(one.label), *("–" if v is None else percent(v) for v in row)] for one, row in each]
    return ["run", *columns, *classes], cells
