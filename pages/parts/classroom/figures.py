"""Charts of a class: guesses, a dot per student, and own runs, a dot per run."""

import html
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ldp_core import aggregators, mechanisms
from ldp_core.classroom import Try
from ldp_core.presets.questions import NumberQuestion, OptionQuestion, ScenarioQuestion
from ldp_core.runs import Final, tint_of
from pages.parts.charts.base import MUTED, TEXT, Figure, colour, figure, log_axis, note, scatter, share_axis
from pages.parts.learn.language import language, say
from pages.parts.learn.one_thing import final_of, price, whom
from pages.parts.ui.text import deltas, number, shortened

ACCENT = "var(--st-primary-color)"
BINS = 40
"""Number of intervals of the axis; guesses in one interval are stacked."""
LARGE = 16
PARTS = [(name, of) for of in (aggregators.registry, mechanisms.registry) for name in of.labels()]


class Dot(NamedTuple):
    """A student's own run."""

    name: str
    value: str
    job: str
    final: Final


def dots(tries: Sequence[Try]) -> list[Dot]:
    """Completed own runs with their final figures."""
    return [Dot(one.name, one.value, one.job, found) for one in tries if (found := final_of(one.job))]


def guesses_figure(
    question: ScenarioQuestion, guesses: Sequence[float | str], answers: Sequence[float | str] = ()
) -> Figure:
    """A dot per guess, with the answer and its range over seeds if known."""
    return (
        _choices(question, list(map(str, guesses)), list(map(str, answers)))
        if isinstance(question, OptionQuestion)
        else _numbers(question, [float(one) for one in guesses], [float(one) for one in answers])
    )


def _numbers(question: NumberQuestion, guesses: list[float], answers: list[float]) -> Figure:
    step = question.most / BINS
    spots = [round(value / step) for value in sorted(guesses)]
    y = [spots[: i + 1].count(spot) for i, spot in enumerate(spots)]
    tallest = max(6, *y) + 2 if y else 8
    unit = " %" if question.unit else ""
    shapes, notes = [], []
    if answers:
        truth, low, high = float(np.mean(answers)), min(answers), max(answers)
        tall = {"y0": 0, "y1": tallest}
        shapes = [
            {"type": "rect", "x0": low, "x1": high, **tall, "layer": "below"}
            | {"fillcolor": MUTED, "opacity": 0.15, "line": {"width": 0}},
            {"type": "line", "x0": truth, "x1": truth, **tall, "line": {"color": TEXT, "width": 4}},
        ]
        side = ("left", 8) if truth < 0.6 * question.most else ("right", -8)
        place: dict[str, Any] = {"yanchor": "top", "xanchor": side[0], "xshift": side[1]}
        came = f"<b>{say('came', truth=f'{number(truth, 2)}{unit}')}</b>"
        notes = [note(truth, tallest, came, TEXT, LARGE, **place)]
        if high > low:
            ends = {"low": number(low, 2), "high": f"{number(high, 2)}{unit}"}
            seeds = say("its seeds", n=len(answers), **ends)
            notes.append(note(truth, tallest, seeds, size=14, yshift=-26, **place))
    if len(guesses) > 2:
        middle = float(np.median(guesses))
        line = {"type": "line", "x0": middle, "x1": middle, "y0": 0, "y1": 0.55 * tallest}
        shapes.append(line | {"line": {"color": ACCENT, "width": 1, "dash": "dash"}})
        words = say("median", value=f"{number(middle, 2)}{unit}")
        notes.append(note(middle, 0.55 * tallest, words, ACCENT, 14))
    ticks = [question.most * quarter / 4 for quarter in range(5)]
    marker = {"color": ACCENT, "size": 15, "opacity": 0.75}
    return figure(
        [scatter([spot * step for spot in spots], y, mode="markers", marker=marker, hoverinfo="skip")],
        x={
            "title": say("was guessed"),
            "range": [-0.02 * question.most, 1.02 * question.most],
            "tickvals": ticks,
            "ticktext": [f"{number(tick)}{unit}" for tick in ticks],
            "tickfont": {"size": LARGE, "color": MUTED},
        },
        y={"range": [0, tallest], "visible": False},
        shapes=shapes,
        annotations=notes,
        margin={"l": 8, "r": 30, "t": 8, "b": 8},
        hovermode=False,
    )


