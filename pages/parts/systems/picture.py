"""A picture of who sees what: clients on the left, and on the right what an attacker is left with."""

import html

from ldp_core.trust.base import Against

NAMES = ("Ada", "Ben", "Eve", "Kim")
BLUE, ORANGE, GREY = "#4a86cf", "#c77a2a", "#7d8794"
WIDTH, HEIGHT, ROW = 420, 190, 42
SEEN: dict[Against, tuple[str, str]] = {
    "server": ("", "each upload, with its name"),
    "shuffled heap": ("shuffler", "a heap without names"),
    "sum": ("secure sum", "only the sum"),
    "model": ("trusted server", "only the model"),
}
"""What stands between clients and server, and what the adversary sees, by `Trust.against`."""


def who_sees_what(against: Against) -> str:
    """An SVG that is legible on light and dark ground."""
    between, seen = SEEN[against]
    parts = []
    for place, name in enumerate(NAMES):
        y = 30 + ROW * place
        parts += [_dot(26, y, BLUE), _text(40, y + 5, name, GREY)]
        if not between:
            parts += [_line(80, y, 290), _dot(310, y, ORANGE), _text(324, y + 5, name, GREY)]
        else:
            parts.append(_line(80, y, 150, 30 + ROW * 1.5))
    if between:
        box = f'<rect x="150" y="70" width="104" height="46" rx="8" fill="none" stroke="{GREY}"/>'
        parts += [box, _text(202, 98, between, GREY, "middle"), _line(254, 93, 290)]
        spots = [(310, 78), (334, 104), (326, 70), (306, 110)] if against == "shuffled heap" else [(318, 93)]
        parts += [_dot(x, y, ORANGE, 7 if len(spots) > 1 else 14) for x, y in spots]
    parts.append(_text(WIDTH - 6, HEIGHT - 6, f"seen: {seen}", ORANGE, "end"))
    label = html.escape(f"Four clients, {between or 'nothing'} between; seen: {seen}", quote=True)
    size = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
    look = f'role="img" aria-label="{label}" font-family="sans-serif" font-size="14"'
    return f"<svg {size} {look}>{''.join(parts)}</svg>"


def _dot(x: float, y: float, fill: str, radius: float = 7) -> str:
    return f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}"/>'


def _line(x: float, y: float, to: float, down: float | None = None) -> str:
    return f'<line x1="{x}" y1="{y}" x2="{to}" y2="{y if down is None else down}" stroke="{GREY}"/>'


def _text(x: float, y: float, words: str, fill: str, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" fill="{fill}" text-anchor="{anchor}">{html.escape(words)}</text>'
