"""Charts of the output variance of all mechanisms, over ε and over the weight."""

import html
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ldp_core import mechanisms
from ldp_core.mechanisms import Mechanism, Use
from ldp_core.mechanisms.base import Floats
from ldp_core.runs import DASHES, tint_of
from pages.parts.charts.base import MUTED, TEXT, Figure, Trace, colour, figure, log_axis, scatter
from pages.parts.noise.designs import View
from pages.parts.ui.text import number, shortened

TICKS = [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 20, 100, 700]
COMPARED = "estimate"
"""Role of the compared mechanisms; zero noise has no place on a logarithmic axis, and a vote is no
estimate.
"""
HOVER = "%{y:.3~r}"


class VarianceCurve(NamedTuple):
    """One mechanism's line; chosen ones are coloured and in front."""

    label: str
    y: Floats
    tint: int | None
    dash: str = "solid"


def against_budget(seen: Sequence[View], use: Use, value: float, budgets: Sequence[float]) -> Figure:
    """Variance for one weight over ε, with crossings of the chosen mechanisms."""
    epsilon = seen[0].epsilon
    first, last = min(0.1, *budgets, epsilon), max(20.0, *budgets, epsilon)
    x = np.geomspace(first, last, 80)
    drawn = _curves(seen, use, x, lambda m, view: m.variance(value, x, view.low, view.high))
    traces = _lines(x, drawn)
    asked = np.array(sorted(set(budgets))[:100])
    for view in seen:
        if view.mechanism.role == COMPARED:
            y = np.atleast_1d(view.mechanism.variance(value, asked, view.low, view.high))
            dots = {"color": colour(tint_of(mechanisms.registry, view.mechanism.name)), "size": 8}
            hover = "a client's ε %{x:.3~r}<extra></extra>"
            traces.append(scatter(asked, y, mode="markers", marker=dots, hovertemplate=hover))
    if marks := crossings(x, [curve for curve in drawn if curve.tint is not None]):
        places, heights, _ = zip(*marks, strict=True)
        traces.append(
            scatter(
                places,
                heights,
                mode="markers+text",
                text=[f"ε {number(place)}" for place in places],
                textposition="top right",
                textfont={"color": TEXT, "size": 12},
                marker={"color": TEXT, "size": 9, "symbol": "x-thin", "line": {"width": 2, "color": TEXT}},
                hovertemplate=[f"{m[2]}: ε {m[0]:.4g}<extra></extra>" for m in marks],
            )
        )
    ends = [np.log10(first), np.log10(last)]
    axis = {"title": f"budget ε{seen[0].per}", "type": "log", "range": ends, "tickvals": TICKS}
    return _drawn(drawn, traces, axis, epsilon)


def against_value(seen: Sequence[View], use: Use, value: float) -> Figure:
    low, high = min(view.low for view in seen), max(view.high for view in seen)
    x = np.linspace(low, high, 41)
    drawn = _curves(seen, use, x, lambda m, view: m.variance(x, view.epsilon, view.low, view.high))
    axis = {"title": "the weight", "range": [low, high], "nticks": 6}
    return _drawn(drawn, _lines(x, drawn), axis, value)


def _curves(
    seen: Sequence[View], use: Use, x: Floats, at: Callable[[Mechanism, View], Any]
) -> list[VarianceCurve]:
    """The designs and all other mechanisms; `at` gives variances along x, for a design's range."""

    def y(mechanism: Mechanism, view: View) -> Floats:
        return np.broadcast_to(np.asarray(at(mechanism, view), dtype=np.float64), x.shape)

    chosen = [view for view in seen if view.mechanism.role == COMPARED]
    tints = [tint_of(mechanisms.registry, view.mechanism.name) for view in chosen]
    found = [
        VarianceCurve(view.name, y(view.mechanism, view), tint, DASHES[tints[:n].count(tint) % len(DASHES)])
        for n, (view, tint) in enumerate(zip(chosen, tints, strict=True))
    ]
    names = {view.mechanism.name for view in chosen}
    for name, label in mechanisms.offered(use.labels > 1).items():
        one = mechanisms.get(name).fitted(use)
        if name not in names and one.role == COMPARED:
            found.append(VarianceCurve(label, y(one, seen[0]), None))
    return found


def crossings(x: Floats, drawn: Sequence[VarianceCurve]) -> list[tuple[float, float, str]]:
    """Points of equal variance of two curves: ε, variance, names."""
    found = []
    for one, other in combinations(drawn, 2):
        gap = np.log(one.y) - np.log(other.y)
        for i in np.flatnonzero(gap[1:] * gap[:-1] < 0):
            share = gap[i] / (gap[i] - gap[i + 1])
            epsilon = float(np.exp(np.log(x[i]) + share * (np.log(x[i + 1]) - np.log(x[i]))))
            height = float(np.exp(np.log(one.y[i]) * (1 - share) + np.log(one.y[i + 1]) * share))
            found.append((epsilon, height, f"{one.label} and {other.label} change places"))
    return found


def _lines(x: Floats, drawn: Sequence[VarianceCurve]) -> list[Trace]:
    others = [curve.y for curve in drawn if curve.tint is None]
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
    for curve in drawn:
        if curve.tint is not None:
            style = {"color": colour(curve.tint), "width": 3.5, "dash": curve.dash}
            label = html.escape(curve.label)
            traces.append(scatter(x, curve.y, mode="lines", name=label, line=style, hovertemplate=HOVER))
    return traces


def _drawn(drawn: Sequence[VarianceCurve], traces: list[Trace], axis: dict[str, Any], here: float) -> Figure:
    ends = []
    for curve in drawn:
        text = html.escape(shortened(curve.label, 24))
        paint = MUTED if curve.tint is None else colour(curve.tint)
        ends.append((float(np.log10(curve.y[-1])), text if curve.tint is None else f"<b>{text}</b>", paint))
    heights = np.log10([curve.y for curve in drawn])
    bottom, top = float(np.floor(heights.min() - 0.1)), float(np.ceil(heights.max() + 0.05))
    return figure(traces, x=axis, y=log_axis(bottom, top), ends=ends, shapes=[upright(here)])


def upright(x: float) -> dict[str, Any]:
    line = {"color": TEXT, "width": 1, "dash": "dot"}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": line}
