"""Accuracy and noise variance over rounds, one line a variant, labelled at its end."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ldp_core.mechanisms.base import Floats
from pages.parts.charts import (
    MUTED,
    Figure,
    Trace,
    colour,
    end_labels,
    figure,
    label_margin,
    log_axis,
    scatter,
)
from pages.parts.series import Series
from pages.parts.text import number, percent

MOST_POINTS = 400
"""A line is thinned to about this many points; nobody can see more."""


def accuracy_figure(
    shown: Sequence[Series], rounds: int, chance: float | None, reference: Series | None = None
) -> Figure:
    """Accuracy on the held-out set, with a band from the lowest to the highest seed.

    `reference` is the run without noise; `chance` the accuracy of guessing the commonest class.
    """
    traces: list[Trace] = []
    ends = []
    for one in shown:
        mean, low, high = one.curve("accuracy")
        x = np.arange(len(mean))
        pick = thinned(len(x))
        if len(one.runs) > 1:
            traces.append(_band(x[pick], low[pick], high[pick], one.style.tint))
        traces.append(_line(x[pick], mean[pick], one, "%{y:.1%}"))
        if len(mean):
            ends.append((float(mean[-1]), f"<b>{label(one)} {percent(mean[-1])}</b>", colour(one.style.tint)))
    if reference is not None:
        mean, _, _ = reference.curve("accuracy")
        traces.append(_reference(mean))
        if len(mean):
            ends.append((float(mean[-1]), f"no noise {percent(mean[-1])}", MUTED))
    if chance is not None:
        traces.append(_level(chance, rounds))
        ends.append((chance, f"chance {percent(chance)}", MUTED))
    return figure(
        traces,
        x={"title": "round", "range": [0, rounds], "tickformat": "d"},
        y={"range": [0, 1.0], "tickformat": ".0%", "dtick": 0.25},
        margin=label_margin(ends),
        annotations=end_labels(ends, 0, 1),
    )


def noise_figure(shown: Sequence[Series], rounds: int, predicted: Mapping[int, float]) -> Figure:
    """Variance of the server's noise per weight: measured (line) and exactly predicted (dots).

    Before a variant's first round, `predicted` (variant → variance) is drawn as its expectation.
    """
    traces: list[Trace] = []
    ends, values = [], []
    for one in shown:
        measured, _, _ = one.curve("noise_variance")
        theory, _, _ = one.curve("noise_variance_theory")
        x = np.arange(len(measured))
        pick = thinned(len(x))[1:]
        traces.append(_line(x[pick], _positive(measured[pick]), one, "%{y:.3g}"))
        traces.append(_dots(x[pick], _positive(theory[pick]), one))
        expected = predicted.get(one.number, 0.0)
        if len(pick) == 0 and expected > 0:
            traces.append(_expected(expected, rounds, one))
        end = float(theory[-1]) if len(pick) else expected
        if end > 0:
            values.append(end)
            ends.append((np.log10(end), f"<b>{label(one)} {number(end, 2)}</b>", colour(one.style.tint)))
    signal = _signal(shown)
    if signal:
        values.append(signal)
        traces.append(_level(signal, rounds))
        ends.append((np.log10(signal), f"signal {number(signal, 2)}", MUTED))
    low = np.floor(np.log10(min(values, default=1e-3)) - 0.2)
    high = np.ceil(np.log10(max(values, default=1.0)) + 0.2)
    return figure(
        traces,
        x={"title": "round", "range": [0, rounds], "tickformat": "d"},
        y=log_axis(low, high),
        margin=label_margin(ends),
        annotations=end_labels(ends, low, high),
    )


def label(one: Series) -> str:
    """A variant's label, safe inside plotly's own markup."""
    return html.escape(one.label if len(one.label) <= 16 else one.label[:15] + "…")


def thinned(length: int) -> Any:
    """Indices of at most MOST_POINTS points, the first and the last among them."""
    return np.unique(np.linspace(0, max(0, length - 1), min(length, MOST_POINTS)).astype(int))


def _signal(shown: Sequence[Series]) -> float:
    """The mean square of the aggregate without noise, in the run with the least noise."""
    finals = [(one.final("noise_variance_theory"), one.final("signal_variance")) for one in shown]
    known = [(noise.mean(), signal.mean()) for noise, signal in finals if len(noise) and len(signal)]
    return float(min(known)[1]) if known else 0.0


def _positive(values: Floats) -> Any:
    """Zero has no place on a logarithmic axis."""
    return np.where(values > 0, values, np.nan)


def _line(x: Any, y: Any, one: Series, hover: str) -> Trace:
    return scatter(
        x,
        y,
        mode="lines" if len(x) > 1 else "markers",
        name=label(one),
        line={"color": colour(one.style.tint), "width": 2.5, "dash": one.style.dash},
        marker={"color": colour(one.style.tint), "size": 7},
        hovertemplate=hover,
    )


def _dots(x: Any, y: Any, one: Series) -> Trace:
    return scatter(
        x,
        y,
        mode="markers",
        name=f"{label(one)}, predicted",
        marker={"color": colour(one.style.tint), "size": 6, "symbol": "circle-open"},
        hovertemplate="%{y:.3g}",
    )


def _expected(value: float, rounds: int, one: Series) -> Trace:
    return scatter(
        [0, rounds],
        [value, value],
        mode="lines",
        name=f"{label(one)}, predicted",
        line={"color": colour(one.style.tint), "width": 1.5, "dash": "dot"},
        hovertemplate="%{y:.3g}",
    )


def _band(x: Any, low: Any, high: Any, run: int) -> Trace:
    return scatter(
        [*x, *x[::-1]],
        [*high, *low[::-1]],
        fill="toself",
        fillcolor=colour(run, 0.15),
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
    )


def _reference(mean: Floats) -> Trace:
    pick = thinned(len(mean))
    return scatter(
        pick,
        mean[pick],
        mode="lines",
        name="no noise",
        line={"color": MUTED, "width": 1.5, "dash": "dot"},
        hovertemplate="%{y:.1%}",
    )


def _level(value: float, rounds: int) -> Trace:
    return scatter(
        [0, rounds],
        [value, value],
        mode="lines",
        line={"color": MUTED, "width": 1, "dash": "dot"},
        hoverinfo="skip",
    )
