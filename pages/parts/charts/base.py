"""Common parts of charts: axes, colours by name, labels at the ends of lines.

Figures are plotly's JSON as dicts: colours are names that the browser resolves by its theme, which plotly's
Python classes would refuse (tests/pages/charts/test_base.py inserts real colours and validates the figures
with those classes).
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pages.parts.ui.text import number, percent

Trace = dict[str, Any]
Figure = dict[str, Any]
End = tuple[float, str, str]
"""Value on the (linear or logarithmic) axis, text and colour of a line's end."""

TEXT, MUTED, GRID = "var(--st-text-color)", "var(--st-gray-text-color)", "var(--st-border-color-light)"
PAPER = {"xref": "paper", "yref": "paper"}
LABEL_AT = 1.03
"""Left end of the labels, in widths of the plot."""
QUARTERS = [0, 0.25, 0.5, 0.75, 1.0]
ROUND = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
NAMED = {"round": "round %{x}", "budget ε": "ε %{x}", "the weight": "a weight of %{x}"}
"""Tooltip's title by axis title, without what its ε covers."""
HOVER = {
    "bgcolor": "var(--st-secondary-background-color)",
    "bordercolor": "var(--st-border-color)",
    "font": {"color": TEXT},
}
FONT = {"family": "Source Sans, sans-serif", "size": 13, "color": MUTED}


def colour(number: int, opacity: float | None = None) -> str:
    return f"run({number})" + (f"/{opacity}" if opacity is not None else "")


def figure(
    traces: Sequence[Trace],
    *,
    x: dict[str, Any],
    y: dict[str, Any],
    ends: Sequence[End] = (),
    **layout: Any,
) -> Figure:
    """Plotly's JSON; `ends` are labelled right of the plot, where assets/web/labels.js keeps them apart."""
    if ends:
        low, high = y["range"]
        longest = max(len(re.sub(r"<.*?>|&\w+;", "", text)) for _, text, _ in ends)
        margin = {"l": 8, "r": 14 + round(6.8 * longest), "t": 12, "b": 8}
        layout["margin"] = margin | layout.get("margin", {})
        place = {**PAPER, "xanchor": "left", "yanchor": "middle"}
        layout["annotations"] = [
            note(LABEL_AT, (at - low) / (high - low), text, paint, 13, **place)
            for at, text, paint in sorted(ends, key=lambda end: end[0])
        ]
    axis = {"gridcolor": GRID, "linecolor": GRID, "zeroline": False, "ticks": "", "automargin": True}
    axis |= {"tickfont": {"size": 12, "color": MUTED}, "fixedrange": True}
    return {
        "data": list(traces),
        "layout": {
            "font": FONT,
            "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "showlegend": False,
            "hovermode": "x unified",
            "hoverlabel": HOVER,
            "dragmode": False,
            "xaxis": {**axis, "showgrid": False, **_titled(x)},
            "yaxis": {**axis, **_titled(y)},
            **layout,
        },
    }


def share_axis(top: float = 1.0) -> dict[str, Any]:
    """Axis of shares, with a tick at every quarter."""
    return {"range": [0, top], "tickvals": QUARTERS, "ticktext": [percent(share) for share in QUARTERS]}


def log_axis(low: float, high: float) -> dict[str, Any]:
    """Logarithmic axis from 10^low to 10^high, with a tick at every power (or every few)."""
    powers = range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
    step = max(1, -(-len(powers) // 8))
    ticks = [10.0**power for power in powers[::step]]
    return {"type": "log", "range": [low, high], "tickvals": ticks, "ticktext": [number(t) for t in ticks]}


def rounded_up(value: float) -> float:
    """Next round number, as an axis end that stays while a slider moves."""
    if not 0 < value < math.inf:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next((step * power for step in ROUND if step * power >= value), 10 * power)


def _titled(axis: dict[str, Any]) -> dict[str, Any]:
    """Axis with a small muted title, and with a tooltip like “round 3” instead of 3."""
    words = axis.get("title")
    if not words:
        return axis
    title = {"text": words, "font": {"size": 12, "color": MUTED}, "standoff": 6}
    kind = "budget ε" if words.startswith("budget ε") else words
    named = {"unifiedhovertitle": {"text": NAMED[kind]}} if kind in NAMED else {}
    return {**named, **axis, "title": title}


def points(values: ArrayLike) -> np.ndarray:
    """Numbers in as few bytes as a chart needs; non-finite ones become NaN, a gap."""
    found = np.asarray(values, dtype=np.float64)
    if np.isfinite(found).all() and (found == np.rint(found)).all() and np.abs(found).max(initial=0) < 2**15:
        return found.astype(np.int16)
    found = np.where(np.isfinite(found), found, np.nan)
    size = np.abs(found[found != 0])
    fits = np.nanmax(size, initial=1.0) < 1e37 and np.nanmin(size, initial=1.0) > 1e-37
    return found.astype(np.float32 if fits else np.float64)


def scatter(x: ArrayLike, y: ArrayLike, **options: Any) -> Trace:
    """Scatter trace; NaN is a gap."""
    shown = {"showlegend": "name" in options and "computed" not in options["name"]}
    return {"type": "scatter", "x": points(x), "y": points(y), **shown, **options}


def line_style(paint: str, width: float = 2.5, size: float = 0, **line: Any) -> dict[str, Any]:
    """Mode and style of a trace: a line of a `width`, markers of a `size`, or both, in one colour."""
    mode = "+".join(["lines"] * bool(width) + ["markers"] * bool(size))
    lines = {"line": {"color": paint, "width": width, **line}} if width else {}
    return {"mode": mode, **lines} | ({"marker": {"color": paint, "size": size}} if size else {})


@dataclass
class Lines:
    """A chart that grows line by line, with labels at the ends of some."""

    traces: list[Trace] = field(default_factory=list)
    ends: list[End] = field(default_factory=list)

    def add(self, trace: Trace, end: float = 0.0, words: str = "", paint: str = MUTED) -> None:
        """Add a trace, and `words` where its line ends on y's range."""
        self.traces.append(trace)
        if words:
            self.ends.append((float(end), words, paint))

    def level(
        self,
        last: float,
        y: float,
        words: str = "",
        paint: str = MUTED,
        *,
        first: float = 0.0,
        at: float | None = None,
        width: float = 1.5,
        dash: str = "dot",
        **more: Any,
    ) -> None:
        """Add a dashed line at `y`, labelled at `at` on y's range where that is logarithmic."""
        style = line_style(paint, width, dash=dash) | {"hoverinfo": "skip"} | more
        self.add(scatter([first, last], [y, y], **style), y if at is None else at, words, paint)

    def figure(self, **layout: Any) -> Figure:
        return figure(self.traces, ends=self.ends, **layout)


def note(x: float, y: float, text: str, paint: str = MUTED, size: int = 12, **place: Any) -> dict[str, Any]:
    """Text on a chart, at values of its axes unless it is placed on `PAPER`."""
    font = {"color": paint, "size": size}
    return {"x": x, "y": y, "text": text, "showarrow": False, "font": font, **place}
