"""Charts of a sweep: a line per row of the heat map, and accuracy over the run's ε."""

import html
import math
from collections.abc import Sequence

from ldp_core.experiment.sweep import Sweep
from pages.parts.charts.base import MUTED, Figure, Lines, colour, figure, look, scatter, share_axis
from pages.parts.charts.styles import COLOURS, OTHERWISE
from pages.parts.tune.axes import axis_of
from pages.parts.tune.found import Setting, dearest, front
from pages.parts.ui.text import number, percent

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
    return chart.figure(x={"title": axis.title, **x}, y=ACCURACY)


def front_figure(found: Sequence[Setting]) -> Figure | None:
    """Accuracy over the run's worst-case ε; None if no setting has a bound."""
    points = [
        (cost, one.mean.mean, one)
        for one in found
        if one.mean is not None and 0 < (cost := dearest(one.experiment) or 0.0) < math.inf
    ]
    if not points:
        return None
    best = [points[i] for i in front([(cost, accuracy) for cost, accuracy, _ in points])]
    words = [html.escape(one.values) for _, _, one in points]
    low, high = (math.log10(f(cost for cost, _, _ in points)) for f in (min, max))
    ends = low - 0.15, high + 0.15
    ticks = [10.0**power for power in range(math.ceil(ends[0]), math.floor(ends[1]) + 1)]
    if len(ticks) < 2:  # so narrow an axis may lie between two powers of ten
        ticks = sorted({10.0**low, 10.0**high})
    line, dots = colour(2), {"color": MUTED, "size": 6}
    return figure(
        [
            scatter(
                [c for c, _, _ in best],
                [a for _, a, _ in best],
                mode="lines",
                line={"color": line, "width": 2.5, "shape": "hv"},
                hoverinfo="skip",
            ),
            scatter(
                [c for c, _, _ in points],
                [a for _, a, _ in points],
                mode="markers",
                marker=dots,
                text=words,
                hovertemplate="%{text}<br>%{y:.1%} at ε %{x:.4g} a run<extra></extra>",
            ),
            scatter(
                [c for c, _, _ in best],
                [a for _, a, _ in best],
                mode="markers",
                marker={"color": line, "size": 10},
                hoverinfo="skip",
            ),
        ],
        x={
            "title": "ε of the whole run, worst case, dearest client",
            "type": "log",
            "range": list(ends),
            "tickvals": ticks,
            "ticktext": [number(tick) for tick in ticks],
        },
        y=ACCURACY,
        hovermode="closest",
    )


def in_words(found: Sequence[Setting]) -> str:
    known = [(one.mean.mean, html.escape(one.values)) for one in found if one.mean is not None]
    most, best = max(known)
    return f"{len(known)} settings; the best is {best} with {percent(most, 1)}"
