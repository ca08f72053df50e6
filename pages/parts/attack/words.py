"""Sentences on an attack grid's results: never "private", only what was not recovered."""

from __future__ import annotations

from typing import Any

from ldp_core import attacks, mechanisms, models
from ldp_core.attacks.findings.metrics import by_chance
from ldp_core.attacks.findings.verdict import READ, RECOVERED_DB, VISIBLE_DB
from ldp_core.runs import Desk
from pages.parts.charts.tally import SELDOM
from pages.parts.clients.data_names import data_label
from pages.parts.ui.text import decibels, few, number, percent, plain

Body = dict[str, Any]
FEW_IMAGES = 10
"""Number of images up to which counts are shown instead of shares."""
MARKS = {
    "audit": f"Red: back with {RECOVERED_DB:.0f} dB or more, median of the images; orange: it can be read "
    f"(alike {READ:g} or more, more than any decoy, and closer than any guess), or is {VISIBLE_DB:.0f} dB or "
    "more above any guess.",
    "real": "Red: more images are back than by chance, and at least half as many as without noise; orange: "
    "more than by chance, but fewer than that.",
}
"""Meaning of the colours around the images, by kind of upload, as in `judge` and `judge_share`."""


def caption(desk: Desk) -> str:
    """Caption of the images, for the page and the file."""
    ladder, start = desk.start["ladder"], desk.start
    base = ladder["base"]
    data = data_label(base["dataset"])
    target = "weights" if base["target"] == "weights" else "changes"
    if ladder["upload"] == "audit":
        many = ladder["images"]
        fewer = f", all that it holds, of the {many} asked for" if start["n"] < many else ""
        what = (
            f"an upload made of one image in one step, the worst case. The pictures are of one image, of "
            f"{start['n']}{fewer}; alike: this picture's correlation with it, from 0 to 1; "
            f"picked: how often the server says from which of "
            f"{ladder['candidates']} images an upload was made, one of them drawn afresh each time "
            f"(guessing: {percent(start['chance'])})"
        )
    else:
        what = (
            f"its real upload of {start['n']} images. Of each cell, the image that came back best: on top as "
            "it was, below it as the attacker has it; best: how close that one is; back: at "
            f"{RECOVERED_DB:.0f} dB or more"
        )
    seen = ladder["rounds_observed"]
    times = "" if seen == 1 else f", seen {seen} times with fresh noise"
    sent = f"{models.title_of(base['model'])}, {target} sent"
    return (
        f"Client {ladder['client']}, round {ladder['round']}, {data}, {sent}: {what}{times}. ε is per "
        f"use of the mechanism, not per person. {MARKS[ladder['upload']]} A failed attack proves nothing."
    )


def findings(desk: Desk) -> list[str]:
    """A sentence for each mechanism: ε from which images are recovered and identified."""
    sentences = []
    for name in desk.start["attackers"]:
        cells = cells_of(desk, name)
        if cells:
            label = plain(mechanisms.registry.kind(name).label)
            sentences.append(f"**{label}**: {_pixels(cells)}{_picked(cells, desk)}.")
    return sentences


def _pixels(cells: list[Body]) -> str:
    kinds = {cell["verdict"]["kind"] for cell in cells}
    if "inconclusive" in kinds:
        return "inconclusive, as this attack fails even without noise"
    back = least_from(cells, lambda cell: cell["verdict"]["kind"] == "recovered")
    if back is not None:
        return f"pictures are back {where(back, cells)}"
    if kinds == {"clipping"}:
        return "not recovered, and clipping alone already hides the pictures"
    top = number(cells[-1]["epsilon"])
    if at := [number(cell["epsilon"]) for cell in cells if cell["verdict"]["kind"] == "recovered"]:
        return f"pictures are back at ε {few(at)}, but not at every ε above: there this attacker reads worse"
    partly = least_from(cells, lambda cell: cell["verdict"]["kind"] == "partly")
    some = f", though it can be read, or nearly, {where(partly, cells)}" if partly is not None else ""
    return f"not recovered by this attack up to ε {top}{some}"


