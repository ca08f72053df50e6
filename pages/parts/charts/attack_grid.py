"""Charts of an attack grid over ε: quality of reconstructions, and identification."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import numpy as np

from ldp_core import mechanisms
from ldp_core.attacks.findings.verdict import RECOVERED_DB
from ldp_core.runs import Desk
from pages.parts.charts.base import MUTED, Trace, colour, figure, scatter, share_axis
from pages.parts.charts.styles import tint_of
from pages.parts.ui.figure_json import Figure
from pages.parts.ui.text import number

TICKS = [0.1, 0.2, 0.5, 1, 2, 4, 8, 16]
MOST_DB = 45.0
"""PSNR in dB at the axis's upper end; better copies look the same."""
End = tuple[float, str, str]


def picture_figure(desk: Desk) -> Figure:
    """PSNR over ε, with the 95 % interval of the median, and that of guessing."""
    traces: list[Trace] = []
    ends: list[End] = []
    for name in _names(desk):
        cells = _cells(desk, name)
        x = [cell["epsilon"] for cell in cells]
        y = [min(cell["psnr"], MOST_DB) for cell in cells]
        low = [min(cell["psnr_low"] or cell["psnr"], MOST_DB) for cell in cells]
        high = [min(cell["psnr_high"] or cell["psnr"], MOST_DB) for cell in cells]
        traces += _line(name, x, y, low, high, [f"{cell['psnr']:.1f} dB" for cell in cells])
        ends += _end(name, y)
    levels = [
        (RECOVERED_DB, "the image is back"),
        (desk.start["psnr_class_mean"], "average of its class"),
        (desk.start["psnr_mean_image"], "average image"),
    ]
    decibels = {"title": "PSNR, dB", "range": [0, MOST_DB], "nticks": 6}
    return _over_budgets(desk, traces, ends, levels, decibels)


def share_figure(desk: Desk) -> Figure:
    """Share of a real upload's images recovered over ε, with interval and chance."""
    traces: list[Trace] = []
    ends: list[End] = []
    chance = 0.0
    for name in _names(desk):
        cells = _cells(desk, name)
        x = [cell["epsilon"] for cell in cells]
        y = [cell["recovered"] / cell["n"] for cell in cells]
        bounds = [[cell[f"recovered_{end}"] for cell in cells] for end in ("low", "high")]
        traces += _line(name, x, y, bounds[0], bounds[1], "%{y:.0%}")
        ends += _end(name, y)
        chance = max([chance, *(cell["recovered_non_members"] or 0.0 for cell in cells)])
    shares = {"title": "share of its images back", **share_axis(1.02)}
    return _over_budgets(desk, traces, ends, [(chance, "by chance")], shares)


def identification_figure(desk: Desk) -> Figure:
    """Identification rate over ε, with chance and the instance bound."""
    traces: list[Trace] = []
    ends: list[End] = []
    for name in _names(desk):
        cells = [cell for cell in _cells(desk, name) if cell["identified"] is not None]
        x = [cell["epsilon"] for cell in cells]
        y = [cell["identified"] / cell["n"] for cell in cells]
        bounds = [[cell[f"identified_{end}"] for cell in cells] for end in ("low", "high")]
        traces += _line(name, x, y, bounds[0], bounds[1], "%{y:.0%}")
        cap = [c["value"] for cell in cells for c in cell["caps"] if c["name"] == "instance"]
        if cap and len(cap) == len(cells):
            style = {"color": _paint(name), "width": 1.5, "dash": "dash"}
            traces.append(scatter(x, cap, mode="lines", line=style, hovertemplate="at most %{y:.0%}"))
        ends += _end(name, y)
    chance = desk.start["chance"]
    shares = {"title": "picked out", **share_axis(1.02)}
    return _over_budgets(desk, traces, ends, [(chance, "guessing")], shares)


def _over_budgets(
    desk: Desk,
    traces: Sequence[Trace],
    ends: Sequence[End],
    levels: Sequence[tuple[float, str]],
    y: dict[str, Any],
) -> Figure:
    budgets = desk.start["ladder"]["epsilons"]
    first, last = budgets[0] / 1.1, budgets[-1] * 1.1
    dashed = {"color": MUTED, "width": 1, "dash": "dot"}
    lines = [
        scatter([first, last], [level, level], mode="lines", line=dashed, hoverinfo="skip")
        for level, _ in levels
    ]
    labels = [*ends, *((level, words, MUTED) for level, words in levels)]
    return figure(
        [*lines, *traces],
        x={
            "title": "budget ε, per use of the mechanism",
            "type": "log",
            "range": [float(np.log10(first)), float(np.log10(last))],
            "tickvals": [tick for tick in TICKS if first <= tick <= last],
        },
        y=y,
        ends=labels,
    )


def _line(
    name: str, x: list[float], y: list[float], low: list[float], high: list[float], hover: str | list[str]
) -> list[Trace]:
    paint = _paint(name)
    band = {"fill": "toself", "fillcolor": colour(_tint(name), 0.14), "hoverinfo": "skip"}
    return [
        scatter([*x, *reversed(x)], [*low, *reversed(high)], mode="lines", line={"width": 0}, **band),
        scatter(
            x,
            y,
            mode="lines+markers",
            name=html.escape(mechanisms.registry.kind(name).label),
            line={"color": paint, "width": 3},
            marker={"color": paint, "size": 6},
            hovertemplate=hover,
        ),
    ]


def _end(name: str, y: list[float]) -> list[End]:
    label = f"<b>{html.escape(mechanisms.registry.kind(name).label)}</b>"
    return [(y[-1], label, _paint(name))] if y else []


def _names(desk: Desk) -> list[str]:
    return [one["name"] if isinstance(one, dict) else one for one in desk.start["ladder"]["mechanisms"]]


def _cells(desk: Desk, name: str) -> list[dict[str, Any]]:
    return [desk.cells[name, e] for e in desk.start["ladder"]["epsilons"] if (name, e) in desk.cells]


def _tint(name: str) -> int:
    return tint_of(mechanisms.registry, name)


def _paint(name: str) -> str:
    return colour(_tint(name))


def ends_in_words(desk: Desk, what: str) -> str:
    """Alternative text of a chart: the last value of each mechanism."""
    ends = []
    for name in _names(desk):
        cells = _cells(desk, name)
        if cells:
            ends.append(f"{name}: {number(cells[-1][what] or 0)} at ε {number(cells[-1]['epsilon'])}")
    return "; ".join(ends) or "no values yet"
