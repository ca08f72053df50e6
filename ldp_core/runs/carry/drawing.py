"""Curves as SVG without scripts: axes, lines, bands, labels at the ends of the lines."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, isfinite, log10

import numpy as np

from ldp_core.mechanisms.base import Floats

COLOURS = ("#1f5fae", "#b35900", "#00795c", "#9c3587", "#8a6d00", "#b3261e", "#3d3d8f", "#00708a", "#6b4f2a")
"""Colours of the pages' light theme, distinct with any colour vision and legible as text."""
CONTROL = "#64707f"
WIDTH, HEIGHT = 620, 300
LEFT, RIGHT, TOP, BOTTOM = 52, 170, 14, 34
NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"'
GAP = 16
"""Least distance between two labels, in pixels."""


@dataclass(frozen=True)
class Curve:
    """One line: mean, lowest and highest at each round from 0, NaN where there is no value."""

    label: str
    mean: Floats
    low: Floats
    high: Floats
    colour: str = ""
    """`#rrggbb`; "" for the next of `COLOURS`."""
    control: bool = False
    """True for a control, such as a run without noise, which is drawn thin, grey and dashed."""


def drawn(title: str, curves: Sequence[Curve], percent: bool, alone: bool = False) -> str:
    """SVG element with curves on a linear axis of 0 to 100 %, or a logarithmic one. Text is escaped.

    Args:
        percent: whether the values are shares in [0, 1], drawn on the linear axis.
        alone: whether the element is a file of its own, on a white ground.
    """
    rounds = max((len(one.mean) for one in curves), default=1) - 1
    values = np.concatenate([one.mean for one in curves]) if curves else np.empty(0)
    known = values[np.isfinite(values) & (percent | (values > 0))]
    if percent or not len(known):
        low, high, ticks = 0.0, 1.0, [0.0, 0.25, 0.5, 0.75, 1.0]
    else:
        low, high = floor(log10(known.min()) - 0.1), floor(log10(known.max()) + 0.1) + 1
        ticks = [float(power) for power in range(int(low), int(high) + 1)]

    def x(number: float) -> float:
        return LEFT + number / max(1, rounds) * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        place = value if percent else (log10(value) if value > 0 else low)
        return TOP + (1 - (place - low) / (high - low)) * (HEIGHT - TOP - BOTTOM)

    def path(points: Sequence[tuple[float, float]]) -> str:
        return " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points)

    parts = []
    for tick in ticks:
        at = y(tick if percent else 10.0**tick)
        words = f"{tick:.0%}" if percent else f"{10.0**tick:g}"
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#d9dee6"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end" fill="#4a5361">{words}</text>')
    for number in sorted({0, rounds // 2, rounds}):
        parts.append(
            f'<text x="{x(number):.1f}" y="{HEIGHT - 14}" text-anchor="middle" fill="#4a5361">{number}</text>'
        )
    parts.append(
        f'<text x="{x(rounds / 2):.1f}" y="{HEIGHT}" text-anchor="middle" fill="#4a5361">round</text>'
    )
    ends: list[tuple[float, str, str]] = []
    for place, one in enumerate(curves):
        paint = CONTROL if one.control else one.colour or COLOURS[place % len(COLOURS)]
        good = [n for n, v in enumerate(one.mean) if isfinite(v) and (percent or v > 0)]
        if not good:
            continue
        if not np.array_equal(one.low, one.high) and percent:
            around = [(n, one.high[n]) for n in good] + [(n, one.low[n]) for n in reversed(good)]
            parts.append(f'<polygon points="{path(around)}" fill="{paint}" fill-opacity="0.15"/>')
        points = path([(n, one.mean[n]) for n in good])
        pen = 'stroke-width="1.5" stroke-dasharray="5 4"' if one.control else 'stroke-width="2.5"'
        parts.append(f'<polyline points="{points}" fill="none" stroke="{paint}" {pen}/>')
        last = one.mean[good[-1]]
        words = f"{one.label[:20]} {f'{last:.1%}' if percent else f'{last:.2g}'}"
        ends.append((y(last), words, paint))
    at = -GAP
    for height, words, paint in sorted(ends):
        at = max(height, at + GAP)
        text = html.escape(words)
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{at + 4:.1f}" fill="{paint}">{text}</text>')
    said = html.escape(f"{title}: {'; '.join(words for _, words, _ in ends) or 'no values'}", quote=True)
    size = f'viewBox="0 0 {WIDTH} {HEIGHT + 4}" width="100%"'
    if alone:
        size = f'{NAMESPACE} viewBox="0 0 {WIDTH} {HEIGHT + 4}" width="{WIDTH}" height="{HEIGHT + 4}"'
        size += ' font-family="system-ui, sans-serif"'
        parts.insert(0, '<rect width="100%" height="100%" fill="white"/>')
    return f'<svg role="img" aria-label="{said}" {size} font-size="13">{"".join(parts)}</svg>'
