"""Chart of the five systems for one population: accuracy over the run's ε."""

import html
from collections.abc import Mapping, Sequence

import numpy as np

from ldp_core.limits import spelled
from ldp_core.papers.five import RUNS, PaperPoint
from ldp_core.papers.statements import stated
from pages.parts.charts.base import End, PlotlyFigure, Trace, colour, figure, look, note, scatter
from pages.parts.ui.text import percent

GAP = 7.0
"""Least distance between two names, in percentage points."""


def price_figure(found: Sequence[PaperPoint], tints: Mapping[str, int]) -> PlotlyFigure:
    """A line per system, with 95 % intervals."""
    traces: list[Trace] = []
    ends: list[End] = []
    for label, tint in tints.items():
        own = [one for one in found if one.label == label]
        if not own:
            continue
        paint, name = colour(tint), html.escape(label)
        halves = [one.accuracy.half if np.isfinite(one.accuracy.half) else 0.0 for one in own]
        traces.append(
            scatter(
                [one.run for one in own],
                [one.accuracy.mean for one in own],
                **look(paint, 2, 7),
                error_y={"array": halves, "color": colour(tint, 0.5), "thickness": 1, "width": 0},
                text=[
                    f"{name}, ε {spelled(int(one.run))} a run: {stated(one.accuracy)} right, "
                    f"{percent(one.leaked)} picked out"
                    for one in own
                ],
                hovertemplate="%{text}<extra></extra>",
            )
        )
        ends.append((own[-1].accuracy.mean, name, paint))
    return figure(
        traces,
        x={
            "title": "ε of a whole run",
            "type": "log",
            "range": [0.85, 5.9],
            "tickvals": list(RUNS),
            "ticktext": [spelled(int(run)) for run in RUNS],
            "showgrid": True,
        },
        y={"title": "accuracy, %", "range": [0, 104]},
        annotations=_names(ends),
        hovermode="closest",
    )


def _names(ends: Sequence[End]) -> list[dict[str, object]]:
    """Label right of each line's end, without overlaps."""
    spot, found = np.inf, []
    for y, name, paint in sorted(ends, reverse=True):
        spot = min(y, spot - GAP)
        found.append(note(np.log10(RUNS[-1]), spot, f"<b>{name}</b>", paint, xanchor="left", xshift=8))
    return found
