"""Chart of a population: each client's ε, and its noise."""

import itertools
from typing import Any

import numpy as np

from ldp_core.experiment import Experiment, plan
from ldp_core.theory import client_variance
from pages.parts.charts.base import (
    FONT,
    GRID,
    MUTED,
    PAPER,
    TEXT,
    Figure,
    colour,
    figure,
    log_axis,
    note,
    scatter,
)
from pages.parts.ui.text import covered, number

NAMED = 60
"""Number of clients up to which each is drawn as a point."""
MOST = 1000
"""Number of clients up to which all are drawn; of more, the extreme ones in each of BINS intervals."""
BINS = 250
HOVER = "client %{x}: %{y:.3~r}<extra></extra>"


def population_figure(experiment: Experiment) -> Figure:
    """Two charts over the clients: ε, and below it the standard deviation of the noise per weight."""
    count = experiment.clients.count
    budgets = experiment.clients.budgets()
    noise = np.sqrt(client_variance(plan(experiment)))
    pick = drawn(budgets, noise)
    x = pick + 1
    mode = "markers" if count <= NAMED else "lines"
    traces = []
    for values, tint, symbol in ((budgets, 2, "circle"), (np.where(noise > 0, noise, np.nan), 1, "diamond")):
        paint = colour(tint)
        style = {"line": {"shape": "hvh", "width": 2, "color": paint}, "hovertemplate": HOVER}
        marker = {"size": 9, "color": paint, "symbol": symbol}
        traces.append(scatter(x, values[pick], mode=mode, marker=marker, **style))
    traces[1]["yaxis"] = "y2"
    below = {"domain": [0, 0.39], "gridcolor": GRID, "automargin": True}
    head: dict[str, Any] = {**PAPER, "xanchor": "left", "yanchor": "bottom"}
    headings = [
        note(0, 1.02, f"<b>Budget ε</b>{covered(experiment)}", **head),
        note(0, 0.44, "<b>Noise σ per weight</b>", **head),
    ]
    return figure(
        traces,
        x={"title": "client", "range": [0.2, count + 0.8], "anchor": "y2", "tickformat": "d"},
        y={**_log(budgets), "domain": [0.56, 1]},
        yaxis2={**_log(noise), **below, "fixedrange": True, "tickfont": {"size": 12, "color": MUTED}},
        annotations=[heading | {"font": {**FONT, "color": TEXT}} for heading in headings],
        hovermode="closest",
        margin={"l": 8, "r": 8, "t": 22, "b": 8},
    )


def drawn(*curves: np.ndarray) -> np.ndarray:
    """Indices of the clients drawn: all, or of many those with a local extreme, so that outliers show."""
    count = len(curves[0])
    if count <= MOST:
        return np.arange(count)
    edges = np.linspace(0, count, BINS + 1).astype(int)
    kept = {0, count - 1}
    for low, high in itertools.pairwise(edges.tolist()):
        for curve in curves:
            part = curve[low:high]
            kept |= {low + int(part.argmin()), low + int(part.argmax())}
    return np.array(sorted(kept))


def left_out(count: int) -> str:
    """Note on clients that the chart leaves out; "" if none."""
    if count <= MOST:
        return ""
    return f"of every {number(round(count / BINS), 6)} neighbours, the lowest and the highest are drawn"


def _log(values: np.ndarray) -> dict[str, object]:
    positive = values[values > 0]
    low, high = (np.log10(positive.min()), np.log10(positive.max())) if positive.size else (0.0, 0.0)
    middle, half = (low + high) / 2, max(0.7, (high - low) / 2 + 0.2)
    return log_axis(middle - half, middle + half)
