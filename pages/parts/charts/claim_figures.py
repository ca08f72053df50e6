"""Charts of a claim: final figures of its arms, and their accuracy over rounds."""

from __future__ import annotations

import html
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from ldp_core.experiment import Draft, Variant, parse
from ldp_core.papers import Claim
from ldp_core.papers.arms import Arm, Computed, Records, Trained
from ldp_core.papers.reasons import of_arm
from ldp_core.papers.statements import stated
from ldp_core.papers.stored import Shelf
from pages.parts.charts.base import MUTED, TEXT, Trace, colour, figure, scatter
from pages.parts.charts.styles import Style, styles
from pages.parts.ui.figure_json import Figure

MOST_LINES = 12


def arms_figure(claim: Claim, shelf: Shelf) -> Figure:
    """A dot with an interval for each arm; a diamond for the paper's figure."""
    controls = {control.arm for control in claim.controls}
    made = styles_of(claim)
    unit = claim.quantity.unit
    shown = [a for a in claim.measured if claim.unit(a) == unit and shelf.of_arm(claim, a.label)][::-1]
    traces: list[Trace] = []
    for arm in shown:
        ours = of_arm(claim, shelf, arm.label)
        if ours is None:
            continue
        tint = colour(made[arm.label].tint)
        half = ours.half if np.isfinite(ours.half) else 0.0
        traces.append(
            _dots(
                [ours.mean],
                [arm.label],
                error_x={"type": "data", "array": [half], "color": tint, "thickness": 1.5, "width": 4},
                marker={
                    "size": 9,
                    "color": tint,
                    "symbol": "circle-open" if arm.label in controls else "circle",
                },
                hovertemplate=f"{stated(ours, unit)}<extra></extra>",
            )
        )
    printed = [arm.label for arm in shown if arm.label in claim.paper]
    if printed:
        traces.append(
            _dots(
                [claim.paper[name] for name in printed],
                printed,
                marker={"size": 11, "color": TEXT, "symbol": "diamond-open"},
                hovertemplate=f"the paper: %{{x:.4g}} {unit}<extra></extra>",
            )
        )
    first = claim.measured[0]
    axis = first.unit if isinstance(first, Computed) else claim.quantity.axis
    return figure(
        traces,
        x={"title": axis, "rangemode": "tozero", "showgrid": True},
        y={
            "type": "category",
            "categoryorder": "array",
            "categoryarray": [html.escape(a.label) for a in shown],
        },
        hovermode="closest",
    )


def rounds_figure(claim: Claim, shelf: Shelf) -> Figure | None:
    """Mean accuracy over rounds of the paper's own arms; None without training."""
    controls = {control.arm for control in claim.controls}
    made = styles_of(claim)
    traces: list[Trace] = []
    for arm in [arm for arm in claim.runs if arm.label not in controls][:MOST_LINES]:
        curves = [one.curve for one in shelf.of_arm(claim, arm.label).values() if one.curve]
        if not curves:
            continue
        mean = [100 * float(np.mean([v for v in at if v is not None])) for at in zip_longest(*curves)]
        style = made[arm.label]
        traces.append(
            scatter(
                np.arange(len(mean)),
                mean,
                mode="lines",
                line={"color": colour(style.tint), "dash": style.dash, "width": 2},
                hovertemplate=f"{html.escape(arm.label)}: %{{y:.1f}} %<extra></extra>",
            )
        )
    if not traces:
        return None
    return figure(
        traces,
        x={"title": "round"},
        y={"title": "accuracy, %", "rangemode": "tozero"},
        hoverlabel={"font": {"size": 12, "color": MUTED}, "bgcolor": "var(--st-secondary-background-color)"},
    )


def against_accuracy(claim: Claim, shelf: Shelf) -> Figure | None:
    """Scatter chart of a claim's arms: heterogeneity of the clients' models against accuracy; None if no arm
    has both figures.
    """
    controls, made = {control.arm for control in claim.controls}, styles_of(claim)
    traces: list[Trace] = []
    for arm in claim.measured:
        unlike, accuracy = (of_arm(claim, shelf, arm.label, name) for name in ("heterogeneity", "accuracy"))
        if unlike is None or accuracy is None:
            continue
        symbol = "circle-open" if arm.label in controls else "circle"
        name = html.escape(arm.label)
        hover = f"{name}: {stated(unlike, '')} at {stated(accuracy)}<extra></extra>"
        traces.append(
            {
                "type": "scatter",
                "x": [accuracy.mean],
                "y": [unlike.mean],
                "mode": "markers+text" if len(claim.measured) <= MOST_LINES else "markers",
                "text": [name],
                "textposition": "top center",
                "textfont": {"size": 10, "color": MUTED},
                "showlegend": False,
                "marker": {"size": 9, "color": colour(made[arm.label].tint), "symbol": symbol},
                "hovertemplate": hover,
            }
        )
    if len(traces) < 2:
        return None
    return figure(
        traces,
        x={"title": "accuracy after the last round, %", "showgrid": True},
        y={"title": "heterogeneity", "type": "log", "dtick": "D2"},
        hovermode="closest",
    )


def styles_of(claim: Claim) -> dict[str, Style]:
    """Style of each arm: its aggregator's or mechanism's colour as on every page; dashes distinguish
    populations.
    """
    sets = tuple(
        Variant(arm.label, arm.set if isinstance(arm, Trained) else {"mechanism.name": _mechanism(arm)})
        for arm in claim.measured
    )
    found = styles(Draft(claim.draft.base if claim.draft else parse({}), sets), shared=True)
    return {variant.label: style for variant, style in zip(sets, found, strict=True)}


def _dots(x: Sequence[float], names: Sequence[str], **options: Any) -> Trace:
    y = [html.escape(name) for name in names]
    return {"type": "scatter", "x": list(x), "y": y, "mode": "markers", "showlegend": False, **options}


def _mechanism(arm: Arm) -> str:
    return arm.mechanism if isinstance(arm, Records) else "none"
