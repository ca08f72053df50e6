"""Charts of accuracy over ε: a point per run, and the Pareto front."""

import math
from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from pages.parts.charts.base import MUTED, Figure, colour, figure, line_style, log_axis, scatter, share_axis
from pages.parts.charts.rounds import label
from pages.parts.charts.series import Series
from pages.parts.ui.text import as_shown, at_most, number

T = TypeVar("T")


class ParetoPoint(NamedTuple, Generic[T]):
    """A run with its accuracy and its cost: worst-case ε of the whole run."""

    one: T
    accuracy: float
    price: float


def front(points: Sequence[ParetoPoint[T]]) -> list[ParetoPoint[T]]:
    """Pareto-optimal points, by rising cost; costs that are shown alike are equal, though sums of another
    order differ in the seventh digit.
    """
    found: list[ParetoPoint[T]] = []
    for point in sorted(points, key=lambda each: (as_shown(each.price), -each.accuracy)):
        if not found or point.accuracy > found[-1].accuracy:
            found.append(point)
    return found


def budget_axis(budgets: Sequence[float]) -> dict[str, Any]:
    """Logarithmic axis around the ε, with intermediate ticks if it spans less than two powers."""
    places = np.log10(budgets)
    room = 0.1 + 0.15 * float(np.ptp(places))
    low, high = float(places.min()) - room, float(places.max()) + room
    if high - low > 2:
        return log_axis(low, high)
    powers = range(math.floor(low), math.ceil(high) + 1)
    ticks = [t * 10.0**p for p in powers for t in (1, 2, 5) if low <= math.log10(t * 10.0**p) <= high]
    ticks = ticks if len(ticks) > 1 else sorted({*budgets})
    return {"type": "log", "range": [low, high], "tickvals": ticks, "ticktext": [number(t) for t in ticks]}


def pareto_figure(points: Sequence[ParetoPoint[Series]], whole: str = "the whole run") -> Figure:
    """Accuracy over the run's worst-case ε, with the front as a line."""
    line = front(points)
    steps = [each.price for each in line], [each.accuracy for each in line]
    traces = [scatter(*steps, **line_style(MUTED, 1.5, dash="dot", shape="hv"), hoverinfo="skip")]
    for point in points:
        paint = colour(point.one.style.tint)
        traces.append(
            scatter(
                [point.price],
                [point.accuracy],
                **line_style(paint, 0, 11) | {"mode": "markers+text"},
                name=label(point.one),
                text=[f"<b>{label(point.one)}</b>"],
                textposition="top center" if point.accuracy < 0.9 else "bottom center",
                textfont={"color": paint, "size": 13},
                hovertemplate=f"ε {at_most(point.price, 4)}: %{{y:.1%}}",
            )
        )
    x = {"title": f"ε for {whole}, at worst", **budget_axis([point.price for point in points])}
    margin = {"l": 8, "r": 24, "t": 12, "b": 8}
    return figure(traces, x=x, y=share_axis(), hovermode="closest", margin=margin)
