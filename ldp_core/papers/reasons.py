"""The reason for a verdict, as one sentence made from figures."""

from __future__ import annotations

from typing import get_args

from ldp_core.judgement import Outcome, at_chance
from ldp_core.papers.base import Claim
from ldp_core.papers.statements import SEEDS, Interval, Part, interval, stated
from ldp_core.papers.stored import Figure, Shelf


def of_arm(claim: Claim, shelf: Shelf, label: str, about: str = "") -> Interval | None:
    """Mean and interval of an arm over its seeds, in the claim's quantity or in `about`; None without
    figures.
    """
    values = shelf.values(claim, [label], about)[label]
    return interval(values) if len(values) else None


def not_run(claim: Claim, shelf: Shelf, labels: list[str]) -> str:
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


def because(claim: Claim, shelf: Shelf, labels: list[str], parts: tuple[Part, ...]) -> str:
    """Reason for a verdict: statements that fail, arms at chance, controls that do as well."""
    groups = [
        f"{outcome}: here {_listed(shown)}"
        for outcome in get_args(Outcome)[1:]
        if (shown := [part.shows for part in parts if part.outcome == outcome])
    ]
    said = "; ".join(groups) or ("It holds" if len(parts) == 1 else f"All {len(parts)} statements hold")
    said = said[0].upper() + said[1:]
    lost = _diverged(claim, shelf, labels) or _at_chance(claim, shelf, labels)
    why = (lost if claim.quantity.of_a_model else "", _rival(claim, shelf))
    return "; ".join([said, *filter(None, why)]) + "."


def _diverged(claim: Claim, shelf: Shelf, labels: list[str]) -> str:
    """Sentence on the arm that diverged most often: how often, and by which round; "" if none did."""
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
        one, above = next(iter(shelf.of_arm(claim, label).values())), above_chance(claim, shelf, label)
        if above is None or one.noise is None or not one.size:
            continue
        if worst is None or above < worst[0]:
            worst = (above, label, one)
    if worst is None:
        return ""
    _, label, one = worst
    return (
        f"{label} ends at chance: the noise left at the server has σ {one.noise:.3g}, beside weights of "
        f"size {one.size:.3g}"
    )


def above_chance(claim: Claim, shelf: Shelf, label: str) -> float | None:
    """Accuracy of an arm minus chance, if it ends at chance; else None."""
    ours, known = of_arm(claim, shelf, label, "accuracy"), [*shelf.of_arm(claim, label).values()]
    if ours is None or known[0].chance is None or not at_chance(ours.mean / 100, known[0].chance):
        return None
    return ours.mean / 100 - known[0].chance


def _rival(claim: Claim, shelf: Shelf) -> str:
    """Sentence on the strongest control that is not clearly behind the paper's proposal; "" if there is
    none.
    """
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
                    (
                        ours.mean,
                        f"{control.arm} {better} ({stated(ours, claim.quantity.unit)}): {control.why}",
                    )
                )
    return max(found)[1] if found else ""


def _listed(items: list[str]) -> str:
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]
