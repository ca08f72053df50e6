"""Headline and figures of an attack grid."""

import json
import math
from collections.abc import Iterable
from functools import lru_cache

from ldp_core import mechanisms
from ldp_core.accounting import everyone, promise, worth
from ldp_core.attacks.findings.verdict import reads
from ldp_core.experiment import plan
from ldp_core.experiment.attack_grid import parse_ladder
from ldp_core.experiment.overrides import changed
from ldp_core.inference import Finding, Name, finding
from ldp_core.runs import Desk, tint_of
from pages.parts.attack.words import (
    FEW_IMAGES,
    Body,
    asked,
    cells_of,
    doubtful,
    label_of,
    least_from,
    least_of,
    picked_from,
    where,
)
from pages.parts.ui.text import at_most, number

MOST_NAMED = 3


def head(desk: Desk, live: bool) -> Body:
    """Headline and figures, as assets/web/head.js takes them."""
    start, ladder = desk.start, desk.start["ladder"]
    measured = {name: cells for name in start["attackers"] if (cells := cells_of(desk, name))}
    waits = "The grid is being filled; findings follow when it is full"
    line: list[Name] = [(waits if live else "Stopped before any cell was tried: nothing is found", None)]
    picked: list[Name] = [("not known yet" if live else "nothing was attacked", None)]
    if measured and not live:
        line = _line(desk, measured)
        picked = _joined(
            " · ",
            [[(f"{label_of(n)} {_picked_from(cells, desk)}", _tint(n))] for n, cells in measured.items()],
        )
    seen = ladder["rounds_observed"]
    uploads = "one upload" if seen == 1 else f"{number(seen, 6)} uploads"
    what = f"the real one, of {start['n']} images"
    which: Body = {"name": "Picked out", "pieces": [("not asked of a real upload", None)], "rest": ""}
    if ladder["upload"] == "audit":
        what = ""
        doubts = {} if live else {label_of(n): doubtful(asked(cells), desk) for n, cells in measured.items()}
        hint = "; ".join(f"{label} {words}" for label, words in doubts.items() if words)
        rest = f"of {ladder['candidates']}, beyond guessing"
        which = {"name": "The right image is picked out", "pieces": picked, "rest": rest, "hint": hint}
    has = [(f"{uploads} of client {ladder['client']}, round {ladder['round']}", None)]
    costs = "; ".join(filter(None, (_price(json.dumps(ladder)), what)))
    return {"line": line, "chips": [which, {"name": "What the server has", "pieces": has, "rest": costs}]}


@lru_cache(maxsize=64)
def _price(ladder: str) -> str:
    """Guarantee for one upload at the least and the largest ε, under the first mechanism, with its worth."""
    asked = parse_ladder(json.loads(ladder))
    law, client = asked.mechanisms[0], asked.client - 1
    at = [changed(asked.experiment(law), {"clients.epsilon": asked.epsilons[end]}) for end in (0, -1)]
    least, most = (promise(plan(one), everyone(plan(one))[client]).upload for one in at)
    if math.isinf(most.bound):
        return "no guarantee for an upload"
    words = " to ".join(dict.fromkeys(worth(one).word for one in (least, most)))
    delta = max(least.delta, most.delta)
    known = f" (δ {number(delta)})" if delta else ""
    ends = "–".join(at_most(one.bound, 2) for one in (least, most))
    return f"promises {words} against it: ε {ends} under {law.label}{known}"


def _line(desk: Desk, measured: dict[str, list[Body]]) -> list[Name]:
    """Headline: mechanisms whose uploads reveal the image, by least ε, and those whose do not."""
    ranked = sorted(measured, key=lambda name: least_of(measured[name]) or math.inf)
    said: list[list[Name]] = []
    for name in ranked[:MOST_NAMED]:
        said.append([*_found(desk, name, measured[name]).pieces()])
    if (more := len(ranked) - MOST_NAMED) > 0:
        said.append([(f"{more} more below", None)])
    return _joined("; ", said)


def _found(desk: Desk, name: str, cells: list[Body]) -> Finding:
    kinds, back = {cell["verdict"]["kind"] for cell in cells}, least_of(cells)
    # from which ε on images are recognisable, if below that from which they are recovered
    guess = max(desk.start["psnr_mean_image"], desk.start["psnr_class_mean"])
    shows = least_from(
        cells,
        lambda cell: (
            (back is not None and cell["epsilon"] >= back)
            or (
                cell["verdict"]["kind"] == "partly"
                if cell["pairs"]
                else reads(cell["psnr"], guess, cell["ncc"], cell["ncc_non_members"])
            )
        ),
    )
    kind = "back at some" if "recovered" in kinds else "not back"
    kind = "clipped" if kinds == {"clipping"} else "attack fails" if "inconclusive" in kinds else kind
    return finding(
        kind if back is None else "back",
        name=(label_of(name), _tint(name)),
        where="" if back is None else where(back, cells),
        read=f" (readable from ε {number(shows)})" if shows and shows != back else "",
        most=number(cells[-1]["epsilon"]),
    )


def _joined(mark: str, groups: Iterable[list[Name]]) -> list[Name]:
    return [piece for group in groups for piece in ((mark, None), *group)][1:]


def _picked_from(cells: list[Body], desk: Desk) -> str:
    known = asked(cells)
    if not known:
        return "not asked"
    if (found := picked_from(known, desk)) is not None:
        return f"from ε {number(found)}"
    few_images = known[0]["n"] <= FEW_IMAGES and doubtful(known, desk)
    return "too few images to say" if few_images else f"not up to ε {number(known[-1]['epsilon'])}"


def _tint(name: str) -> int:
    return tint_of(mechanisms.registry, name)
