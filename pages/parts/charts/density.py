"""Chart of the law of a mechanism's output for one weight."""

from collections.abc import Iterator, Sequence
from string import ascii_letters, digits
from typing import Any, NamedTuple

import numpy as np

from ldp_core.mechanisms import Mechanism
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.law import Law
from pages.parts.charts.base import (
    MUTED,
    TEXT,
    Figure,
    Trace,
    colour,
    figure,
    line_style,
    note,
    rounded_up,
    scatter,
)
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


class DensityCurve(NamedTuple):
    x: Floats
    y: Floats
    """Probability or density at each x."""
    trace: Trace
    atoms: bool = False


def law_figure(
    law: Law[Any], tint: int, weight: float, low: float, high: float, moving: bool = False
) -> Figure:
    """Density or probabilities of the output for a weight, which is clipped first, and for the end of the
    range farthest from it; `moving`: in the short form of assets/web/law_decoding.js.
    """
    value = min(max(weight, low), high)
    other = low if value - low > high - value else high
    apart = [*_drawn(law, other, moving, f"if it were {signed(other)}", None)]
    own = [*_drawn(law, value, moving, "this weight", tint)]
    atoms = [pair for one in own if one.atoms for pair in zip(one.x, one.y, strict=True)]
    seldom = SELDOM if len(atoms) > FEW else 0.0
    ordered = sorted(atoms, key=lambda pair: -pair[1])
    notes = [probability(float(x), float(y), tint) for x, y in ordered if y > seldom]
    which = "true" if value == weight else "clipped"
    highest = max((float(one.y.max()) for one in (*apart, *own)), default=1.0)
    across = {"yref": "paper", "y0": 0, "y1": 1}
    shaded = {"type": "rect", "x0": low, "x1": high, **across, "fillcolor": colour(0, 0.1), "layer": "below"}
    upright = {"type": "line", "x0": value, "x1": value, **across, "line": {"color": TEXT, "width": 1}}
    top = 1.2 if notes else rounded_up(1.1 * highest)
    return figure(
        [one.trace for one in (*apart, *own)],
        x={"title": "what is sent", "range": _across([*apart, *own], low, high), "nticks": 6},
        y={
            "title": "probability" if notes else "density",
            "range": [0, top],
            "tickformat": ".0%" if notes else "~g",
            "nticks": 5,
        },
        hovermode="closest",
        margin={"l": 8, "r": 8, "t": 26, "b": 8},
        annotations=[note(value, top, f"{which} weight {signed(value)}", TEXT, yanchor="bottom"), *notes],
        shapes=[shaded | {"line": {"width": 0}}, upright],
    )


def _drawn(law: Law[Any], value: float, moving: bool, name: str, tint: int | None) -> Iterator[DensityCurve]:
    paint = MUTED if tint is None else colour(tint)
    own: Trace = {"type": "scatter", "name": name, "showlegend": True}
    atoms = law.atoms(value)
    if atoms.size:
        mass = np.exp(law.marginal_log_prob(atoms, value))
        own_look = line_style(paint, 2, 6) if tint is None else line_style(paint, 5, 9)
        hover = "%{x:.3~r}: %{y:.1%}<extra>" + name + "</extra>"
        style = {**own, **own_look, "cliponaxis": False, "hovertemplate": hover}
        stems = np.stack([np.zeros(atoms.size), mass, np.full(atoms.size, np.nan)], 1)
        brief = {**style, "law": {"atoms": atoms.tolist(), "mass": mass.tolist()}}
        yield DensityCurve(
            atoms, mass, brief if moving else scatter(atoms.repeat(3), stems.ravel(), **style), True
        )
    edges = law.edges(value)
    if edges.size:
        spread = 5 * np.sqrt(law.variance(value))
        ends = np.nan_to_num(edges, posinf=value + spread, neginf=value - spread)
        step = 1e-9 * max(1.0, float(np.ptp(ends)))
        closer = CLOSER if np.isinf(edges[[0, -1]]).all() else 1.0
        t = np.linspace(-1, 1, MOVING if moving else POINTS)
        grid = (ends[0] + ends[-1] + (ends[-1] - ends[0]) * (closer * t + (1 - closer) * t**3)) / 2
        x = np.sort(np.concatenate([grid, ends - step, ends + step]))
        x = np.where(np.isin(x, atoms), x + step, x)  # what is drawn there is a density
        y = np.exp(law.marginal_log_prob(x, value))
        fill = {} if tint is None else {"fill": "tozeroy", "fillcolor": colour(tint, 0.15)}
        style = {
            **own,
            **line_style(paint, 1.5 if tint is None else 2.5),
            "hovertemplate": "%{x:.3~r}: %{y:.3~r}",
            **fill,
        }
        yield DensityCurve(
            x, y, {**style, "law": _brief(ends, closer, y)} if moving else scatter(x, y, **style)
        )


def _brief(ends: Floats, closer: float, y: Floats) -> dict[str, Any]:
    """Density in the short form that assets/web/law_decoding.js expands."""
    top = float(y.max())
    heights = np.round(y / (top or 1.0) * 4095).astype(int)
    pairs = LETTERS[np.stack(np.divmod(heights, 64), 1)]
    return {"ends": ends.tolist(), "closer": closer, "top": top, "heights": "".join(pairs.ravel())}


def grey(mechanism: Mechanism, low: float, high: float) -> str:
    """Caption of the grey law beside that of the weight."""
    if mechanism.region == "ball":
        return "grey: a weight from the other end of what is shaded; uploads are shortened to a length"
    return f"grey: a weight from the other end of {range_in_words(low, high)} (shaded)"


def _across(drawn: Sequence[DensityCurve], low: float, high: float) -> list[float]:
    """Range of the output axis, with a margin."""
    centre = (low + high) / 2
    farthest = max([high - centre, *(float(np.abs(one.x - centre).max()) for one in drawn)])
    half = 1.06 * rounded_up(farthest)
    return [centre - half, centre + half]


def chance(probability: float) -> str:
    """Probability in percent, with enough digits near 0 and 100."""
    if SELDOM < probability < 1 - SELDOM or probability in (0.0, 1.0):
        return percent(probability)
    return f"{number(100 * probability, 2 if probability < SELDOM else 4)}{THIN}%"


def probability(x: float, y: float, tint: int) -> dict[str, Any]:
    text = f"<b>{chance(y)}</b> at {signed(x)}"
    return note(x, y, text, colour(tint), name=YIELDS, xanchor="center", yanchor="bottom", yshift=6)
