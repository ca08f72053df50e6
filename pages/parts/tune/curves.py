"""Charts of a sweep: a line per row of the heat map, and accuracy over the run's ε."""

import html
import math
from collections.abc import Sequence
from typing import Any

from ldp_core.experiment.sweep import Sweep
from ldp_core.runs import COLOURS, OTHERWISE
from pages.parts.charts.base import MUTED, Figure, Lines, colour, figure, look, scatter, share_axis
from pages.parts.charts.pareto import Bought, budget_axis, front
from pages.parts.tune.axes import axis_of
from pages.parts.tune.found import Setting, dearest
from pages.parts.ui.text import at_most, deltas, number, percent

ACCURACY = {"title": "accuracy", **share_axis(1.02)}
MOST_LINES = 8


def slices_figure(sweep: Sweep, found: Sequence[Setting]) -> Figure:
    """Accuracy over the first field, with intervals over seeds; numbers on a logarithmic axis."""
    (across, columns), *rest = sweep.grid.items()
    axis = axis_of(across, columns)
    numbers = [value for value in columns if isinstance(value, int | float) and value > 0]
    numeric = len(numbers) == len(columns)
    inner = len(found) // len(columns)
    chart = Lines()
    for r in range(min(inner, MOST_LINES)):
        tint = colour(OTHERWISE[r % COLOURS])
        ours = [(c, found[c * inner + r].mean) for c in range(len(columns))]
        known = [(numbers[c] if numeric else c, mean) for c, mean in ours if mean is not None]
        if not known:
            continue
        known.sort(key=lambda one: one[0])
        halves = [min(1.0, mean.half) if mean.seeds > 1 else 0.0 for _, mean in known]
        name = ", ".join("±" * (p == "clients.range") + axis_of(p, v).says(found[r].set[p]) for p, v in rest)
        line = scatter(
            [x for x, _ in known],
            [mean.mean for _, mean in known],
            name=html.escape(name),
            error_y={"type": "data", "array": halves, "color": tint, "thickness": 1.2, "width": 3},
            hovertemplate="%{y:.1%}",
            **look(tint, 2.5 * numeric, 7),
        )
        chart.add(line, known[-1][1].mean, f"<b>{html.escape(name)}</b>", tint)
    if numeric:
        x = {"type": "log", "tickvals": numbers, "ticktext": [number(value) for value in numbers]}
    else:
        x = {"tickvals": list(range(len(columns))), "ticktext": [axis.says(value) for value in columns]}
    return chart.figure(x={"title": axis.titled(one.experiment for one in found), **x}, y=ACCURACY)


def front_figure(found: Sequence[Setting]) -> Figure | None:
    """Accuracy over the run's worst-case ε; None if no setting has a bound."""
    points, at = list[Bought[Setting]](), list[float]()
    for one in found:
        if one.mean is not None and (cost := dearest(one.experiment)) and 0 < cost.bound < math.inf:
            points.append(Bought(one, one.mean.mean, cost.bound))
            at.append(cost.delta)
    if not points:
        return None

    def drawn(some: Sequence[Bought[Setting]], **looks: Any) -> dict[str, Any]:
        return scatter([one.price for one in some], [one.accuracy for one in some], **looks)

    best, line = front(points), colour(2)
    return figure(
        [
            drawn(best, mode="lines", line={"color": line, "width": 2.5, "shape": "hv"}, hoverinfo="skip"),
            drawn(
                points,
                mode="markers",
                marker={"color": MUTED, "size": 6},
                text=[html.escape(point.one.values) for point in points],
                customdata=[at_most(point.price, 4) for point in points],
                hovertemplate="%{text}<br>%{y:.1%} at ε %{customdata} a run<extra></extra>",
            ),
            drawn(best, mode="markers", marker={"color": line, "size": 10}, hoverinfo="skip"),
        ],
        x={"title": f"ε of the whole run{deltas(at)}, worst case, dearest client"}
        | budget_axis([point.price for point in points]),
        y=ACCURACY,
        hovermode="closest",
    )


def in_words(found: Sequence[Setting]) -> str:
    known = [(one.mean.mean, html.escape(one.values)) for one in found if one.mean is not None]
    most, best = max(known)
    return f"{len(known)} settings; the best is {best} with {percent(most, 1)}"
