"""Charts of a claim: final figures of its arms, and their accuracy over rounds."""

import html
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.papers import Claim
from ldp_core.papers.statements import quantity, stated
from ldp_core.papers.stored import Shelf
from ldp_core.papers.verdict import of_arm
from ldp_core.runs import Style, styles
from pages.parts.charts.base import MUTED, TEXT, PlotlyFigure, Trace, colour, figure, look, scatter

MOST_LINES = 12


def arms_figure(claim: Claim, shelf: Shelf) -> PlotlyFigure:
    """A dot with an interval for each arm; a diamond for the paper's figure."""
    about, markers = quantity(claim.about), _markers(claim)
    unit = about.unit
    shown = [arm for arm in claim.measured if shelf.of_arm(claim, arm.label)][::-1]
    traces: list[Trace] = []
    for arm in shown:
        ours = of_arm(claim, shelf, arm.label)
        if ours is None:
            continue
        marker = markers[arm.label]
        half = ours.half if np.isfinite(ours.half) else 0.0
        error = {"type": "data", "array": [half], "color": marker["color"], "thickness": 1.5, "width": 4}
        hover = f"{stated(ours, unit)}<extra></extra>"
        traces.append(_dots([ours.mean], [arm.label], error_x=error, marker=marker, hovertemplate=hover))
    printed = [arm.label for arm in shown if arm.label in claim.paper]
    if printed:
        marker = {"size": 11, "color": TEXT, "symbol": "diamond-open"}
        hover = f"the paper: %{{x:.4~r}} {unit}<extra></extra>"
        values = [claim.paper[name] for name in printed]
        traces.append(_dots(values, printed, marker=marker, hovertemplate=hover))
    names = [html.escape(arm.label) for arm in shown]
    return figure(
        traces,
        x={"title": about.axis, "showgrid": True},
        y={"type": "category", "categoryorder": "array", "categoryarray": names},
        hovermode="closest",
    )


def rounds_figure(claim: Claim, shelf: Shelf) -> PlotlyFigure | None:
    """Mean accuracy over rounds of the paper's own arms; None without training."""
    controls = {control.arm for control in claim.controls}
    made = styles_of(claim)
    traces: list[Trace] = []
    for arm in [arm for arm in claim.measured if arm.label not in controls][:MOST_LINES]:
        curves = [one.curve for one in shelf.of_arm(claim, arm.label).values() if one.curve]
        if curves:
            mean = [100 * float(np.mean([v for v in at if v is not None])) for at in zip_longest(*curves)]
            style = look(colour(made[arm.label].tint), 2, dash=made[arm.label].dash)
            hover = f"{html.escape(arm.label)}: %{{y:.1f}} %<extra></extra>"
            traces.append(scatter(np.arange(len(mean)), mean, **style, hovertemplate=hover))
    y = {"title": "accuracy, %", "rangemode": "tozero"}
    tip = {"font": {"size": 12, "color": MUTED}, "bgcolor": "var(--st-secondary-background-color)"}
    return figure(traces, x={"title": "round"}, y=y, hoverlabel=tip) if traces else None


def _markers(claim: Claim) -> dict[str, dict[str, Any]]:
    """Marker of each arm, hollow for a control."""
    controls = {control.arm for control in claim.controls}
    return {
        label: {
            "size": 9,
            "color": colour(style.tint),
            "symbol": "circle-open" if label in controls else "circle",
        }
        for label, style in styles_of(claim).items()
    }


def styles_of(claim: Claim) -> dict[str, Style]:
    """Style of each arm: its part's colour as on every page; dashes distinguish populations."""
    sets = [Variant(arm.label, arm.set) for arm in claim.measured]
    found = styles(Draft(claim.draft.base if claim.draft else parse({}), tuple(sets)), shared=True)
    return {variant.label: style for variant, style in zip(sets, found, strict=True)}


def _dots(x: Sequence[float], names: Sequence[str], **options: Any) -> Trace:
    y = [html.escape(name) for name in names]
    return {"type": "scatter", "x": list(x), "y": y, "mode": "markers", "showlegend": False, **options}
