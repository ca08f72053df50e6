"""One weight under a mechanism: the law of its output, and its variance against the budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ldp_core import mechanisms
from ldp_core.mechanisms import Mechanism
from pages.parts.charts import (
    MUTED,
    TEXT,
    Figure,
    Trace,
    colour,
    end_labels,
    figure,
    label_margin,
    log_axis,
    scatter,
)
from pages.parts.styles import tint_of
from pages.parts.text import number, percent

POINTS = 240


def law_figure(mechanism: Mechanism, value: float, epsilon: float, low: float, high: float) -> Figure:
    """Density or probabilities of the output for `value`, and for the end of the range farthest from it."""
    other = low if value - low > high - value else high
    traces, notes = [], []
    mine = tint_of(mechanisms.registry, mechanism.name)
    for weight, name, tint in ((other, f"if it were {number(other)}", None), (value, "this weight", mine)):
        law = _law(mechanism, weight, epsilon, low, high, name, tint)
        traces += law
        if tint is not None and law and law[0]["mode"] != "lines":
            notes += [
                _probability(x, y, mine) for x, y in zip(law[0]["x"][1::3], law[0]["y"][1::3], strict=True)
            ]
    top = 1.12 * max((y for trace in traces for y in trace["y"] if y is not None), default=1.0)
    return figure(
        traces,
        x={"title": "what is sent", "zeroline": False},
        y={"title": "probability" if notes else "density", "range": [0, top], "tickformat": "~g"},
        hovermode="closest",
        margin={"l": 8, "r": 8, "t": 26, "b": 8},
        annotations=[*notes, _mark(value, top, f"true weight {number(value)}")],
        shapes=[
            _span(low, high),
            {
                "type": "line",
                "x0": value,
                "x1": value,
                "y0": 0,
                "y1": top,
                "line": {"color": TEXT, "width": 1},
            },
        ],
    )


def variance_figure(
    chosen: Mechanism, value: float, epsilon: float, budgets: Sequence[float], low: float, high: float
) -> Figure:
    """Variance of the output for `value` against ε, for every mechanism that adds noise."""
    first, last = min(0.1, *budgets, epsilon), max(20.0, *budgets, epsilon)
    x = np.geomspace(first, last, 160)
    traces: list[Trace] = []
    ends = []
    names = [name for name in mechanisms.registry.labels() if name != "none"]
    for name in names:
        tint = tint_of(mechanisms.registry, name)
        one = mechanisms.get(name)
        if name == chosen.name:
            one = chosen
        y = np.atleast_1d(one.variance(value, x, low, high))
        width = 4 if name == chosen.name else 1.5
        style = {"color": colour(tint), "width": width}
        traces.append(
            scatter(x, y, mode="lines", name=one.label, line=style, hovertemplate="%{y:.3g}"),
        )
        ends.append((float(np.log10(y[-1])), f"<b>{one.label}</b>", colour(tint)))
    here = float(chosen.variance(value, epsilon, low, high))
    if here > 0:
        asked = sorted(set(budgets))[:200]
        traces.append(
            scatter(
                asked,
                np.atleast_1d(chosen.variance(value, np.array(asked), low, high)),
                mode="markers",
                name="clients",
                marker={"color": TEXT, "size": 8},
                hovertemplate="a client's ε %{x:.3g}<extra></extra>",
            )
        )
    bottom = np.floor(min([*(e for e, _, _ in ends), 0.0]) - 0.2)
    top = np.ceil(max(np.log10(t["y"][0]) for t in traces[: len(names)]) + 0.1)
    return figure(
        traces,
        x={
            "title": "budget ε per weight",
            "type": "log",
            "range": [np.log10(first), np.log10(last)],
            "tickvals": [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 20, 100, 700],
        },
        y=log_axis(bottom, top),
        margin=label_margin(ends),
        annotations=end_labels(ends, bottom, top),
        shapes=[
            {
                "type": "line",
                "x0": epsilon,
                "x1": epsilon,
                "y0": 0,
                "y1": 1,
                "yref": "paper",
                "line": {"color": TEXT, "width": 1, "dash": "dot"},
            }
        ],
    )


def _law(
    mechanism: Mechanism,
    value: float,
    epsilon: float,
    low: float,
    high: float,
    name: str,
    tint: int | None,
) -> list[Trace]:
    """Stems for the atoms, an area for the density."""
    paint = MUTED if tint is None else colour(tint)
    traces = []
    atoms = mechanism.atoms(value, epsilon, low, high)
    if atoms.size:
        mass = np.exp(mechanism.log_prob(atoms, value, epsilon, low, high))
        gaps = np.full(atoms.size, np.nan)
        traces.append(
            scatter(
                np.stack([atoms, atoms, atoms], 1).ravel(),
                np.stack([np.zeros_like(mass), mass, gaps], 1).ravel(),
                mode="lines+markers",
                name=name,
                line={"color": paint, "width": 2 if tint is None else 5},
                marker={"color": paint, "size": 6 if tint is None else 9},
                hovertemplate="%{x:.3g}: %{y:.1%}<extra>" + name + "</extra>",
            )
        )
    edges = mechanism.edges(value, epsilon, low, high)
    if edges.size:
        spread = 5 * np.sqrt(mechanism.variance(value, epsilon, low, high))
        inside = np.nan_to_num(edges, posinf=value + spread, neginf=value - spread)
        step = 1e-9 * max(1.0, float(np.ptp(inside)))
        x = np.unique(
            np.concatenate([np.linspace(inside[0], inside[-1], POINTS), inside - step, inside + step])
        )
        y = np.exp(mechanism.log_prob(x, value, epsilon, low, high))
        style: dict[str, Any] = {"color": paint, "width": 1.5 if tint is None else 2.5}
        fill = {} if tint is None else {"fill": "tozeroy", "fillcolor": colour(tint, 0.15)}
        traces.append(
            scatter(x, y, mode="lines", name=name, line=style, hovertemplate="%{x:.3g}: %{y:.3g}", **fill)
        )
    return traces


def _probability(x: float, y: float, tint: int) -> dict[str, Any]:
    return {
        "x": x,
        "y": y,
        "text": f"<b>{percent(y)}</b> at {number(x)}",
        "showarrow": False,
        "xanchor": "left",
        "xshift": 8,
        "font": {"color": colour(tint), "size": 13},
    }


def _mark(x: float, y: float, text: str) -> dict[str, Any]:
    return {
        "x": x,
        "y": y,
        "text": text,
        "showarrow": False,
        "yanchor": "bottom",
        "font": {"color": TEXT, "size": 12},
    }


def _span(low: float, high: float) -> dict[str, Any]:
    return {
        "type": "rect",
        "x0": low,
        "x1": high,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "fillcolor": colour(0, 0.1),
        "line": {"width": 0},
        "layer": "below",
    }