def _picked(cells: list[Body], desk: Desk) -> str:
    with_figures = asked(cells)
    if not with_figures:
        return ""
    found, besides = picked_from(with_figures, desk), doubtful(with_figures, desk)
    if found is None:
        words = "; picked out no more often than guessing would, as far as these images can tell"
        return words + (f" ({besides})" if besides else "")
    first = next(cell for cell in with_figures if cell["epsilon"] == found)
    share = "; ".join(filter(None, [percent(first["identified"] / first["n"]), besides]))
    return f"; the right image is picked out more often than by guessing {where(found, cells)} ({share})"


def doubtful(cells: list[Body], desk: Desk) -> str:
    """Sentence on the most frequent identification below the significant ε, if its interval excludes chance;
    "" if there is none.
    """
    found, chance = picked_from(cells, desk), desk.start["chance"]
    others = [c for c in cells if (found is None or c["epsilon"] < found) and c["identified_low"] > chance]
    if not others:
        return ""
    most = max(others, key=lambda cell: cell["identified"] / cell["n"])
    at = f"at ε {number(most['epsilon'])}"
    if most["n"] <= FEW_IMAGES:
        return f"{number(most['identified'])} of {most['n']} {at}: too few to say"
    many = len(desk.start["attackers"]) * len(desk.start["ladder"]["epsilons"])
    lucky = by_chance(most["identified"], most["n"], chance) >= SELDOM / many
    return f"{percent(most['identified'] / most['n'])} {at} {'may be' if lucky else 'is more than'} chance"


def picked_from(cells: list[Body], desk: Desk) -> float | None:
    """Least ε from which on identification is more frequent than guessing explains, at all larger ε too.

    Tested from the largest ε down until it fails, so no correction over ε is needed; a false finding for any
    mechanism has probability at most 2.5 % (Bonferroni).
    """
    start = desk.start
    seldom = SELDOM / len(start["attackers"])
    return least_from(cells, lambda c: by_chance(c["identified"], c["n"], start["chance"]) < seldom)


def least_from(cells: list[Body], holds: Any) -> float | None:
    """Least ε from which on `holds` is true for all cells; None if it is false at the largest ε."""
    found = None
    for cell in reversed(cells):
        if not holds(cell):
            break
        found = cell["epsilon"]
    return found


def where(epsilon: float, cells: list[Body]) -> str:
    if epsilon == cells[0]["epsilon"]:
        return "at every ε of this ladder"
    return f"from ε {number(epsilon)} on"


def controls(desk: Desk) -> list[str]:
    sentences = []
    for name, attacker in desk.start["attackers"].items():
        found = {kind: desk.references.get((name, kind)) for kind in ("clean", "clipped")}
        if all(found.values()):
            label = plain(mechanisms.registry.kind(name).label)
            who = plain(attacks.registry.kind(attacker).label)
            came_back = {kind: _back(body) for kind, body in found.items() if body}
            sentences.append(
                f"**{label}** (“{who}”): neither clipped nor noised {came_back['clean']}; clipped only "
                f"{came_back['clipped']}"
            )
    return sentences


def limits(desk: Desk) -> list[str]:
    """Limits of the attackers at work, each with its reason."""
    kinds = [attacks.registry.kind(name) for name in dict.fromkeys(desk.start["attackers"].values())]
    return [plain(f"{kind.label}: {kind.cannot}", 500) for kind in kinds if kind.cannot]


def _back(body: Body) -> str:
    return f"{body['recovered']} of {body['n']} back, {decibels(body['psnr'])}"


def asked(cells: list[Body]) -> list[Body]:
    return [cell for cell in cells if cell["identified_low"] is not None]


def cells_of(desk: Desk, name: str) -> list[Body]:
    return [desk.cells[name, e] for e in desk.start["ladder"]["epsilons"] if (name, e) in desk.cells]
