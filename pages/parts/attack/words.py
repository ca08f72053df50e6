"""Sentences on an attack grid's results: never "private", only what was not recovered."""

from collections.abc import Callable
from itertools import takewhile
from typing import Any

from ldp_core import attacks, mechanisms, models
from ldp_core.accounting import WHOLE_RUN
from ldp_core.attacks.findings.verdict import READ, RECOVERED_DB, SELDOM, VISIBLE_DB
from ldp_core.attacks.servers import how_sent
from ldp_core.experiment.attack import SERVER
from ldp_core.inference import by_chance
from ldp_core.runs import Desk
from pages.parts.clients.data_names import data_label
from pages.parts.ui.text import decibels, number, per, percent, plain

Body = dict[str, Any]
ASKED = "What can the server see?"
TRIES = (
    "It tries to get a client's images back from an upload, and to tell which image that was made of: at "
    "every budget, under several mechanisms at once. It keeps to the protocol, or sends a model made for "
    "the attack."
)
KNOWS, CONTROLS = "What the attacker knows", "The two controls"
PROVES = "An attack that fails without noise as well proves nothing, with noise or without."
FEW_IMAGES = 10
"""Number of images up to which counts are shown instead of shares."""
MARKS = {
    "audit": f"Red: back with {RECOVERED_DB:.0f} dB or more, median of the images; orange: it can be read "
    f"(alike {READ:g} or more, more than any decoy, and closer than any guess), or is {VISIBLE_DB:.0f} dB or "
    "more above any guess.",
    "real": "Red: more images are back than by chance, and at least half as many as without noise; orange: "
    "more than by chance, but fewer than that, or can be read (as of one image).",
}
"""Meaning of the colours around the images, by kind of upload, as in `judge` and `judge_share`."""


def caption(desk: Desk) -> str:
    ladder, start = desk.start["ladder"], desk.start
    base = ladder["base"]
    if ladder["upload"] == "audit":
        many = ladder["images"]
        fewer = f", all that it holds, of the {many} asked for" if start["n"] < many else ""
        what = (
            "an upload made of one image in one step, the worst case. The pictures are of one image, of "
            f"{start['n']}{fewer}; alike: this picture's correlation with it, up to 1; picked: how often "
            f"the server says from which of {ladder['candidates']} images an upload was made, one of them "
            f"drawn afresh each time (guessing: {percent(start['chance'])})"
        )
    else:
        what = (
            f"its real upload of {start['n']} images. Of each cell, the image that came back best: on top as "
            "it was, below it as the attacker has it; best: how close that one is; back: at "
            f"{RECOVERED_DB:.0f} dB or more"
        )
    seen = ladder["rounds_observed"]
    times = "" if seen == 1 else f", seen {seen} times with fresh noise"
    target = "weights" if base["target"] == "weights" else "changes"
    sent = f"{data_label(base['dataset'])}, {models.title_of(base['model'])}, {target} sent"
    covers = per(map(mechanisms.get, start["attackers"]))
    return (
        f"Client {ladder['client']}, round {ladder['round']}, {sent}: {what}{times}. ε is {covers}, not for "
        f"{WHOLE_RUN[base.get('unit', 'client')]}. {MARKS[ladder['upload']]} A failed attack proves nothing. "
        f"{how_sent(SERVER.check(ladder.get('server', 'honest')))}"
    )


def doubtful(cells: list[Body], desk: Desk) -> str:
    """The most frequent identification below the significant ε, if its interval excludes chance; else “”."""
    found, chance = picked_from(cells, desk), desk.start["chance"]
    others = [c for c in cells if (found is None or c["epsilon"] < found) and c["identified_low"] > chance]
    if not others:
        return ""
    most = max(others, key=lambda cell: cell["identified"] / cell["n"])
    at = f"at ε {number(most['epsilon'])}"
    if most["n"] <= FEW_IMAGES:
        return f"{round(most['identified'])} of {most['n']} {at}: too few to say"
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


def least_from(cells: list[Body], holds: Callable[[Body], bool]) -> float | None:
    """Least ε from which on `holds` is true for all cells; None if it is false at the largest ε."""
    above = [*takewhile(holds, reversed(cells))]
    return above[-1]["epsilon"] if above else None


def least_of(cells: list[Body], kind: str = "recovered") -> float | None:
    return least_from(cells, lambda cell: cell["verdict"]["kind"] == kind)


def where(epsilon: float, cells: list[Body]) -> str:
    if epsilon == cells[0]["epsilon"]:
        return "at every ε of this ladder"
    return f"from ε {number(epsilon)} on"


def known(desk: Desk) -> dict[str, list[str]]:
    """What the attacker knows, by mechanism and attacker in words."""
    kinds, label = desk.start["attackers"], attacks.registry.kind
    return {
        f"**{plain(label_of(name))}**, read by “{plain(label(kinds[name]).label)}”": [
            plain(line, 200) for line in lines
        ]
        for name, lines in desk.start["knows"].items()
    }


def controls(desk: Desk) -> list[str]:
    sentences = []
    for name, attacker in desk.start["attackers"].items():
        both = [found for kind in ("clean", "clipped") if (found := desk.references.get((name, kind)))]
        if len(both) == 2:
            who = plain(attacks.registry.kind(attacker).label)
            clean, clipped = (
                f"{one['recovered']} of {one['n']} back, {decibels(one['psnr'])}" for one in both
            )
            whose = f"**{plain(label_of(name))}** (“{who}”)"
            sentences.append(f"{whose}: neither clipped nor noised {clean}; clipped only {clipped}")
    return sentences


def limits(desk: Desk) -> list[str]:
    kinds = [attacks.registry.kind(name) for name in dict.fromkeys(desk.start["attackers"].values())]
    return [plain(f"{kind.label}: {kind.cannot}", 500) for kind in kinds if kind.cannot]


def label_of(mechanism: str) -> str:
    return str(mechanisms.registry.kind(mechanism).label)


def asked(cells: list[Body]) -> list[Body]:
    return [cell for cell in cells if cell["identified_low"] is not None]


def cells_of(desk: Desk, name: str) -> list[Body]:
    return [desk.cells[name, e] for e in desk.start["ladder"]["epsilons"] if (name, e) in desk.cells]
