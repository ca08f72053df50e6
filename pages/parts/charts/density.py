"""Chart of the law of a mechanism's output for one weight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_letters, digits
from typing import Any

import numpy as np

from ldp_core.mechanisms import Mechanism
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.law import Law
from pages.parts.charts.base import MUTED, TEXT, Trace, colour, figure, rounded_up, scatter
from pages.parts.ui.figure_json import Figure
from pages.parts.ui.text import THIN, number, percent, range_in_words, signed

POINTS, MOVING = 161, 81
"""Number of points of a density: at rest, and during a drag."""
CLOSER = 0.1
"""Distance of points in the middle relative to even spacing, for unbounded laws, which may have a peak
there.
"""
SELDOM, FEW = 0.005, 3
"""Probability below which an output has no label, if there are more than FEW outputs."""
LETTERS = np.array([*ascii_letters, *digits, "+", "/"])
"""Characters for the numbers 0 to 63."""
YIELDS = "yields"
"""Name of annotations that are omitted where they would cover an earlier one (assets/web/labels.js)."""


@dataclass(frozen=True)
class Atoms:
    x: Floats
    mass: Floats
    look: Trace

    @property
    def highest(self) -> float:
        return float(self.mass.max())

    def trace(self) -> Trace:
        gaps, zero = np.full(self.x.size, np.nan), np.zeros(self.x.size)
        x, y = np.stack([self.x] * 3, 1), np.stack([zero, self.mass, gaps], 1)
        return scatter(x.ravel(), y.ravel(), **self.look)

    def brief(self) -> Trace:
        return {**self.look, "law": {"atoms": self.x.tolist(), "mass": self.mass.tolist()}}


@dataclass(frozen=True)
class Density:
    """Density between consecutive `ends`, drawn close to each of them as well."""

    ends: Floats
    closer: float
    """Distance of points in the middle, relative to even spacing."""
    x: Floats
    y: Floats
    look: Trace

    @property
    def highest(self) -> float:
        return float(self.y.max())

    def trace(self) -> Trace:
        return scatter(self.x, self.y, **self.look)

    def brief(self) -> Trace:
        """Trace in the short form that assets/web/law.js expands."""
        heights = np.round(self.y / (self.highest or 1.0) * 4095).astype(int)
        pairs = LETTERS[np.stack(np.divmod(heights, 64), 1)]
        body = {"ends": self.ends.tolist(), "closer": self.closer}
        body |= {"top": self.highest, "heights": "".join(pairs.ravel())}
        return {**self.look, "law": body}


def law_figure(
    law: Law[Any], tint: int, weight: float, low: float, high: float, moving: bool = False
) -> Figure:
    """Density or probabilities of the output for a weight, which is clipped first, and for the end of the
    range farthest from it; `moving`: in the short form of assets/web/law.js.
    """
    value = min(max(weight, low), high)
    other = low if value - low > high - value else high
    points = MOVING if moving else POINTS
    apart = [*_drawn(law, other, points, f"if it were {signed(other)}", None)]
    own = [*_drawn(law, value, points, "this weight", tint)]
    stems = next((one for one in own if isinstance(one, Atoms)), None)
    notes = [] if stems is None else [*_notes(stems, tint)]
    which = "true" if value == weight else "clipped"
    highest = max((one.highest for one in (*apart, *own)), default=1.0)
    top = 1.2 if notes else rounded_up(1.1 * highest)
    return figure(
        [one.brief() if moving else one.trace() for one in (*apart, *own)],
        x={"title": "what is sent", "range": _across([*apart, *own], low, high), "nticks": 6},
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


def _drawn(
    law: Law[Any], value: float, points: int, name: str, tint: int | None
) -> Iterator[Atoms | Density]:
    atoms = law.atoms(value)
    if atoms.size:
        hover = "%{x:.3g}: %{y:.1%}<extra>" + name + "</extra>"
        mass = np.exp(law.marginal_log_prob(atoms, value))
        yield Atoms(atoms, mass, {**stems(tint), "name": name, "hovertemplate": hover})
    edges = law.edges(value)
    if edges.size:
        spread = 5 * np.sqrt(law.variance(value))
        ends = np.nan_to_num(edges, posinf=value + spread, neginf=value - spread)
        step = 1e-9 * max(1.0, float(np.ptp(ends)))
        closer = CLOSER if np.isinf(edges[[0, -1]]).all() else 1.0
        t = np.linspace(-1, 1, points)
        grid = (ends[0] + ends[-1] + (ends[-1] - ends[0]) * (closer * t + (1 - closer) * t**3)) / 2
        x = np.sort(np.concatenate([grid, ends - step, ends + step]))
        x = np.where(np.isin(x, atoms), x + step, x)  # what is drawn there is a density
        y = np.exp(law.marginal_log_prob(x, value))
        yield Density(ends, closer, x, y, {**area(tint), "name": name})


def _notes(stems: Atoms, tint: int) -> Iterator[dict[str, Any]]:
    seldom = SELDOM if stems.x.size > FEW else 0.0
    for i in np.argsort(-stems.mass, kind="stable").tolist():
        if stems.mass[i] > seldom:
            yield probability(float(stems.x[i]), float(stems.mass[i]), tint)


def grey(mechanism: Mechanism, low: float, high: float) -> str:
    """Caption of the grey law beside that of the weight."""
    if mechanism.region == "ball":
        return "grey: a weight from the other end of what is shaded; uploads are shortened to a length"
    return f"grey: a weight from the other end of {range_in_words(low, high)} (shaded)"


def _across(drawn: Sequence[Atoms | Density], low: float, high: float) -> list[float]:
    """Range of the output axis, with a margin."""
    centre = (low + high) / 2
    farthest = max([high - centre, *(float(np.abs(one.x - centre).max()) for one in drawn)])
    half = 1.06 * rounded_up(farthest)
    return [centre - half, centre + half]


def stems(tint: int | None) -> dict[str, Any]:
    """Style of atoms: coloured for this weight, thin and grey for the other end."""
    paint = MUTED if tint is None else colour(tint)
    line, marker = (
        {"color": paint, "width": 2 if tint is None else 5},
        {"color": paint, "size": 6 if tint is None else 9},
    )
    shown = {"type": "scatter", "mode": "lines+markers", "showlegend": True, "cliponaxis": False}
    return {**shown, "line": line, "marker": marker}


def area(tint: int | None) -> dict[str, Any]:
    line: dict[str, Any] = {
        "color": MUTED if tint is None else colour(tint),
        "width": 1.5 if tint is None else 2.5,
    }
    fill = {} if tint is None else {"fill": "tozeroy", "fillcolor": colour(tint, 0.15)}
    hover = "%{x:.3g}: %{y:.3g}"
    shown = {"type": "scatter", "mode": "lines", "showlegend": True}
    return {**shown, "line": line, "hovertemplate": hover, **fill}


def chance(probability: float) -> str:
    """Probability in percent, with enough digits near 0 and 100."""
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
