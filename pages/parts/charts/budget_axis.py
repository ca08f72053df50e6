"""Charts over ε for runs that are a few designs at several ε each."""

import html
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Any

import numpy as np

from pages.parts.charts.base import Figure, Lines, Trace, colour, line_style, scatter, share_axis
from pages.parts.charts.rounds import band, noise_axis
from pages.parts.charts.series import Series
from pages.parts.ui.text import number, percent

Steps = Sequence[tuple[str, float]]
"""Line and ε of each variant (ldp_core.runs.view.styles.ladders)."""


def accuracy_by_budget(
    shown: Sequence[Series], steps: Steps, covers: str, chance: float | None, reference: Series | None = None
) -> Figure:
    """Accuracy in the latest round over ε, a point per run, with a band over seeds; `covers` says of what."""
    chart = Lines()
    for name, line in by_line(shown, steps).items():
        values = [one.final("accuracy") for _, one in line]
        x = np.array([epsilon for epsilon, _ in line])
        mean, low, high = (np.array([f(each) for each in values]) for f in (np.mean, np.min, np.max))
        tint = line[0][1].style.tint
        chart.add(band(x, low, high, tint))
        words = f"<b>{html.escape(name)} {percent(mean[-1])}</b>"
        chart.add(_curve(x, mean, name, tint, "%{y:.1%}"), mean[-1], words, colour(tint))
    levels = {} if chance is None else {"guessing": chance}
    if reference is not None and len(final := reference.final("accuracy")):
        levels[reference.label] = float(final.mean())
    axis = _budgets(steps, covers)
    first, last = axis["tickvals"][0], axis["tickvals"][-1]
    for name, value in levels.items():
        chart.level(last, value, f"{name} {percent(value)}", first=first, name=name)
    return chart.figure(x=axis, y=share_axis())


def noise_by_budget(
    shown: Sequence[Series], steps: Steps, covers: str, predicted: Mapping[int, float]
) -> Figure:
    """Noise variance per weight in the latest round over ε, a point per run; before it as predicted."""

    def value(one: Series) -> float:
        measured = one.noise()
        return float(measured[-1]) if one.round and len(measured) else predicted.get(one.number, 0.0)

    chart = Lines()
    values: list[float] = []
    for name, line in by_line(shown, steps, lambda one: value(one) > 0).items():
        y = np.array([value(one) for _, one in line])
        tint = line[0][1].style.tint
        curve = _curve(np.array([epsilon for epsilon, _ in line]), y, name, tint, "%{y:.3~r}")
        chart.add(curve, np.log10(y[-1]), f"<b>{html.escape(name)} {number(y[-1], 2)}</b>", colour(tint))
        values += y.tolist()
    return chart.figure(x=_budgets(steps, covers), y=noise_axis(values))


def by_line(
    shown: Sequence[Series], steps: Steps, there: Callable[[Series], bool] | None = None
) -> dict[str, list[tuple[float, Series]]]:
    """Runs with a value, by line, in the order of ε."""
    has = there or (lambda one: bool(len(one.final("accuracy"))) and one.round > 0)
    found: dict[str, list[tuple[float, Series]]] = {}
    for one in shown:
        if has(one):
            line, epsilon = steps[one.number]
            found.setdefault(line, []).append((epsilon, one))
    ordered = [sorted(points, key=lambda pair: pair[0]) for points in found.values()]
    return {common([one.label for _, one in points]): points for points in ordered}


def common(labels: Sequence[str]) -> str:
    """Common beginning of a line's labels: `Duchi` for `Duchi ε 1` and `Duchi ε 4`."""
    if len(labels) == 1:
        return labels[0]
    same = list(takewhile(lambda letters: len(set(letters)) == 1, zip(*labels, strict=False)))
    return labels[0][: len(same)].rstrip(" ε,·=") or labels[0]


def _budgets(steps: Steps, covers: str) -> dict[str, Any]:
    budgets = sorted({epsilon for _, epsilon in steps})
    low, high = np.log10(budgets[0]), np.log10(budgets[-1])
    room = 0.04 * (high - low)
    return {
        "title": f"budget ε{covers}",
        "type": "log",
        "range": [low - room, high + room],
        "tickvals": budgets,
        "ticktext": [number(epsilon) for epsilon in budgets],
    }


def _curve(x: np.ndarray, y: np.ndarray, name: str, tint: int, hover: str) -> Trace:
    return scatter(x, y, name=html.escape(name), hovertemplate=hover, **line_style(colour(tint), 2.5, 9))