def _choices(question: OptionQuestion, guesses: list[str], answers: list[str]) -> Figure:
    counts, right = Counter(guesses), set(answers)
    options = [*question.options, *(one for one in right if one not in question.options)][::-1]
    most = max(5, *(counts[one] for one in options))
    return figure(
        [
            {
                "type": "bar",
                "orientation": "h",
                "y": [_named(question.called(one)) for one in options],
                "x": [counts[one] for one in options],
                "text": [
                    say("it is", n=counts[one]) if one in right else str(counts[one]) for one in options
                ],
                "textposition": "outside",
                "cliponaxis": False,
                "textfont": {"size": LARGE, "color": TEXT},
                "marker": {"color": [TEXT if one in right else ACCENT for one in options]},
                "hoverinfo": "skip",
            }
        ],
        x={"title": say("students"), "range": [0, 1.4 * most], "showticklabels": False},
        y={"tickfont": {"size": LARGE, "color": TEXT}},
        bargap=0.35,
        hovermode=False,
    )


def tries_figure(dots: Sequence[Dot]) -> Figure:
    """Accuracy over the run's ε, or over the value where ε is equal: a dot per run, coloured by its value;
    without a guarantee at the edge.
    """
    bounds, values = [dot.final.epsilon for dot in dots if dot.final.epsilon], [dot.value for dot in dots]
    places = [*dict.fromkeys(values)] if len({dot.final.epsilon for dot in dots}) == 1 else []
    low, high = (np.log10(min(bounds)), np.log10(max(bounds))) if bounds else (0.0, 1.0)
    low, high = np.floor(low - 0.3), np.ceil(high + 0.3)
    edge = 10.0 ** (high - 0.05)
    traces, ends = [], []
    for i, value in enumerate(dict.fromkeys(values)):
        tint = next((tint_of(of, name) for name, of in PARTS if of.labels()[name] == value), i)
        same = [dot for dot in dots if dot.value == value]
        accuracies = [dot.final.accuracy or 0.0 for dot in same]
        traces.append(
            scatter(
                [places.index(value) if places else dot.final.epsilon or edge for dot in same],
                accuracies,
                mode="markers",
                marker={"color": colour(tint), "size": 15, "opacity": 0.8},
                text=[_named(dot.name) for dot in same],
                customdata=[price(dot.final, language()) for dot in same],
                hovertemplate="%{text}: %{y:.0%}, %{customdata}<extra></extra>",
            )
        )
        count = f" · {len(same)} runs" if len(same) > 1 else f" · {_named(same[0].name)}"
        ends.append((float(np.mean(accuracies)), f"<b>{_named(value)}</b>{count}", colour(tint)))
    against = " / ".join(dict.fromkeys(whom(dot.final, language()) for dot in dots))
    title = say("dearest", deltas=deltas(dot.final.delta for dot in dots), whom=against)
    across = {"title": title, **log_axis(float(low), float(high))}
    if places:
        title = price(dots[0].final, language())
        ticks = {"tickvals": [*range(len(places))], "ticktext": [_named(one) for one in places]}
        across = {"title": title, "range": [-0.5, len(places) - 0.5], **ticks}
    return figure(
        traces,
        x=across,
        y={"title": say("accuracy"), **share_axis(1.05)},
        ends=ends,
        margin={"b": 36},
        hovermode="closest",
    )


def _named(text: str) -> str:
    """Text escaped for plotly."""
    return html.escape(shortened(text, 32))
