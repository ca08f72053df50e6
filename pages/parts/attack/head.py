"""Headline and three figures of an attack grid."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import lru_cache

from ldp_core import mechanisms
from ldp_core.accounting import everyone, promise, worth
from ldp_core.attacks.findings.verdict import RECOVERED_DB, reads
from ldp_core.experiment.attack_grid import parse_ladder
from ldp_core.experiment.overrides import changed
from ldp_core.runs import Desk
from pages.parts.attack.words import (
    FEW_IMAGES,
    Body,
    asked,
    cells_of,
    doubtful,
    least_from,
    picked_from,
    where,
)
from pages.parts.charts.styles import tint_of
from pages.parts.ui.text import few, number, upwards

Piece = tuple[str, int | None]
"""Text, and the number of its colour (None: the text's own)."""
MOST_NAMED = 3
"""Largest number of mechanisms in the headline."""
_WAITING: list[Piece] = [("not told yet", None)]
_NOTHING: list[Piece] = [("nothing was attacked", None)]


def head(desk: Desk, live: bool) -> Body:
    """Headline and three figures, as assets/web/head.js takes them."""
    every = {name: cells_of(desk, name) for name in desk.start["attackers"]}
    measured = {name: cells for name, cells in every.items() if cells}
    if live or not measured:
        line: list[Piece] = [("The ladder fills; what it shows is told when it is full", None)]
        back = picked = _WAITING if live else _NOTHING
    else:
        line, back, picked = (
            _line(desk, measured),
            _each(measured, _back_from),
            _each(measured, _picked_from(desk)),
        )
    start, ladder = desk.start, desk.start["ladder"]
    seen = ladder["rounds_observed"]
    uploads = "one upload" if seen == 1 else f"{number(seen, 6)} uploads"
    audit = ladder["upload"] == "audit"
    what = "made of one image, the worst case" if audit else f"the real one, of {start['n']} images"
    fewer = f" ({ladder['images']} asked for)" if start["n"] < ladder["images"] else ""
    good = f"{RECOVERED_DB:.0f} dB or more, median of {start['n']} images{fewer}"
    better = f"of {ladder['candidates']} candidates, more often than by guessing"
    better = (audit and not live and _doubts(desk, measured)) or better
    return {
        "line": line,
        "chips": [
            {"name": "The image is back", "pieces": back, "rest": good if audit else "more than by chance"},
            {"name": "The right image is picked out", "pieces": picked, "rest": better}
            if audit
            else {"name": "Picked out", "pieces": [("not asked of a real upload", None)], "rest": ""},
            {
                "name": "What the server has",
                "pieces": [(f"{uploads} of client {ladder['client']}, round {ladder['round']}", None)],
                "rest": f"{_price(json.dumps(ladder))}; {what}",
            },
        ],
    }


@lru_cache(maxsize=64)
def _price(ladder: str) -> str:
    """Guarantee for one upload at the least and the largest ε, under the first mechanism, with its worth."""
    asked = parse_ladder(json.loads(ladder))
    law, client = asked.mechanisms[0], asked.client - 1
    at = [changed(asked.experiment(law), {"clients.epsilon": asked.epsilons[end]}) for end in (0, -1)]
    least, most = (promise(one, everyone(one)[client]).upload for one in at)
    words = " to ".join(dict.fromkeys(worth(one).word for one in (least, most)))
    if math.isinf(most.bound):
        return "no guarantee for an upload"
    delta = max(least.delta, most.delta)
    known = f", δ {number(delta)}" if delta else ""
    ends = f"{number(upwards(least.bound, 2))} to {number(upwards(most.bound, 2))}"
    return f"promises {words}: ε {ends} under {law.label} (against the server{known})"


def _line(desk: Desk, measured: dict[str, list[Body]]) -> list[Piece]:
    """Headline: mechanisms whose uploads reveal the image, by least ε, and those whose do not."""
    ranked = sorted(measured, key=lambda name: _lowest(measured[name]))
    found: list[Piece] = []
    for place, name in enumerate(ranked[:MOST_NAMED]):
        cells, lowest = measured[name], _lowest(measured[name])
        kinds = {cell["verdict"]["kind"] for cell in cells}
        if lowest < float("inf"):
            says = f" gives the image back {where(lowest, cells)}{_readable(desk, cells, lowest)}"
        elif "inconclusive" in kinds:
            says = " cannot be judged: this attack fails even without noise"
        elif kinds == {"clipping"}:
            says = " does not give it back, nor would clipping alone"
        elif "recovered" in kinds:
            says = " gives it back at some ε, and not at every one above"
        else:
            says = f" does not up to ε {number(cells[-1]['epsilon'])}{_readable(desk, cells)}"
        found += [("; ", None)] * bool(place) + [_named(name), (says, None)]
    if (more := len(ranked) - MOST_NAMED) > 0:
        found.append((f"; {more} more below", None))
    return found


def _readable(desk: Desk, cells: list[Body], back: float = float("inf")) -> str:
    """Note on the ε from which images are recognisable, if below the ε from which they are recovered."""
    guess = max(desk.start["psnr_mean_image"], desk.start["psnr_class_mean"])

    def shows_it(cell: Body) -> bool:
        return cell["epsilon"] >= back or reads(cell["psnr"], guess, cell["ncc"], cell["ncc_non_members"])

    shows = least_from(cells, shows_it)
    return "" if shows is None or shows >= back else f" (it can be read from ε {number(shows)} on)"


def _lowest(cells: list[Body]) -> float:
    found = least_from(cells, lambda cell: cell["verdict"]["kind"] == "recovered")
    return float("inf") if found is None else found


def _each(measured: dict[str, list[Body]], says: Callable[[list[Body]], str]) -> list[Piece]:
    found: list[Piece] = []
    for name, cells in measured.items():
        label, tint = _named(name)
        found += [(" · ", None)] * bool(found) + [(f"{label} {says(cells)}", tint)]
    return found


def _back_from(cells: list[Body]) -> str:
    if _lowest(cells) < float("inf"):
        return f"from ε {number(_lowest(cells))}"
    at = [number(cell["epsilon"]) for cell in cells if cell["verdict"]["kind"] == "recovered"]
    return f"at ε {few(at)}, not at every ε above" if at else _up_to(cells)


def _up_to(cells: list[Body]) -> str:
    """Note on the largest ε that a stopped attack has computed."""
    return f"not up to ε {number(max(cell['epsilon'] for cell in cells))}"


def _picked_from(desk: Desk) -> Callable[[list[Body]], str]:
    def says(cells: list[Body]) -> str:
        known = asked(cells)
        if not known:
            return "not asked"
        found = picked_from(known, desk)
        if found is not None:
            return f"from ε {number(found)}"
        few_images = known[0]["n"] <= FEW_IMAGES and doubtful(known, desk)
        return "too few images to say" if few_images else _up_to(known)

    return says


def _doubts(desk: Desk, measured: dict[str, list[Body]]) -> str:
    """Remarks on identification above chance that is not significant."""
    found = {_named(name)[0]: doubtful(asked(cells), desk) for name, cells in measured.items()}
    return "; ".join(f"{label} {words}" for label, words in found.items() if words)


def _named(name: str) -> Piece:
    return mechanisms.registry.kind(name).label, tint_of(mechanisms.registry, name)
