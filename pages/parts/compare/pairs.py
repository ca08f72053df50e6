"""Chart of all pairs of compared runs: points between them with intervals, grey where they cannot tell."""

import html
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ldp_core.inference import SEEDS, Difference, in_points
from pages.parts.charts.base import GRID, MUTED, TEXT, Figure, Trace, colour, figure, note, scatter
from pages.parts.compare.arms import DRAWN, ComparedRun
from pages.parts.compare.verdict import accuracy, gap
from pages.parts.systems.unlike import causes, unlike
from pages.parts.train.standings import same_model
from pages.parts.ui.components import ChartCard

ROW, ROUND_IT = 38, 80
"""Pixels of a pair, and of the axis and card around all."""
ZERO = {"showgrid": True, "zeroline": True, "zerolinecolor": GRID, "zerolinewidth": 3}
WIDEST = 3.0
"""Half of the axis in units of the largest difference; wider intervals end at its ends."""


def pairs_card(arms: Sequence[ComparedRun]) -> ChartCard | None:
    """The chart of completed runs, of many the best; None for fewer than two."""
    ended = (arm for arm in arms if arm.ended and not arm.series.diverged)
    ranked = sorted(ended, key=accuracy, reverse=True)
    if len(ranked) < 2:
        return None
    found = [(*pair, gap(*pair, ranked)) for pair in combinations(ranked[:DRAWN], 2)]
    found.sort(key=lambda pair: pair[2].mean, reverse=True)
    at_once = ", for all pairs at once" if len(found) > 1 else ""
    return ChartCard(
        title="Pairs",
        rest=": points between final accuracies; grey: which is ahead cannot be told",
        caption=f"95 % intervals{at_once}",
        figure=pairs_figure(found),
        label="; ".join(_named(*pair) for pair in found),
        height=ROUND_IT + ROW * len(found),
    )


def pairs_figure(found: Sequence[tuple[ComparedRun, ComparedRun, Difference]]) -> Figure:
    """A row for each pair, with its words above its interval."""
    rows = range(len(found))[::-1]
    most = max(0.01, WIDEST * max(abs(one.mean) for *_, one in found))
    low = max(-most, min(0.0, *(one.low for *_, one in found)))
    high = min(most, max(0.01, *(one.high for *_, one in found)))
    traces, notes = list[Trace](), list[dict[str, Any]]()
    alike = len({_alone(*pair[:2]) for pair in found}) == 1  # the headline names it
    for row, (one, other, gap_) in zip(rows, found, strict=True):
        paint = _paint(one, gap_)
        if gap_.seeds >= SEEDS and not same_model([one.series, other.series]):
            ends = np.clip([gap_.low, gap_.high], low, high) * 100
            line = {"color": paint, "width": 3}
            traces.append(scatter(ends, [row, row], mode="lines", line=line, hoverinfo="skip"))
        hover = html.escape(f"{one.series.label} and {other.series.label}: {gap_.in_words()}")
        dot = {"color": paint, "size": 10}
        style = {"mode": "markers", "marker": dot, "text": [hover], "hovertemplate": "%{text}<extra></extra>"}
        traces.append(scatter([100 * gap_.mean], [row], **style))
        words = html.escape(_named(one, other, gap_).replace(_alone(one, other) * alike, ""))
        place: dict[str, Any] = {"xref": "paper", "xanchor": "left", "yanchor": "bottom"}
        notes.append(note(0, row, words, paint, **place, yshift=5))
    return figure(
        traces,
        x={"title": "points", "range": [100 * low - 0.2, 100 * high + 0.2], **ZERO},
        y={"range": [-0.4, len(found) - 0.2], "showticklabels": False, "showgrid": False},
        annotations=notes,
        hovermode="closest",
    )


def _paint(better: ComparedRun, found: Difference) -> str:
    if found.clear:
        return colour(better.series.style.tint)
    return TEXT if found.outcome == "no difference" else MUTED


def _alone(one: ComparedRun, other: ComparedRun) -> str:
    why = causes(unlike([one.experiment, other.experiment]))
    return f", {why[0].name} alone" if len(why) == 1 else ""


def _named(one: ComparedRun, other: ComparedRun, found: Difference) -> str:
    """A pair in words, like `A − B, in the aggregator alone: 3.2 (1.1 to 5.3)`."""
    alone = _alone(one, other)
    if same_model([one.series, other.series]):
        return f"{one.letter} − {other.letter}{alone}: the same model"
    span = f" ({in_points(found.low)} to {in_points(found.high)})" if found.seeds >= SEEDS else ""
    end = {"no difference": ", no difference", "cannot tell": ", cannot tell"}.get(found.outcome, "")
    return f"{one.letter} − {other.letter}{alone}: {in_points(found.mean)}{span}{end}"
