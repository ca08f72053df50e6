"""The law of a mechanism's answer for one weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ldp_core.mechanisms import Mechanism
from pages.parts.charts.base import MUTED, TEXT, Trace, colour, figure, rounded_up, scatter
from pages.parts.ui.figure_json import Figure
from pages.parts.ui.text import THIN, number, percent, range_in_words, signed

POINTS = 160
SELDOM, FEW = 0.005, 3
"""What is answered more seldom is not written there, if it is one of more answers than these."""
YIELDS = "yields"
"""The name of an annotation that is left out where it would cover one before it (assets/web/labels.js)."""


def law_figure(
    mechanism: Mechanism, tint: int, weight: float, epsilon: float, low: float, high: float
) -> Figure:
    """Density or probabilities of the answer for a weight, which is clipped first, and for the end of the
    range farthest from it.
    """
    value = min(max(weight, low), high)
    other = low if value - low > high - value else high
    traces, notes = [], []
    for one, name, paint in ((other, f"if it were {signed(other)}", None), (value, "this weight", tint)):
        law = _law(mechanism, one, epsilon, low, high, name, paint)
        traces += law
        if paint is not None and law and law[0]["mode"] != "lines":
            found = list(zip(law[0]["x"][1::3].tolist(), law[0]["y"][1::3].tolist(), strict=True))
            likeliest = sorted(found, key=lambda stem: -stem[1])
            seldom = SELDOM if len(found) > FEW else 0.0
            notes += [probability(x, y, tint) for x, y in likeliest if y > seldom]
    which = "true" if value == weight else "clipped"
    highest = max((float(np.nanmax(trace["y"])) for trace in traces), default=1.0)
    top = 1.2 if notes else rounded_up(1.1 * highest)
    return figure(
        traces,
        x={"title": "what is sent", "range": _across(traces, low, high), "nticks": 6},
        y={
            "title": "probability" if notes else "density",
            "range": [0, top],
            "tickformat": ".0%" if notes else "~g",
            "nticks": 5,
        },
        hovermode="closest",
        margin={"l": 8, "r": 8, "t": 26, "b": 8},
        annotations=[_mark(value, top, f"{which} weight {signed(value)}"), *notes],
        shapes=[_span(low, high), _line(value)],
    )


def grey(mechanism: Mechanism, low: float, high: float) -> str:
    """What the second law beside that of the weight is."""
    if mechanism.region == "ball":
        return "grey: a weight from the other end of what is shaded; uploads are shortened to a length"
    return f"grey: a weight from the other end of the safe range, {range_in_words(low, high)} (shaded)"


def _across(traces: Sequence[Trace], low: float, high: float) -> list[float]:
    """From the least to the largest that may be sent, and a little more."""
    centre = (low + high) / 2
    farthest = max([high - centre, *(float(np.abs(trace["x"] - centre).max()) for trace in traces)])
    half = 1.06 * rounded_up(farthest)
    return [centre - half, centre + half]


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
    traces = []
    law = mechanism.at(epsilon, low, high)
    atoms = law.atoms(value)
    if atoms.size:
        mass = np.exp(law.marginal_log_prob(atoms, value))
        gaps = np.full(atoms.size, np.nan)
        traces.append(
            scatter(
                np.stack([atoms, atoms, atoms], 1).ravel(),
                np.stack([np.zeros_like(mass), mass, gaps], 1).ravel(),
                name=name,
                hovertemplate="%{x:.3g}: %{y:.1%}<extra>" + name + "</extra>",
                **stems(tint),
            )
        )
    edges = law.edges(value)
    if edges.size:
        spread = 5 * np.sqrt(law.variance(value))
        inside = np.nan_to_num(edges, posinf=value + spread, neginf=value - spread)
        step = 1e-9 * max(1.0, float(np.ptp(inside)))
        grid = np.linspace(inside[0], inside[-1], POINTS)
        x = np.setdiff1d(np.concatenate([grid, inside - step, inside + step]), atoms)
        y = np.exp(law.marginal_log_prob(x, value))
        traces.append(scatter(x, y, name=name, **area(tint)))
    return traces


def stems(tint: int | None) -> dict[str, Any]:
    """How atoms look: of this weight in its colour, of the other end thin and grey."""
    paint = MUTED if tint is None else colour(tint)
    line, marker = (
        {"color": paint, "width": 2 if tint is None else 5},
        {"color": paint, "size": 6 if tint is None else 9},
    )
    shown = {"type": "scatter", "mode": "lines+markers", "showlegend": True, "cliponaxis": False}
    return {**shown, "line": line, "marker": marker}


def area(tint: int | None) -> dict[str, Any]:
    """How a density looks."""
    line: dict[str, Any] = {
        "color": MUTED if tint is None else colour(tint),
        "width": 1.5 if tint is None else 2.5,
    }
    fill = {} if tint is None else {"fill": "tozeroy", "fillcolor": colour(tint, 0.15)}
    hover = "%{x:.3g}: %{y:.3g}"
    shown = {"type": "scatter", "mode": "lines", "showlegend": True}
    return {**shown, "line": line, "hovertemplate": hover, **fill}


def chance(probability: float) -> str:
    """In per cent; one that is near none or all with as many digits as that takes (assets/web/law.js too)."""
    if SELDOM < probability < 1 - SELDOM or probability in (0.0, 1.0):
        return percent(probability)
    return f"{number(100 * probability, 2 if probability < SELDOM else 4)}{THIN}%"


def probability(x: float, y: float, tint: int) -> dict[str, Any]:
    return {
        "x": x,
        "y": y,
        "text": f"<b>{chance(y)}</b> at {signed(x)}",
        "showarrow": False,
        "xanchor": "center",
        "yanchor": "bottom",
        "yshift": 6,
        "name": YIELDS,
        "font": {"color": colour(tint), "size": 12},
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


def _line(x: float) -> dict[str, Any]:
    line = {"color": TEXT, "width": 1}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": line}


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
