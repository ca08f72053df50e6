"""Does a claim hold? Computed from stored figures by one rule, never typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ldp_core.papers.base import Claim
from ldp_core.papers.statements import SEEDS, TOLERANCE, WIDEST, Interval, Part, interval, told
from ldp_core.papers.stored import Figure, Shelf

Word = Literal["reproduces", "partly", "does not", "not run"]

RULE = (
    f"A paper's figure is met if it lies within our 95 % interval over seeds (Student's t, at least {SEEDS} "
    f"seeds), widened by {TOLERANCE:g} points, because a paper gives one figure and no interval; "
    f"an interval wider than ±{WIDEST:g} points meets nothing. An order is "
    "met if our paired interval lies above zero. A run that diverges counts with the last model that it had. "
    "All statements of a claim met: it reproduces; some: partly; "
    "none: it does not."
)
CHANCE = 5.0
"""Percentage points above guessing that are still called chance."""


@dataclass(frozen=True)
class Verdict:
    """What became of a claim."""

    word: Word
    reason: str
    """One sentence."""
    parts: tuple[Part, ...] = ()
    seeds: int = 0
    date: str = ""
    """Of the newest figure."""
    versions: tuple[str, ...] = ()
    """That the figures are of."""
    seconds: float = 0.0
    """That all the runs took together."""


def verdict(claim: Claim, shelf: Shelf) -> Verdict:
    """The verdict that these figures give."""
    used = [label for statement in claim.statements for label in statement.arms]
    labels = list(dict.fromkeys(used))
    here = [one for label in labels for one in shelf.of_arm(claim, label).values()]
    table = shelf.values(claim, labels)
    seeds = min((len(values) for values in table.values()), default=0)
    facts = {
        "seeds": seeds,
        "date": max((one.date for one in here), default=""),
        "versions": tuple(sorted({one.version for one in here})),
        "seconds": sum(one.seconds for one in here),
    }
    if seeds < min(SEEDS, claim.seeds):
        return Verdict("not run", _not_run(claim, shelf, labels), **facts)  # type: ignore[arg-type]
    parts = tuple(
        statement.judged(lambda names: shelf.values(claim, names)) for statement in claim.statements
    )
    met = sum(part.holds for part in parts)
    word: Word = "reproduces" if met == len(parts) else "partly" if met else "does not"
    reason = _because(claim, shelf, labels, parts)
    return Verdict(word, reason, parts, **facts)  # type: ignore[arg-type]


def of_arm(claim: Claim, shelf: Shelf, label: str, about: str = "") -> Interval | None:
    """An arm's figure in what the claim speaks of (or in something else), over its own seeds; None where
    there is none.
    """
    values = shelf.values(claim, [label], about)[label]
    return interval(values) if len(values) else None


def _not_run(claim: Claim, shelf: Shelf, labels: list[str]) -> str:
    known = {label: shelf.of_arm(claim, label) for label in labels}
    failed = [(label, one) for label, found in known.items() for one in found.values() if one.judged is None]
    if failed:
        label, one = failed[0]
        return f"“{label}” with seed {one.seed}: {one.status}."
    if claim.missing:
        return f"The data are not on this machine: {claim.missing}."
    done, asked = sum(map(len, known.values())), len(labels) * claim.seeds
    if done:
        return f"{done} of {asked} runs are measured; a verdict needs {SEEDS} seeds of each arm."
    return "No run of it is stored."


def _because(claim: Claim, shelf: Shelf, labels: list[str], parts: tuple[Part, ...]) -> str:
    """What was met and what was not; who ends at chance and why; and a control that keeps up."""
    missed = [part.shows for part in parts if not part.holds]
    alone = "It is met" if len(parts) == 1 else f"All {len(parts)} statements are met"
    said = f"Not met: here {_listed(missed)}" if missed else alone
    lost = _diverged(claim, shelf, labels) or _at_chance(claim, shelf, labels)
    why = (lost if claim.quantity.of_a_model else "", _rival(claim, shelf))
    return "; ".join([said, *filter(None, why)]) + "."


def _diverged(claim: Claim, shelf: Shelf, labels: list[str]) -> str:
    """Of the arm that did so most often: how often, and when at the latest."""
    every = {label: list(shelf.of_arm(claim, label).values()) for label in labels}
    lost = {label: [one for one in found if one.diverged] for label, found in every.items()}
    label = max(labels, key=lambda one: len(lost[one]))
    if not lost[label]:
        return ""
    rounds = max(len(one.curve) for one in lost[label])  # the curve begins at round 0
    others = sum(bool(found) for found in lost.values()) - 1
    also = f", as {others} other{'s do' if others > 1 else ' does'}" if others else ""
    one = lost[label][0]
    noise = (
        f"noise of σ {one.noise:.3g} beside weights of size {one.size:.3g}; "
        if one.noise and one.size
        else ""
    )
    return (
        f"{label} diverges by round {rounds} with {len(lost[label])} of {len(every[label])} seeds{also} "
        f"({noise}its last model counts)"
    )


def _at_chance(claim: Claim, shelf: Shelf, labels: list[str]) -> str:
    worst: tuple[float, str, Figure] | None = None
    for label in labels:
        figures = list(shelf.of_arm(claim, label).values())
        ours, one = of_arm(claim, shelf, label, "accuracy"), figures[0]
        if one.chance is None or ours is None or one.noise is None or not one.size:
            continue
        above = ours.mean - 100 * one.chance
        if above <= CHANCE and (worst is None or above < worst[0]):
            worst = (above, label, one)
    if worst is None:
        return ""
    _, label, one = worst
    return (
        f"{label} ends at chance: the noise left at the server has σ {one.noise:.3g}, beside weights of "
        f"size {one.size:.3g}"
    )


def _rival(claim: Claim, shelf: Shelf) -> str:
    """The strongest control that is not clearly behind what the paper proposes."""
    found: list[tuple[float, str]] = []
    for control in claim.controls:
        if not control.against:
            continue
        table = shelf.values(claim, [control.arm, control.against])
        gaps = table[control.arm] - table[control.against]
        if len(gaps) >= SEEDS and (gap := interval(gaps)).high >= 0:
            ours = of_arm(claim, shelf, control.arm)
            better = "does better" if gap.low > 0 else "is not clearly behind"
            if ours:
                found.append(
                    (ours.mean, f"{control.arm} {better} ({told(ours, claim.quantity.unit)}): {control.why}")
                )
    return max(found)[1] if found else ""


def _listed(items: list[str]) -> str:
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]
