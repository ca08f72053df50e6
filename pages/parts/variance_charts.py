"""The variance of all mechanisms' answers: against the budget, and against the weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ldp_core import mechanisms
from ldp_core.mechanisms import Mechanism, Use
from ldp_core.mechanisms.base import Floats
from pages.parts.charts import (
    MUTED,
    TEXT,
    Figure,
    Trace,
    colour,
    end_labels,
    figure,
    label_margin,
    leaders,
    log_axis,
    scatter,
)
from pages.parts.styles import tint_of
from pages.parts.text import number

TICKS = [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 20, 100, 700]
NOT_COMPARED = ("none", "ldpsign")
"""No noise has no place on a logarithmic axis, and a sign is no estimate of a weight."""

Chosen = Mapping[str, Mechanism]
"""Mechanisms of the designs by name, with their own parameters and forms."""


def all_mechanisms(chosen: Chosen, use: Use) -> dict[str, Mechanism]:
    """One of each, the chosen ones as they were chosen."""
    names = [name for name in mechanisms.registry.labels() if name not in NOT_COMPARED]
    return {name: chosen.get(name) or mechanisms.get(name).fitted(use) for name in names}


def against_budget(
    chosen: Chosen, use: Use, value: float, epsilon: float, budgets: Sequence[float], low: float, high: float
) -> Figure:
    """Variance for one weight against ε, with the points where chosen mechanisms change places."""
    first, last = min(0.1, *budgets, epsilon), max(20.0, *budgets, epsilon)
    x = np.geomspace(first, last, 80)
    curves = {name: _curve(one, value, x, low, high) for name, one in all_mechanisms(chosen, use).items()}
    bottom, top = _span(curves, chosen)
    ends = _ends(curves, chosen)
    traces = _lines(x, curves, chosen)
    asked = np.array(sorted(set(budgets))[:100])
    for name, one in chosen.items():
        if name in curves:
            y = np.atleast_1d(one.variance(value, asked, low, high))
            dots = {"color": colour(tint_of(mechanisms.registry, name)), "size": 8}
            hover = "a client's ε %{x:.3g}<extra></extra>"
            traces.append(scatter(asked, y, mode="markers", marker=dots, hovertemplate=hover))
    marks = crossings(x, curves, chosen)
    if marks:
        traces.append(
            scatter(
                [m[0] for m in marks],
                [m[1] for m in marks],
                mode="markers+text",
                text=[f"ε {number(m[0])}" for m in marks],
                textposition="top right",
                textfont={"color": TEXT, "size": 12},
                marker={"color": TEXT, "size": 9, "symbol": "x-thin", "line": {"width": 2, "color": TEXT}},
                hovertemplate=[f"{m[2]}: ε {m[0]:.4g}<extra></extra>" for m in marks],
            )
        )
    return figure(
        traces,
        x={
            "title": "budget ε",
            "type": "log",
            "range": [np.log10(first), np.log10(last)],
            "tickvals": TICKS,
        },
        y=log_axis(bottom, top),
        margin=label_margin(ends),
        annotations=end_labels(ends, bottom, top),
        shapes=[*leaders(ends, bottom, top), _here(epsilon)],
    )


def against_value(chosen: Chosen, use: Use, value: float, epsilon: float, low: float, high: float) -> Figure:
    """Variance at one budget against the weight."""
    x = np.linspace(low, high, 41)
    curves = {
        name: np.broadcast_to(np.asarray(one.variance(x, epsilon, low, high)), x.shape)
        for name, one in all_mechanisms(chosen, use).items()
    }
    bottom, top = _span(curves, chosen)
    ends = _ends(curves, chosen)
    return figure(
        _lines(x, curves, chosen),
        x={"title": "the weight", "range": [low, high], "nticks": 6},
        y=log_axis(bottom, top),
        margin=label_margin(ends),
        annotations=end_labels(ends, bottom, top),
        shapes=[*leaders(ends, bottom, top), _here(value)],
    )


def crossings(x: Floats, curves: Mapping[str, Floats], chosen: Chosen) -> list[tuple[float, float, str]]:
    """Where two chosen mechanisms have the same variance: ε, the variance, and their names."""
    found = []
    for one, other in combinations([name for name in chosen if name in curves], 2):
        gap = np.log(curves[one]) - np.log(curves[other])
        for i in np.flatnonzero(gap[1:] * gap[:-1] < 0):
            share = gap[i] / (gap[i] - gap[i + 1])
            epsilon = float(np.exp(np.log(x[i]) + share * (np.log(x[i + 1]) - np.log(x[i]))))
            height = float(np.exp(np.log(curves[one][i]) * (1 - share) + np.log(curves[one][i + 1]) * share))
            labels = " and ".join(mechanisms.registry.kind(name).label for name in (one, other))
            found.append((epsilon, height, f"{labels} change places"))
    return found


def _curve(one: Mechanism, value: float, x: Floats, low: float, high: float) -> Floats:
    return np.broadcast_to(np.asarray(one.variance(value, x, low, high)), x.shape)


def _lines(x: Floats, curves: Mapping[str, Floats], chosen: Chosen) -> list[Trace]:
    others = [y for name, y in curves.items() if name not in chosen]
    gap = np.array([np.nan])
    # all that were not chosen are one trace with gaps: a tenth of the work for the browser
    grey = scatter(
        np.concatenate([np.append(x, x[-1]) for _ in others] or [x[:0]]),
        np.concatenate([np.concatenate([y, gap]) for y in others] or [x[:0]]),
        mode="lines",
        line={"color": MUTED, "width": 1},
        hoverinfo="skip",
    )
    traces = [grey]
    for name in chosen:
        if name in curves:
            style = {"color": colour(tint_of(mechanisms.registry, name)), "width": 3.5}
            label = mechanisms.registry.kind(name).label
            traces.append(
                scatter(x, curves[name], mode="lines", name=label, line=style, hovertemplate="%{y:.3g}")
            )
    return traces


def _ends(curves: Mapping[str, Floats], chosen: Chosen) -> list[tuple[float, str, str]]:
    ends = []
    for name, y in curves.items():
        label, mine = mechanisms.registry.kind(name).label, name in chosen
        paint = colour(tint_of(mechanisms.registry, name)) if mine else MUTED
        ends.append((float(np.log10(y[-1])), f"<b>{label}</b>" if mine else label, paint))
    return ends


def _span(curves: Mapping[str, Floats], chosen: Chosen) -> tuple[float, float]:
    """The powers of ten between which the curves lie."""
    lows, highs = (f(np.log10([f(y) for y in curves.values()])) for f in (np.min, np.max))
    return float(np.floor(lows - 0.1)), float(np.ceil(highs + 0.05))


def _here(x: float) -> dict[str, Any]:
    line = {"color": TEXT, "width": 1, "dash": "dot"}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": line}
