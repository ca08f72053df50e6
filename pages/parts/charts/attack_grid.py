"""Charts of an attack grid over ε: quality of reconstructions, and identification."""

import html
from collections.abc import Sequence
from typing import Any

import numpy as np

from ldp_core import mechanisms
from ldp_core.attacks.findings.verdict import RECOVERED_DB
from ldp_core.runs import Desk, tint_of
from pages.parts.charts.base import MUTED, Figure, Lines, colour, line_style, scatter, share_axis
from pages.parts.charts.rounds import band
from pages.parts.ui.text import number, per

TICKS = [0.1, 0.2, 0.5, 1, 2, 4, 8, 16]
MOST_DB = 45.0
"""PSNR in dB at the axis's upper end; better copies look the same."""
CellBody = dict[str, Any]
GridLine = tuple[list[CellBody], list[list[float]], str | list[str]]
"""Cells of a mechanism, with value, low and high end of each, and the tooltip."""


def picture_figure(desk: Desk) -> Figure:
    """PSNR over ε, with the 95 % interval of the median, and that of guessing."""

    def decibels(cell: CellBody) -> list[float]:
        return [min(cell[end] or cell["psnr"], MOST_DB) for end in ("psnr", "psnr_low", "psnr_high")]

    levels = [
        (RECOVERED_DB, "the image is back"),
        (desk.start["psnr_class_mean"], "average of its class"),
        (desk.start["psnr_mean_image"], "average of all images"),
    ]
    lines: dict[str, GridLine] = {
        name: (cells, [decibels(cell) for cell in cells], [f"{cell['psnr']:.1f} dB" for cell in cells])
        for name, cells in _by_mechanism(desk).items()
    }
    return _over_budgets(desk, lines, levels, {"title": "PSNR, dB", "range": [0, MOST_DB], "nticks": 6})


def share_figure(desk: Desk) -> Figure:
    """Share of a real upload's images recovered over ε, with interval and chance."""
    chance = max([0.0, *(cell["recovered_non_members"] or 0.0 for cell in desk.cells.values())])
    shares = {"title": "share of its images back", **share_axis(1.02)}
    return _over_budgets(desk, _shares(desk, "recovered"), [(chance, "by chance")], shares)


def identification_figure(desk: Desk) -> Figure:
    """Identification rate over ε, with chance and the instance bound."""
    shares = {"title": "picked out", **share_axis(1.02)}
    guessing = [(desk.start["chance"], "guessing")]
    return _over_budgets(desk, _shares(desk, "identified"), guessing, shares, capped=True)


def _shares(desk: Desk, what: str) -> dict[str, GridLine]:
    found: dict[str, GridLine] = {}
    for name, cells in _by_mechanism(desk).items():
        known = [cell for cell in cells if cell[what] is not None]
        values = [[cell[what] / cell["n"], cell[f"{what}_low"], cell[f"{what}_high"]] for cell in known]
        found[name] = known, values, "%{y:.0%}"
    return found


def _over_budgets(
    desk: Desk,
    lines: dict[str, GridLine],
    levels: Sequence[tuple[float, str]],
    y: dict[str, Any],
    capped: bool = False,
) -> Figure:
    budgets = desk.start["ladder"]["epsilons"]
    first, last = budgets[0] / 1.1, budgets[-1] * 1.1
    chart = Lines()
    for (value, words), dash in zip(levels, ("dot", "dash", "longdash"), strict=False):
        chart.level(last, value, first=first, width=1, dash=dash, name=words)
    for name, (cells, values, hover) in lines.items():
        x = [cell["epsilon"] for cell in cells]
        mean, low, high = np.reshape(values, (-1, 3)).T.tolist()
        tint, label = tint_of(mechanisms.registry, name), html.escape(mechanisms.registry.kind(name).label)
        chart.add(band(np.array(x), np.array(high), np.array(low), tint, 0.14))
        curve = scatter(x, mean, name=label, hovertemplate=hover, **line_style(colour(tint), 3, 6))
        chart.add(curve, *(mean[-1], f"<b>{label}</b>", colour(tint)) if mean else ())
        cap = (
            [c["value"] for cell in cells for c in cell["caps"] if c["name"] == "instance"] if capped else []
        )
        if cap and len(cap) == len(cells):
            dashed = line_style(colour(tint), 1.5, dash="dash")
            chart.add(scatter(x, cap, hovertemplate="at most %{y:.0%}", **dashed))
    chart.ends += [(value, words, MUTED) for value, words in levels]
    ticks = [tick for tick in TICKS if first <= tick <= last]
    ends = [float(np.log10(first)), float(np.log10(last))]
    title = f"budget ε {per(mechanisms.get(name) for name in _by_mechanism(desk))}"
    return chart.figure(x={"title": title, "type": "log", "range": ends, "tickvals": ticks}, y=y)


def _by_mechanism(desk: Desk) -> dict[str, list[CellBody]]:
    """Attacked cells of each mechanism, in the order of ε."""
    ladder = desk.start["ladder"]
    names = [one["name"] if isinstance(one, dict) else one for one in ladder["mechanisms"]]
    return {
        name: [desk.cells[name, e] for e in ladder["epsilons"] if (name, e) in desk.cells] for name in names
    }


def ends_in_words(desk: Desk, what: str) -> str:
    """Alternative text of a chart: the last value of each mechanism."""
    ends = [(name, cells[-1]) for name, cells in _by_mechanism(desk).items() if cells]
    words = [f"{name}: {number(cell[what] or 0)} at ε {number(cell['epsilon'])}" for name, cell in ends]
    return "; ".join(words) or "no values yet"
