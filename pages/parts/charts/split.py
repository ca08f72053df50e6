"""Charts of the data's partition, a bar per client, and of the accuracy on each class."""

import html
from collections.abc import Sequence

import numpy as np

from ldp_core.theory.turnout import Counts
from pages.parts.charts.base import (
    PAPER,
    Figure,
    Lines,
    colour,
    figure,
    line_style,
    note,
    scatter,
    share_axis,
)
from pages.parts.charts.rounds import label
from pages.parts.charts.series import Series
from pages.parts.ui.text import number, shortened

MOST_BARS = 40
"""Largest number of bars; of more clients, so many at equal distances."""
MOST_CLASSES = 12
"""Largest number of classes with a colour; the rest is drawn as one."""
CALM = ("#1f3a5f", "#3d5a80", "#66799b", "#929db0", "#b9b8b0", "#d6cba8", "#eedfb4")
"""Colours from dark to light, whose lightness alone distinguishes them."""
NAME_LENGTH = 20


def chosen(clients: int) -> np.ndarray:
    """Indices of the clients drawn: all, or some at equal distances."""
    if clients <= MOST_BARS:
        return np.arange(clients)
    return np.linspace(0, clients - 1, MOST_BARS).round().astype(np.int64)


def split_figure(counts: Counts, names: Sequence[str]) -> Figure:
    """Stacked bars of counts (clients, classes), with classes named at the right."""
    counts, names = _merged(counts, names)
    pick, classes = chosen(len(counts)), len(names)
    colours = [_shade(i / max(1, classes - 1)) for i in range(classes)]
    x = [number(int(client) + 1, 9) for client in pick]
    traces = [
        {
            "type": "bar",
            "x": x,
            "y": counts[pick, i].tolist(),
            "marker": {"color": colours[i], "line": {"color": "var(--st-background-color)", "width": 0.5}},
            "hovertemplate": f"client %{{x}}: %{{y}} × {html.escape(names[i])}<extra></extra>",
        }
        for i in range(classes)
    ]
    longest = max(map(len, names))
    return figure(
        traces,
        x={"title": "client", "type": "category", "tickangle": 0, "nticks": 12},
        y={"title": "training samples", "rangemode": "tozero"},
        barmode="stack",
        bargap=0.15,
        hovermode="closest",
        annotations=[
            note(
                1.02,
                (i + 0.5) / max(classes, 6),
                f'<span style="color:{colours[i]}">■</span> {html.escape(name)}',
                size=13,
                **PAPER,
                xanchor="left",
                yanchor="middle",
            )
            for i, name in enumerate(names)
        ],
        margin={"l": 8, "r": 34 + round(6.6 * longest), "t": 8, "b": 8},
    )


def _merged(counts: Counts, names: Sequence[str]) -> tuple[Counts, list[str]]:
    """The largest classes by name, and all others as one, if there are too many."""
    short = [shortened(name, NAME_LENGTH) for name in names]
    if len(names) <= MOST_CLASSES:
        return counts, short
    keep = np.sort(np.argsort(-counts.sum(0), kind="stable")[: MOST_CLASSES - 1])
    rest = counts.sum(1) - counts[:, keep].sum(1)
    others = f"{len(names) - len(keep)} other classes"
    return np.column_stack([counts[:, keep], rest]), [*(short[i] for i in keep), others]


def _shade(share: float) -> str:
    """A colour of the scale, from dark (0) to light (1)."""
    channels = np.array([[int(paint[c : c + 2], 16) for c in (1, 3, 5)] for paint in CALM])
    places = np.linspace(0, 1, len(CALM))
    return "#" + "".join(f"{round(float(np.interp(share, places, one))):02x}" for one in channels.T)


def split_in_words(counts: Counts) -> str:
    """Summary of the bars over all clients."""
    sizes, kinds = counts.sum(1), (counts > 0).sum(1)
    clients, classes = counts.shape
    who = f"each of the {number(clients, 6)} clients holds" if clients > 1 else "the one client holds"
    many = f"{_span(sizes)} sample{'s' if sizes.max() > 1 else ''}"
    if sizes.min() < sizes.max() and clients > 2:
        many += f" (median {number(float(np.median(sizes)), 6)})"
    of = "every class" if kinds.min() == classes else f"{_span(kinds)} of {classes} classes"
    return f"{who} {many}, and some of {of}"


def _span(values: np.ndarray) -> str:
    low, high = int(values.min()), int(values.max())
    return number(low, 9) if low == high else f"{number(low, 9)} to {number(high, 9)}"


def served(shown: Sequence[Series]) -> dict[str, list[float | None]]:
    """Accuracy on each class in the latest round, mean over seeds, by run; empty before the first. None for a
    class of which nothing is held out.
    """
    every = {one.label: [run.last.get("accuracy_per_class") or [] for run in one.runs] for one in shown}
    lengths = {len(each) for found in every.values() for each in found}
    if len(lengths) != 1 or lengths == {0}:
        return {}
    return {
        name: [None if None in some else float(np.mean(some)) for some in zip(*found, strict=True)]
        for name, found in every.items()
    }


def served_figure(shown: Sequence[Series], names: Sequence[str]) -> Figure:
    """Accuracy on each class, a line per run."""
    lines = Lines()
    for one, values in zip(shown, served(shown).values(), strict=True):
        paint = colour(one.style.tint)
        style = line_style(paint, 2.5, 8)
        shares = np.array(values, np.float64)  # without a figure a gap
        trace = scatter(range(len(names)), shares, name=label(one), hovertemplate="%{y:.0%}", **style)
        trace["x"] = [*names]
        last = next((share for share in reversed(values) if share is not None), 0.0)
        lines.add(trace, last, f"<b>{label(one)}</b>", paint)
    return lines.figure(x={"title": "class", "type": "category"}, y=share_axis())
