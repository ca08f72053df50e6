"""Charts of attacks over rounds: PSNR, identification, share of a real upload's images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ldp_core.attacks.findings.bounds import VACUOUS
from ldp_core.attacks.findings.metrics import intervals
from ldp_core.attacks.findings.verdict import RECOVERED_DB
from ldp_core.mechanisms.base import Floats
from ldp_core.runs import Column, Tries
from pages.parts.charts.base import (
    MUTED,
    End,
    Figure,
    Trace,
    colour,
    figure,
    level,
    look,
    scatter,
    share_axis,
)
from pages.parts.charts.rounds import band, label, line, rounds_axis, thinned
from pages.parts.charts.series import Series
from pages.parts.charts.tally import running, running_cap, tally
from pages.parts.ui.text import EXACT_DB, decibels, number, percent

Attacked = Sequence[tuple[Series, Sequence[Tries]]]
"""Variants with the attack results of one client, by seed."""
TOP_DB = 50.0
"""Largest PSNR in dB on the axis; better copies look the same."""
ALIKE = 0.03
"""Difference below which bounds are drawn as one."""


def pixels_figure(attacked: Attacked, rounds: int) -> Figure:
    """PSNR by round, and that of guesses: mean and range over seeds; of real uploads' best image."""
    traces: list[Trace] = []
    ends: list[End] = []
    for one, tries in attacked:
        table = _table([mine.psnr[None] for mine in tries])
        mean, low, high = (np.minimum(each, TOP_DB) for each in (table.mean(0), table.min(0), table.max(0)))
        _curve(traces, one, _when(tries), mean, low, high, "%{y:.1f} dB")
        last = float(table[:, -1].mean())
        ends.append((min(last, TOP_DB), f"<b>{label(one)} {_decibels(last)}</b>", colour(one.style.tint)))
    flat = [mine for _, tries in attacked for mine in tries]
    guesses = {
        "average image": [mine.mean_image for mine in flat],
        "class average": [mine.class_mean for mine in flat if mine.class_mean is not None],
        "image is back": [RECOVERED_DB],
    }
    for (name, values), dash in zip(guesses.items(), ("dot", "dash", "longdash"), strict=True):
        if values:
            mean = float(np.mean(values))
            traces.append(level((0, rounds), mean, dash=dash, name=name))
            ends.append((mean, f"{name} {mean:.0f}", MUTED))
    highest = max([*(end for end, _, _ in ends), *(float(t["y"].max()) for t in traces if t["y"].size)])
    top = min(TOP_DB, 10 * np.ceil(highest / 10 + 0.2)) + 1.0
    ticks = list(range(0, int(top) + 1, 10))
    names = [f"≥ {t}" if t == TOP_DB else str(t) for t in ticks]
    return _drawn(traces, ends, rounds, attacked, {"tickvals": ticks, "ticktext": names}, float(top))


def picked_figure(attacked: Attacked, rounds: int) -> Figure:
    """Identification rate over the rounds so far and all seeds, with a band, chance and the upper bound."""
    traces: list[Trace] = []
    ends: list[End] = []
    for one, tries in attacked:
        share = running(tries)
        count = tally(tries)
        if count is None:
            continue
        _curve(traces, one, _when(tries), share[:, 0], share[:, 1], share[:, 2], "%{y:.0%}")
        words = f"<b>{label(one)} {count.picked} of {count.n}</b>"
        ends.append((float(share[-1, 0]), words, colour(one.style.tint)))
    bounds, together = drawn_caps(attacked)
    for one, tries in attacked:
        if one.number not in bounds:
            continue
        cap = bounds[one.number]
        paint = MUTED if together else colour(one.style.tint)
        name = "at most" if together else f"at most, {label(one)}"
        pick, dashed = thinned(len(cap)), look(paint, 1.5, dash="dash")
        traces.append(scatter(_when(tries)[pick], cap[pick], name=name, hovertemplate="%{y:.0%}", **dashed))
        known = cap[-1] < VACUOUS
        text = f"at most {percent(cap[-1])}" if known else "no bound below 100\u202f%"
        whose = "" if together else f"{label(one)}: "
        ends.append((float(cap[-1]), whose + text, paint))
        if together:
            break
    candidates = next((mine.candidates for _, tries in attacked for mine in tries if mine.candidates), None)
    if candidates:
        traces.append(level((0, rounds), 1 / candidates, name="guessing"))
        ends.append((1 / candidates, f"guessing 1 of {candidates}", MUTED))
    return _drawn(traces, ends, rounds, attacked, share_axis(), 1.0)


def drawn_caps(attacked: Attacked) -> tuple[dict[int, Floats], bool]:
    """Bounds by series, and whether all are equal; none if many different ones would hide the curves."""
    bounds = {one.number: cap for one, tries in attacked if len(cap := running_cap(tries))}
    lasts = [float(cap[-1]) for cap in bounds.values()]
    together = bool(lasts) and max(lasts) - min(lasts) < ALIKE
    return (bounds, together) if together or len(bounds) <= MOST_CAPS else ({}, False)


def returned_figure(attacked: Attacked, rounds: int) -> Figure:
    """Share of real uploads' images recovered, by round, with a 95 % band, and by chance."""
    traces: list[Trace] = []
    ends: list[End] = []
    chances = []
    for one, tries in attacked:
        back = np.nan_to_num(_table([mine.recovered[None] for mine in tries])).sum(axis=0)
        n = sum(mine.images for mine in tries)
        low, high = intervals(back, n).T
        _curve(traces, one, _when(tries), back / n, low, high, "%{y:.0%}")
        last = f"<b>{label(one)} {back[-1]:.0f} of {n}</b>"
        ends.append((float(back[-1] / n), last, colour(one.style.tint)))
        chances += [float(np.nan_to_num(mine.by_chance[:]).mean()) for mine in tries]
    by_chance = float(np.mean(chances)) if chances else 0.0
    traces.append(level((0, rounds), by_chance, name="by chance"))
    ends.append((by_chance, f"by chance {percent(by_chance)}", MUTED))
    return _drawn(traces, ends, rounds, attacked, share_axis(), 1.0)


def _drawn(
    traces: list[Trace], ends: list[End], rounds: int, attacked: Attacked, y: dict[str, Any], high: float
) -> Figure:
    x = rounds_axis([one for one, _ in attacked], rounds)
    return figure(traces, x=x, y={"range": [0, high], **y}, ends=ends, gap=GAP)


MOST_CAPS = 4
GAP = 0.07
"""Least distance between labels, larger than in other charts as these are lower."""


def _table(curves: Sequence[Column]) -> Floats:
    """Common rounds of all seeds, (seeds, rounds)."""
    length = min(len(curve) for curve in curves)
    return np.stack([curve[:length] for curve in curves])


def _when(tries: Sequence[Tries]) -> Floats:
    """Attacked rounds: the longest list over seeds, which agree."""
    return max((mine.numbers[:] for mine in tries), key=len)


def _curve(
    traces: list[Trace], one: Series, when: Floats, mean: Floats, low: Floats, high: Floats, hover: str
) -> None:
    """Add a line over the attacked rounds, with its band."""
    pick = thinned(len(mean))
    x = when[pick]
    if len(pick) > 1:
        traces.append(band(x, low[pick], high[pick], one.style.tint))
    traces.append(line(x, mean[pick], one, hover))


def _decibels(value: float) -> str:
    return f"{number(value, 2)} dB" if value < EXACT_DB else decibels(value)
