"""The five systems side by side: accuracy against leakage, and what a client sends in a round."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

import numpy as np

from ldp_core.limits import spelled
from ldp_core.papers.side_by_side import CHANCE, Point
from ldp_core.papers.statements import told
from pages.parts.charts.base import MUTED, Trace, colour, figure, scatter
from pages.parts.charts.styles import Style
from pages.parts.ui.figure_json import Figure
from pages.parts.ui.text import percent

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
GAP = 6.0
"""Points of accuracy between two names, at least."""
LEFT = 0.2
"""Nearer to guessing than this the name goes to the left: all lines go off to the right."""
RIGHT = 0.9
"""From this share on a name stands left of its line's end."""


def leak_figure(found: Sequence[Point], looks: Mapping[str, Style]) -> Figure:
    """A line a system, through its budgets; with 95 % intervals both ways, and what guessing gives."""
    traces: list[Trace] = [
        scatter(
            [CHANCE, CHANCE],
            [0, 100],
            mode="lines",
            line={"color": MUTED, "width": 1, "dash": "dot"},
            hoverinfo="skip",
        )
    ]
    ends: list[tuple[float, float, str, str]] = []
    for label, look in looks.items():
        own = [one for one in found if one.label == label]
        if not own:
            continue
        paint, name = colour(look.tint), html.escape(label)
        bars = {"type": "data", "color": colour(look.tint, 0.5), "thickness": 1, "width": 0}
        halves = [one.accuracy.half if np.isfinite(one.accuracy.half) else 0.0 for one in own]
        traces.append(
            scatter(
                [one.leaked for one in own],
                [one.accuracy.mean for one in own],
                mode="lines+markers",
                line={"color": paint, "width": 2, "dash": look.dash},
                marker={"color": paint, "size": 7},
                error_y={**bars, "array": halves},
                error_x={
                    **bars,
                    "symmetric": False,
                    "array": [one.high - one.leaked for one in own],
                    "arrayminus": [one.leaked - one.low for one in own],
                },
                text=[
                    f"{name}, ε {spelled(int(one.run))} a run: {told(one.accuracy)} right, "
                    f"{percent(one.leaked)} picked out"
                    for one in own
                ],
                hovertemplate="%{text}<extra></extra>",
            )
        )
        ends.append((own[-1].leaked, own[-1].accuracy.mean, name, paint))
    guess = {"x": CHANCE, "y": 100, "text": "guessing", "font": {"size": 12, "color": MUTED}}
    place = {"showarrow": False, "xanchor": "left", "xshift": 4}
    return figure(
        traces,
        x={
            "title": "images picked out of ten candidates",
            "range": [0, 1.03],
            "tickvals": list(SHARES),
            "ticktext": [percent(share) for share in SHARES],
            "showgrid": True,
        },
        y={"title": "accuracy, %", "range": [0, 104]},
        annotations=[{**guess, **place}, *_names(ends)],
        hovermode="closest",
    )


def _names(ends: Sequence[tuple[float, float, str, str]]) -> list[dict[str, object]]:
    """A name beside each line's end, on the side where there is room; none over another."""
    spot, found = np.inf, []
    for x, y, name, paint in sorted(ends, key=lambda one: -one[1]):
        spot, left = min(y, spot - GAP), not LEFT < x < RIGHT
        found.append(
            {
                "x": x,
                "y": spot,
                "text": f"<b>{name}</b>",
                "font": {"size": 12, "color": paint},
                "showarrow": False,
                "xanchor": "right" if left else "left",
                "xshift": -5 if left else 10,
            }
        )
    return found


def traffic_figure(sent: Mapping[str, float], tints: Mapping[str, int]) -> Figure:
    """Bytes that a client sends in a round in which it takes part, in as few bits as it takes."""
    names = list(tints)[::-1]
    trace: Trace = {
        "type": "scatter",
        "mode": "markers+text",  # a bar's length would mean nothing on this axis
        "x": [sent[name] for name in names],
        "y": [html.escape(name) for name in names],
        "marker": {"color": [colour(tints[name]) for name in names], "size": 11},
        "text": [f" {spelled(round(sent[name]))}" for name in names],
        "textposition": "middle right",
        "cliponaxis": False,
        "showlegend": False,
        "hoverinfo": "skip",
    }
    most = float(np.log10(max(sent.values())))
    return figure(
        [trace],
        x={"title": "bytes", "type": "log", "range": [-0.3, most + 0.6], "dtick": 1, "showgrid": True},
        y={"type": "category", "categoryorder": "array", "categoryarray": trace["y"], "showgrid": True},
        hovermode="closest",
    )
