"""Charts of attacks over rounds: PSNR, identification, share of a real upload's images."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ldp_core.attacks.findings.bounds import VACUOUS
from ldp_core.attacks.findings.verdict import RECOVERED_DB
from ldp_core.inference import intervals
from ldp_core.mechanisms.base import Floats
from ldp_core.runs import CompactSeries, Tries
from pages.parts.charts.base import MUTED, Figure, Lines, colour, line_style, scatter, share_axis
from pages.parts.charts.rounds import band, label, line, rounds_axis, thinned
from pages.parts.charts.series import Series
from pages.parts.charts.tally import running, running_cap, tally
from pages.parts.ui.text import EXACT_DB, decibels, number, percent

TriesBySeries = Sequence[tuple[Series, Sequence[Tries]]]
"""Variants with the attack results of one client, by seed."""
TOP_DB = 50.0
"""Largest PSNR in dB on the axis; better copies look the same."""
ALIKE = 0.03
"""Difference below which bounds are drawn as one."""


def pixels_figure(attacked: TriesBySeries, rounds: int) -> Figure:
    """PSNR by round, and that of guesses: mean and range over seeds; of real uploads' best image."""
    lines = Lines()
    for one, tries in attacked:
        table = _table([mine.psnr[None] for mine in tries])
        mean, low, high = (np.minimum(each, TOP_DB) for each in (table.mean(0), table.min(0), table.max(0)))
        last = float(table[:, -1].mean())
        shown = f"{number(last, 2)} dB" if last < EXACT_DB else decibels(last)
        _curve(lines, one, tries, (mean, low, high), "%{y:.1f} dB", shown)
    flat = [mine for _, tries in attacked for mine in tries]
    guesses = {
        "average of all": [mine.mean_image for mine in flat],
        "average of its class": [mine.class_mean for mine in flat if mine.class_mean is not None],
        "image is back": [RECOVERED_DB],
    }
    for (name, values), dash in zip(guesses.items(), ("dot", "dash", "longdash"), strict=True):
        if values:
            mean = float(np.mean(values))
            lines.level(rounds, mean, f"{name} {mean:.0f}", dash=dash, name=name)
    tallest = [float(trace["y"].max()) for trace in lines.traces if trace["y"].size]
    highest = max([*(end for end, _, _ in lines.ends), *tallest])
    top = min(TOP_DB, 10 * np.ceil(highest / 10 + 0.2)) + 1.0
    ticks = list(range(0, int(top) + 1, 10))
    names = [f"≥ {t}" if t == TOP_DB else str(t) for t in ticks]
    return _drawn(lines, rounds, attacked, {"tickvals": ticks, "ticktext": names}, float(top))


def picked_figure(attacked: TriesBySeries, rounds: int) -> Figure:
    """Identification rate over the rounds so far and all seeds, with a band, chance and the upper bound."""
    lines = Lines()
    for one, tries in attacked:
        share = running(tries)
        count = tally(tries)
        if count is None:
            continue
        _curve(lines, one, tries, share.T, "%{y:.0%}", f"{count.picked} of {count.n}")
    bounds, together = drawn_caps(attacked)
    for one, tries in attacked:
        if one.number not in bounds:
            continue
        cap = bounds[one.number]
        paint = MUTED if together else colour(one.style.tint)
        name = "at most" if together else f"at most, {label(one)}"
        pick, dashed = thinned(len(cap)), line_style(paint, 1.5, dash="dash")
        trace = scatter(_when(tries)[pick], cap[pick], name=name, hovertemplate="%{y:.0%}", **dashed)
        text = f"at most {percent(cap[-1])}" if cap[-1] < VACUOUS else "no bound below 100\u202f%"
        lines.add(trace, cap[-1], text if together else f"{label(one)}: {text}", paint)
        if together:
            break
    candidates = next((mine.candidates for _, tries in attacked for mine in tries if mine.candidates), None)
    if candidates:
        lines.level(rounds, 1 / candidates, f"guessing 1 of {candidates}", name="guessing")
    return _drawn(lines, rounds, attacked, share_axis(), 1.0)


def drawn_caps(attacked: TriesBySeries) -> tuple[dict[int, Floats], bool]:
    """Bounds by series, and whether all are equal; none if many different ones would hide the curves."""
    bounds = {one.number: cap for one, tries in attacked if len(cap := running_cap(tries))}
    lasts = [float(cap[-1]) for cap in bounds.values()]
    together = bool(lasts) and max(lasts) - min(lasts) < ALIKE
    return (bounds, together) if together or len(bounds) <= MOST_CAPS else ({}, False)


def returned_figure(attacked: TriesBySeries, rounds: int) -> Figure:
    """Share of real uploads' images recovered, by round, with a 95 % band, and by chance."""
    lines = Lines()
    chances = []
    for one, tries in attacked:
        back = np.nan_to_num(_table([mine.recovered[None] for mine in tries])).sum(axis=0)
        n = sum(mine.images for mine in tries)
        low, high = intervals(back, n).T
        _curve(lines, one, tries, (back / n, low, high), "%{y:.0%}", f"{back[-1]:.0f} of {n}")
        chances += [float(np.nan_to_num(mine.by_chance[:]).mean()) for mine in tries]
    by_chance = float(np.mean(chances)) if chances else 0.0
    lines.level(rounds, by_chance, f"by chance {percent(by_chance)}", name="by chance")
    return _drawn(lines, rounds, attacked, share_axis(), 1.0)


def _drawn(lines: Lines, rounds: int, attacked: TriesBySeries, y: dict[str, Any], high: float) -> Figure:
    x = rounds_axis([one for one, _ in attacked], rounds)
    return lines.figure(x=x, y={"range": [0, high], **y}, gap=GAP)


MOST_CAPS = 4
GAP = 0.07
"""Least distance between labels, larger than in other charts as these are lower."""


def _table(curves: Sequence[CompactSeries]) -> Floats:
    """Common rounds of all seeds, (seeds, rounds)."""
    length = min(len(curve) for curve in curves)
    return np.stack([curve[:length] for curve in curves])


def _when(tries: Sequence[Tries]) -> Floats:
    """Attacked rounds: the longest list over seeds, which agree."""
    return max((mine.numbers[:] for mine in tries), key=len)


def _curve(
    lines: Lines, one: Series, tries: Sequence[Tries], curves: Iterable[Floats], hover: str, last: str
) -> None:
    """Add a line over the attacked rounds with its band: mean, low and high; `last` is said at its end."""
    mean, low, high = curves
    pick = thinned(len(mean))
    x = _when(tries)[pick]
    if len(pick) > 1:
        lines.add(band(x, low[pick], high[pick], one.style.tint))
    words = f"<b>{label(one)} {last}</b>"
    lines.add(line(x, mean[pick], one, hover), mean[-1], words, colour(one.style.tint))
