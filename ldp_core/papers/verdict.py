"""Does a claim hold? Computed from stored figures by one rule, never typed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from ldp_core.judgement import RULE as ORDERS
from ldp_core.judgement import Outcome, at_chance, together
from ldp_core.papers.base import Claim, Reading
from ldp_core.papers.statements import (
    MOST,
    SEEDS,
    TOLERANCE,
    WIDEST,
    Interval,
    Part,
    Statement,
    interval,
    told,
)
from ldp_core.papers.stored import Figure, Shelf, older

Word = Outcome | Literal["in part", "not run"]
RANKS: tuple[Word, ...] = (
    "not run",
    "contradicted",
    "nothing learns",
    "cannot tell",
    "no difference",
    "in part",
    "holds",
)

RULE = (
    f"{ORDERS} Differences are paired seed by seed (Student's t, at least {SEEDS} seeds). A paper's *figure* "
    f"holds if it lies within our interval, widened by {TOLERANCE:g} points, because a paper gives one "
    f"figure and no interval, and is contradicted outside of it; an interval wider than ±{WIDEST:g} points "
    "around it cannot tell. A run that diverges counts with the last model that it had. A claim of which "
    "some statements hold, not all, holds *in part*; one of which none holds is contradicted if any of them "
    "is, and else undecided. What a paper leaves open is filled in by *readings*: the claim has the verdict "
    "of the best one that contradicts nothing that the paper prints, and where there are k of those each "
    "interval is one of 100 − 5/k % (Bonferroni). Undecided statements are given more seeds once, up to "
    f"{MOST['digits']} on digits and {MOST['mnist']} elsewhere, within an hour of processor time a claim; "
    "for that second look no interval is widened."
)


@dataclass(frozen=True)
class Verdict:
    word: Word
    reason: str
    """One sentence."""
    parts: tuple[Part, ...] = ()
    seeds: int = 0
    date: str = ""
    """Of the newest figure."""
    older: tuple[str, ...] = ()
    """Versions of figures that are not of this one."""
    seconds: float = 0.0
    """That all the runs took together."""
    reading: str = ""
    """Whose it is, of a claim that has several."""
    each: tuple[tuple[Reading, Verdict], ...] = ()
    """Of every reading, where there are several."""


def verdict(claim: Claim, shelf: Shelf) -> Verdict:
    """By the best of its readings that contradicts nothing printed."""
    if not claim.readings:
        return _read(claim, shelf)
    each = tuple((one, _read(claim.read(one.name), shelf)) for one in claim.readings)
    run = [pair for pair in each if pair[1].parts]
    if not run:
        return replace(each[0][1], reading=claim.readings[0].name, each=each)
    allowed = [pair for pair in run if not pair[0].against] or run
    reading, best = max(allowed, key=lambda pair: _rank(pair[1]))
    held, unrun = sum(found.word == "holds" for _, found in run), len(each) - len(run)
    said = f"Holds in {held} of {len(each)} readings{f' ({unrun} not run)' if unrun else ''}"
    whose = f"“{reading.name}”{f', although {reading.against}' if reading.against else ''}"
    return replace(best, reason=f"{said}; by {whose}: {best.reason}", reading=reading.name, each=each)


def _rank(found: Verdict) -> tuple[int, int, int]:
    """The better the larger; of equals the first counts."""
    outcomes = [part.outcome for part in found.parts]
    return (RANKS.index(found.word), outcomes.count("holds"), -outcomes.count("contradicted"))


def _read(claim: Claim, shelf: Shelf) -> Verdict:
    used = [label for statement in claim.statements for label in statement.arms]
    labels = list(dict.fromkeys(used))
    here = [(label, one) for label in labels for one in shelf.of_arm(claim, label).values()]
    table = shelf.values(claim, labels)
    seeds = min((len(values) for values in table.values()), default=0)
    facts = {
        "seeds": seeds,
        "date": max((one.date for _, one in here), default=""),
        "older": older([(claim.arm(label), one) for label, one in here]),
        "seconds": sum(one.seconds for _, one in here),
    }
    if seeds < min(SEEDS, claim.seeds):
        return Verdict("not run", _not_run(claim, shelf, labels), **facts)  # type: ignore[arg-type]
    parts = tuple(_judged(claim, shelf, statement) for statement in claim.statements)
    reason = _because(claim, shelf, labels, parts)
    return Verdict(_word([part.outcome for part in parts]), reason, parts, **facts)  # type: ignore[arg-type]


def _judged(claim: Claim, shelf: Shelf, statement: Statement) -> Part:
    part = statement.judged(lambda names: shelf.values(claim, names), claim.tried)
    silent = statement.compares and claim.quantity.of_a_model
    if silent and all(_above(claim, shelf, label) is not None for label in statement.arms):
        return replace(part, outcome="nothing learns")
    return part


def _word(outcomes: list[Outcome]) -> Word:
    return "in part" if "holds" in outcomes and len(set(outcomes)) > 1 else together(outcomes)


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
        one, above = next(iter(shelf.of_arm(claim, label).values())), _above(claim, shelf, label)
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


def _above(claim: Claim, shelf: Shelf, label: str) -> float | None:
    """How far above guessing an arm ends that ends at chance; None of any other."""
    ours, known = of_arm(claim, shelf, label, "accuracy"), [*shelf.of_arm(claim, label).values()]
    if ours is None or known[0].chance is None or not at_chance(ours.mean / 100, known[0].chance):
        return None
    return ours.mean / 100 - known[0].chance


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
