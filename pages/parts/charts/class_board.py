"""A class in two charts: what was guessed, a dot a student; and what was tried, a dot a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ldp_core.presets.questions import Choice, Question
from ldp_core.presets.questions import Figure as Number
from ldp_core.runs.view.final_figures import Final
from pages.parts.charts.base import MUTED, TEXT, figure, log_axis, scatter
from pages.parts.charts.rounds import QUARTERS
from pages.parts.ui.figure_json import Figure
from pages.parts.ui.text import number, percent, plain

ACCENT = "var(--st-primary-color)"
BINS = 40
"""Guesses closer than a fortieth of the line stand on each other."""
LARGE = 16


class Dot(NamedTuple):
    """A run that a student has tried."""

    name: str
    value: str
    job: str
    final: Final


def guesses_figure(
    question: Question, guesses: Sequence[float | str], answers: Sequence[float | str] = ()
) -> Figure:
    """A dot a guess, over the truth and its band over the seeds where that is known."""
    return (
        _choices(question, list(map(str, guesses)), list(map(str, answers)))
        if isinstance(question, Choice)
        else _numbers(question, [float(one) for one in guesses], [float(one) for one in answers])
    )


def _numbers(question: Number, guesses: list[float], answers: list[float]) -> Figure:
    step = question.most / BINS
    seen: Counter[int] = Counter()
    x, y = [], []
    for value in sorted(guesses):
        place = round(value / step)
        seen[place] += 1
        x.append(place * step)
        y.append(seen[place])
    tallest = max(6, *seen.values()) + 2 if seen else 8
    unit = " %" if question.unit else ""
    shapes, notes = [], []
    if answers:
        truth, low, high = np.mean(answers), min(answers), max(answers)
        shapes = [
            {"type": "rect", "x0": low, "x1": high, "y0": 0, "y1": tallest, "layer": "below"}
            | {"fillcolor": MUTED, "opacity": 0.15, "line": {"width": 0}},
            {"type": "line", "x0": truth, "x1": truth, "y0": 0, "y1": tallest}
            | {"line": {"color": TEXT, "width": 4}},
        ]
        right = truth < 0.6 * question.most
        over = f"<br>seeds: {number(low, 2)} to {number(high, 2)}{unit}" if high > low else ""
        notes = [
            {"x": truth, "y": tallest, "text": f"<b>it came out at {number(float(truth), 2)}{unit}</b>{over}"}
            | {"xanchor": "left" if right else "right", "yanchor": "top", "showarrow": False}
            | {"align": "left" if right else "right", "xshift": 8 if right else -8}
            | {"font": {"color": TEXT, "size": LARGE}}
        ]
    ticks = [question.most * quarter / 4 for quarter in range(5)]
    return figure(
        [
            scatter(
                x, y, mode="markers", marker={"color": ACCENT, "size": 15, "opacity": 0.75}, hoverinfo="skip"
            )
        ],
        x={
            "title": "what was guessed",
            "range": [-0.02 * question.most, 1.02 * question.most],
            "tickvals": ticks,
            "ticktext": [f"{number(tick)}{unit}" for tick in ticks],
            "tickfont": {"size": LARGE, "color": MUTED},
        },
        y={"range": [0, tallest], "visible": False},
        shapes=shapes,
        annotations=notes,
        hovermode=False,
    )


def _choices(question: Choice, guesses: list[str], answers: list[str]) -> Figure:
    counts, right = Counter(guesses), set(answers)
    options = [*question.options, *(one for one in right if one not in question.options)][::-1]
    most = max(5, *(counts[one] for one in options))
    return figure(
        [
            {
                "type": "bar",
                "orientation": "h",
                "y": [plain(one, 40) for one in options],
                "x": [counts[one] for one in options],
                "text": [f"{counts[one]}{'  it came out so' if one in right else ''}" for one in options],
                "textposition": "outside",
                "cliponaxis": False,
                "textfont": {"size": LARGE, "color": TEXT},
                "marker": {"color": [TEXT if one in right else ACCENT for one in options]},
                "hoverinfo": "skip",
            }
        ],
        x={"title": "students", "range": [0, 1.4 * most], "showticklabels": False},
        y={"tickfont": {"size": LARGE, "color": TEXT}},
        bargap=0.35,
        hovermode=False,
    )


def tries_figure(dots: Sequence[Dot]) -> Figure:
    """Accuracy against the run's ε (logarithmic), a dot a run; without a guarantee at the right edge."""
    told = [dot for dot in dots if dot.final.accuracy is not None]
    bounds = [dot.final.epsilon for dot in told if dot.final.epsilon]
    low, high = (np.log10(min(bounds)), np.log10(max(bounds))) if bounds else (0.0, 1.0)
    low, high = np.floor(low - 0.2), np.ceil(high + 0.4)
    edge = 10.0 ** (high - 0.1)
    labels = [f"{plain(dot.name, 20)}: {plain(dot.value, 24)}" for dot in told]
    axis = log_axis(float(low), float(high))
    return figure(
        [
            scatter(
                [dot.final.epsilon or edge for dot in told],
                [dot.final.accuracy or 0.0 for dot in told],
                mode="markers+text",
                text=labels,
                textposition="middle left",
                textfont={"size": 13, "color": TEXT},
                marker={"color": ACCENT, "size": 14},
                customdata=["no guarantee" if dot.final.epsilon is None else "" for dot in told],
                hovertemplate="ε %{x:.4g} %{customdata}: %{y:.0%}<extra></extra>",
            )
        ],
        x={"title": "ε of the whole run, at worst", **axis},
        y={
            "title": "accuracy",
            "range": [0, 1.05],
            "tickvals": QUARTERS,
            "ticktext": [percent(one) for one in QUARTERS],
        },
        hovermode="closest",
    )
