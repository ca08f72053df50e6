"""The reason for a verdict, as one sentence made from figures."""

from typing import get_args

from ldp_core.errors import listed
from ldp_core.inference import SEEDS, Interval, Outcome, at_chance, interval
from ldp_core.limits import number
from ldp_core.papers.base import Claim
from ldp_core.papers.statements import Part, stated
from ldp_core.papers.stored import Figure, Shelf


def of_arm(claim: Claim, shelf: Shelf, label: str, about: str = "") -> Interval | None:
    """Mean and interval of an arm over seeds, at the claim's level, in its quantity or in `about`; None
    without figures.
    """
    values = shelf.values(claim, [label], about)[label]
    return interval(values, claim.intervals) if len(values) else None


def not_run(claim: Claim, shelf: Shelf, labels: list[str]) -> str:
    known = {label: shelf.of_arm(claim, label) for label in labels}
    for label, found in known.items():
        if failed := next((one for one in found.values() if one.judged is None), None):
            return f"“{label}” with seed {failed.seed}: {failed.status}."
    if claim.missing:
        return f"The data are not on this machine: {claim.missing}."
    done, asked = sum(map(len, known.values())), len(labels) * claim.seeds
    if done:
        return f"{done} of {asked} runs are measured; a verdict needs {SEEDS} seeds of each arm."
    return "No run of it is stored."


def because(claim: Claim, shelf: Shelf, labels: list[str], parts: tuple[Part, ...]) -> str:
    """Reason for a verdict: statements that fail, arms at chance, controls that do as well."""
    groups = [
        f"{outcome}: here {listed(shown)}"
        for outcome in get_args(Outcome)[1:]
        if (shown := [part.shows for part in parts if part.outcome == outcome])
    ]
    if held := sum(part.outcome == "holds" for part in parts) * bool(groups):
        groups = [f"{held} of {len(parts)} statements hold{'s' * (held == 1)}", *groups]
    said = "; ".join(groups) or ("It holds" if len(parts) == 1 else f"All {len(parts)} statements hold")
    said = said[0].upper() + said[1:]
    lost = _diverged(claim, shelf, labels) or _at_chance(claim, shelf, labels)
    why = (lost if claim.quantity.of_a_model else "", _rival(claim, shelf))
    return "; ".join([said, *filter(None, why)]) + "."


def _diverged(claim: Claim, shelf: Shelf, labels: list[str]) -> str:
    """Sentence on the arm that diverged most often: how often, and by which round; "" if none did."""
    every = {label: list(shelf.of_arm(claim, label).values()) for label in labels}
    lost = {label: some for label in labels if (some := [one for one in every[label] if one.diverged])}
    if not lost:
        return ""
    label = max(lost, key=lambda one: len(lost[one]))
    others, one = len(lost) - 1, lost[label][0]
    rounds = max(len(one.curve) for one in lost[label])  # the curve begins at round 0
    also = f", as {others} other{'s do' if others > 1 else ' does'}" if others else ""
    noise = f"{_sizes(one, 'noise of σ')}; " if one.noise and one.size else ""
    return (
        f"{label} diverges by round {rounds} with {len(lost[label])} of {len(every[label])} seeds{also} "
        f"({noise}its last model counts)"
    )


def _sizes(one: Figure, noise: str) -> str:
    return f"{noise} {number(one.noise or 0.0)} beside weights of size {number(one.size or 0.0)}"


def _at_chance(claim: Claim, shelf: Shelf, labels: list[str]) -> str:
    """Sentence on the arm that ends nearest to chance, if any ends there; with its noise."""
    first = {label: next(iter(shelf.of_arm(claim, label).values())) for label in labels}
    gaps = {label: above_chance(claim, shelf, label) for label in labels}
    complete = {label for label, one in first.items() if one.size and one.noise is not None}
    found = {label: gap for label, gap in gaps.items() if gap is not None and label in complete}
    if not found:
        return ""
    label = min(found, key=found.__getitem__)
    return f"{label} ends at chance: {_sizes(first[label], 'the noise left at the server has σ')}"


def above_chance(claim: Claim, shelf: Shelf, label: str) -> float | None:
    """Accuracy of an arm minus chance, if it ends at chance; else None."""
    ours, known = of_arm(claim, shelf, label, "accuracy"), [*shelf.of_arm(claim, label).values()]
    if ours is None or known[0].chance is None or not at_chance(ours.mean / 100, known[0].chance):
        return None
    return ours.mean / 100 - known[0].chance


def _rival(claim: Claim, shelf: Shelf) -> str:
    """Sentence on the strongest control that is not clearly behind the paper's proposal; "" without any."""
    found: list[tuple[float, str]] = []
    rivals = [one for one in claim.controls if one.against]
    for control in rivals:
        table = shelf.values(claim, [control.arm, control.against])
        ours = of_arm(claim, shelf, control.arm)
        if ours and len(table[control.arm]) >= SEEDS:
            gap = interval(table[control.arm] - table[control.against], claim.intervals * len(rivals))
            better = "does better" if gap.low > 0 else "is not clearly behind"
            said = f"{control.arm} {better} ({stated(ours, claim.quantity.unit)}): {control.why}"
            found += [(ours.mean, said)] if gap.high >= 0 else []
    return max(found)[1] if found else ""
