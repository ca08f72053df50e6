"""Curves as SVG without scripts: axes, lines, bands, labels at the ends of the lines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import floor, isfinite, log10

import numpy as np

from ldp_core.limits import number
from ldp_core.mechanisms.base import Floats
from ldp_core.runs.view.styles import OTHERWISE, painted

COLOURS = [*map(painted, OTHERWISE)]
CONTROL, GREY, LINE = "#64707f", "#4a5361", "#d9dee6"
WIDTH, HEIGHT = 620, 300
LEFT, RIGHT, TOP, BOTTOM = 52, 170, 14, 34
SIZE, GAP = 13, 16  # of the text, and between two labels, in pixels


@dataclass(frozen=True)
class Curve:
    """One line: mean, lowest and highest at each round from 0, NaN where there is no value. `colour`: as
    `#rrggbb`, "" for the next of `COLOURS`; a `control` is drawn thin, grey and dashed.
    """

    label: str
    mean: Floats
    low: Floats
    high: Floats
    colour: str = ""
    control: bool = False


def drawn(title: str, curves: Sequence[Curve], percent: bool) -> str:
    """SVG file with curves of shares in [0, 1] on a linear axis (`percent`), or on a logarithmic one."""
    rounds = max((len(one.mean) for one in curves), default=1) - 1
    values = np.concatenate([one.mean for one in curves]) if curves else np.empty(0)
    known = values[np.isfinite(values) & (percent | (values > 0))]
    if percent or not len(known):
        low, high, ticks = 0.0, 1.0, [0.0, 0.25, 0.5, 0.75, 1.0]
    else:
        low, high = floor(log10(known.min()) - 0.1), floor(log10(known.max()) + 0.1) + 1
        ticks = [10.0**power for power in range(int(low), int(high) + 1)]

    def x(number: float) -> float:
        return LEFT + number / max(1, rounds) * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        place = value if percent else (log10(value) if value > 0 else low)
        return TOP + (1 - (place - low) / (high - low)) * (HEIGHT - TOP - BOTTOM)

    def path(points: Iterable[tuple[float, float]]) -> str:
        return " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points)

    parts, ends = list[str](), list[tuple[float, str, str]]()
    for tick in ticks:
        words = f"{tick:.0%}" if percent else number(tick, 6)
        parts.append(rule(LEFT, WIDTH - RIGHT, y(tick), y(tick)))
        parts.append(words_at(LEFT - 6, y(tick) + 4, words, SIZE, GREY, "end"))
    for place in sorted({0, rounds // 2, rounds}):
        parts.append(words_at(x(place), HEIGHT - 14, str(place), SIZE, GREY, "middle"))
    parts.append(words_at(x(rounds / 2), HEIGHT, "round", SIZE, GREY, "middle"))
    for place, one in enumerate(curves):
        paint = CONTROL if one.control else one.colour or COLOURS[place % len(COLOURS)]
        good = [n for n, v in enumerate(one.mean) if isfinite(v) and (percent or v > 0)]
        if not good:
            continue
        if not np.array_equal(one.low, one.high) and percent:
            around = [(n, one.high[n]) for n in good] + [(n, one.low[n]) for n in reversed(good)]
            parts.append(f'<polygon points="{path(around)}" fill="{paint}" fill-opacity="0.15"/>')
        points = path((n, one.mean[n]) for n in good)
        pen = 'stroke-width="1.5" stroke-dasharray="5 4"' if one.control else 'stroke-width="2.5"'
        parts.append(f'<polyline points="{points}" fill="none" stroke="{paint}" {pen}/>')
        last = one.mean[good[-1]]
        ends.append((y(last), f"{one.label[:20]} {f'{last:.1%}' if percent else number(last, 2)}", paint))
    at = -float(GAP)
    for height, words, paint in sorted(ends):
        at = max(height, at + GAP)
        parts.append(words_at(WIDTH - RIGHT + 8, at + 4, words, SIZE, paint))
    said = escape(f"{title}: {'; '.join(words for _, words, _ in ends) or 'no values'}")
    return svg(WIDTH, HEIGHT + 4, parts, f' role="img" aria-label="{said}"')


def svg(width: int, height: int, parts: Iterable[str], attributes: str = "") -> str:
    """SVG file with these parts on a white ground."""
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"{attributes}'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" font-family="system-ui, sans-serif" {size}>'
    return f'{head}<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>'


def words_at(
    x: float, y: float, words: str, size: int, fill: str, anchor: str = "start", more: str = ""
) -> str:
    look = f'font-size="{size}" fill="{fill}" text-anchor="{anchor}"{more}'
    return f'<text x="{x:.1f}" y="{y:.1f}" {look}>{escape(words)}</text>'


def rule(left: float, right: float, top: float, bottom: float, more: str = "") -> str:
    ends = f'x1="{left:.1f}" x2="{right:.1f}" y1="{top:.1f}" y2="{bottom:.1f}"'
    return f'<line {ends} stroke="{LINE}"{more}/>'
