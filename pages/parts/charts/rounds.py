"""Charts of accuracy and noise variance over rounds, a line per variant, labelled at its end."""

import html
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ldp_core.mechanisms.base import Floats
from pages.parts.charts.base import (
    MUTED,
    TEXT,
    Figure,
    Lines,
    Trace,
    colour,
    line_style,
    log_axis,
    scatter,
    share_axis,
)
from pages.parts.charts.series import NAME_LENGTH, Series
from pages.parts.ui.text import number, percent, shortened

MOST_POINTS = 200
"""Approximate largest number of points of a line."""
MOST_DOTS = 32
"""Largest number of dots; each is a shape that the browser redraws."""


def accuracy_figure(
    shown: Sequence[Series],
    rounds: int,
    chance: float | None,
    reference: Series | None = None,
    guess: float | None = None,
) -> Figure:
    """Accuracy on the held-out set, with a band over seeds; `reference` has no noise."""
    lines = Lines()
    for one in shown:
        mean, low, high = one.curve("accuracy")
        pick = thinned(len(mean))
        if len(one.runs) > 1:
            lines.add(band(pick, low[pick], high[pick], one.style.tint))
        end = (
            [mean[-1], f"<b>{label(one)} {percent(mean[-1])}</b>", colour(one.style.tint)]
            if len(mean)
            else []
        )
        lines.add(line(pick, mean[pick], one, "%{y:.1%}"), *end)
    if reference is not None:
        mean, name = reference.mean(), reference.label
        pick, dotted = thinned(len(mean)), line_style(MUTED, 1.5, dash="dot")
        trace = scatter(pick, mean[pick], name=name, hovertemplate="%{y:.1%}", **dotted)
        lines.add(trace, *[mean[-1], f"{name} {percent(mean[-1])}"] if len(mean) else [])
    if chance is not None:
        lines.level(rounds, chance, f"guessing {percent(chance)}", width=1)
    if guess is not None:
        lines.level(rounds, guess, f"your guess {percent(guess)}", TEXT, dash="dash", name="your guess")
    return lines.figure(x=rounds_axis(shown, rounds), y=share_axis())


def noise_figure(shown: Sequence[Series], rounds: int, predicted: Mapping[int, float]) -> Figure:
    """Variance of the aggregate's noise per weight: measured (line), and exact expectation from the weights
    of each round (dots); before a variant's first round as `predicted`.
    """
    lines = Lines()
    values = list[float]()
    for one in shown:
        measured, theory = one.noise(), one.noise("noise_variance_theory")
        x = np.arange(len(measured))
        pick = thinned(len(x))[1:]
        lines.add(line(x[pick], _positive(measured[pick]), one, "%{y:.3~r}"))
        few = spaced(len(x))
        lines.add(_dots(x[few], _positive(theory[few]), one))
        expected = predicted.get(one.number, 0.0)
        if len(pick) == 0 and expected > 0:
            lines.add(_expected(expected, one.rounds or rounds, one))
            expected *= (one.rounds or rounds) if one.adds else 1
            values.append(predicted[one.number])
        end = float(measured[-1]) if len(pick) else expected
        if one.adds and len(pick):  # it begins far below its end
            values += [float(one) for one in measured[pick][:1] if one > 0]
        if end > 0:
            values.append(end)
            words = f"<b>{label(one)} {number(end, 2)}</b>"
            lines.ends.append((np.log10(end), words, colour(one.style.tint)))
    return lines.figure(x=rounds_axis(shown, rounds), y=noise_axis(values))


def noise_axis(values: Sequence[float]) -> dict[str, Any]:
    """Powers of ten that enclose the variances."""
    low, high = min(values, default=1e-3), max(values, default=1.0)
    return log_axis(np.floor(np.log10(low) - 0.2), np.ceil(np.log10(high) + 0.2))


def noise_words(shown: Sequence[Series]) -> str:
    """Caption of `noise_figure` once rounds are done."""
    noisy = [one for one in shown if (one.curve("noise_variance")[2] > 0).any()]
    votes = [one for one in noisy if np.isnan(one.curve("noise_variance_theory")[2]).all()]
    if not noisy:
        return "no noise reached the model"
    added = [one for one in noisy if one.adds]
    adds_up = f", {'of changes ' if len(added) < len(noisy) else ''}added up" if added else ""
    if len(votes) == len(noisy):
        return f"line: measured, after the vote{adds_up}"
    of_votes = ", of votes after the vote" if votes else ""
    return f"line: measured{of_votes}{adds_up}; circles: computed"


def label(one: Series) -> str:
    """A variant's label, safe inside plotly's own markup."""
    return html.escape(one.short or shortened(one.label, NAME_LENGTH))


def thinned(length: int) -> Any:
    """Indices of at most MOST_POINTS points, the first and the last among them."""
    return np.unique(np.linspace(0, max(0, length - 1), min(length, MOST_POINTS)).astype(int))


def spaced(length: int) -> Any:
    """Indices of at most MOST_DOTS rounds: all while few, then at a step that doubles, so that none moves."""
    step = 1
    while (length - 1) // step > MOST_DOTS:
        step *= 2
    return np.arange(step, length, step)


def rounds_axis(shown: Sequence[Series], rounds: int) -> dict[str, Any]:
    """Axis from 0 to the last round, whole numbers only."""
    last = reach(shown, rounds)
    return {"title": "round", "range": [0, last], "tickformat": "d"} | ({"dtick": 1} if last <= 8 else {})


def reach(shown: Sequence[Series], rounds: int) -> int:
    """Last round of the axis: all rounds, or for long runs a little more than done."""
    done = max((one.round for one in shown), default=0)
    begun = any(one.runs for one in shown)
    return rounds if rounds <= 60 or not begun else min(rounds, max(60, int(1.5 * done)))


def _positive(values: Floats) -> Any:
    """Values with NaN for those that a logarithmic axis cannot show."""
    return np.where(values > 0, values, np.nan)


def line(x: Any, y: Any, one: Series, hover: str) -> Trace:
    style = line_style(colour(one.style.tint), 2.5, 7, dash=one.style.dash)
    style["mode"] = "lines" if np.isfinite(np.asarray(y, dtype=float)).sum() > 1 else "markers"
    return scatter(x, y, name=label(one), hovertemplate=hover, **style)


def _dots(x: Any, y: Any, one: Series) -> Trace:
    style = line_style(colour(one.style.tint), 0, 6)
    style["marker"]["symbol"] = "circle-open"
    return scatter(x, y, name=f"{label(one)}, computed", hovertemplate="%{y:.3~r}", **style)


def _expected(value: float, rounds: int, one: Series) -> Trace:
    at = 1 + thinned(rounds) if one.adds else np.array([0, rounds])
    y = value * (at if one.adds else np.ones(2))
    style = line_style(colour(one.style.tint), 1.5, dash="dot")
    return scatter(at, y, name=label(one), hovertemplate="%{y:.3~r}", **style)


def band(x: Any, low: Any, high: Any, run: int, opacity: float = 0.15) -> Trace:
    around = np.concatenate([x, x[::-1]]), np.concatenate([high, low[::-1]])
    fill = {"fill": "toself", "fillcolor": colour(run, opacity), "hoverinfo": "skip"}
    return scatter(*around, mode="lines", line={"width": 0}, **fill)
