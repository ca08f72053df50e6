"""Verdict on a claim, computed from stored figures by one rule, with the reason that figures give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from math import inf, nan
from typing import Literal

from ldp_core.inference import SEEDS, Interval, Outcome, at_chance, interval, together
from ldp_core.inference.outcome import RULE as ORDERS
from ldp_core.limits import number
from ldp_core.papers.base import Claim, Paper, Reading
from ldp_core.papers.statements import AT, MOST, TOLERANCE, ClaimPart, Statement, operand, quantity, stated
from ldp_core.papers.stored import Shelf, StoredFigure, measured_by

Word = Outcome | Literal["in part", "not run"]

RULE = (
    f"A claim is made of statements, like “B is ahead of A”:\n{ORDERS}\n\nA claim **holds** if all of its "
    "statements hold, and **in part** if some do. If none holds, one that is contradicted contradicts the "
    "claim. What a paper leaves open is filled in by *readings* of the whole paper: of those that contradict "
    "nothing it prints, the one that decides most statements, whichever way, gives all its verdicts."
)
DETAILS = (
    f"Differences are paired seed by seed (Student's t, at least {SEEDS} seeds). A paper's *figure* holds if "
    f"our whole interval lies within ±{TOLERANCE:g} points of it (as papers print no intervals; a claim may "
    "have its own tolerance), and is contradicted if it lies wholly outside. A run that diverges counts "
    f"with its last model. Undecided statements are given more seeds once, up to {MOST['digits']} on digits "
    f"and {MOST['mnist']} elsewhere, within an hour of processor time a claim. With k readings, and 2 looks "
    "where seeds may be added, each interval is one of 100 − 5/(2k) %, so that all hold at once with 95 %."
)


@dataclass(frozen=True)
class Verdict:
    word: Word
    reason: str
    """Why it is not run; else what explains the figures, "" if nothing does."""
    parts: tuple[ClaimPart, ...] = ()
    seeds: int = 0
    date: str = ""
    """Of the newest figure."""
    measured_by: str = ""
    """The program's versions that measured the figures, in words."""
    reading: str = ""
    """The reading that the verdict is from, one for all of a paper's claims; "" for a claim without any."""
    each: tuple[tuple[Reading, Verdict], ...] = ()
    """Of every reading, if there are several."""


def verdicts(claims: Sequence[Claim], shelf: Shelf) -> dict[str, Verdict]:
    """Verdicts on a paper's claims, by id: all by one reading, that which decides most statements."""
    found = {one.id: {name: _read(made, shelf) for name, made in one.read_each.items()} for one in claims}
    names = dict.fromkeys(one.name for claim in claims for one in claim.readings if not one.against)
    best = max(
        names, key=lambda name: decided(one[name] for one in found.values() if name in one), default=""
    )
    return {one.id: _by(best, one, found[one.id]) for one in claims}


def _by(best: str, claim: Claim, found: Mapping[str, Verdict]) -> Verdict:
    """Verdict by the reading that judges the paper; not run if the claim is measured in others only."""
    each = tuple((reading, found[reading.name]) for reading in claim.readings)
    for name in (best, ""):
        if name in found:
            return replace(found[name], reading=name, each=each)
    return Verdict("not run", f"It is not run in the reading “{best}”.", reading=next(iter(found)), each=each)


def verdict(claim: Claim, shelf: Shelf) -> Verdict:
    """Verdict on a claim by itself."""
    return verdicts([claim], shelf)[claim.id]


def decided(found: Iterable[Verdict]) -> int:
    """Number of statements that verdicts decide, whichever way."""
    outcomes = Counter(part.outcome for one in found for part in one.parts)
    return outcomes.total() - outcomes["cannot tell"] - outcomes["nothing learns"]


def _read(claim: Claim, shelf: Shelf) -> Verdict:
    names = list(dict.fromkeys(name for statement in claim.statements for name in statement.operands))
    labels = list(dict.fromkeys(operand(name, "")[0] for name in names))
    here = [one for label in labels for one in shelf.of_arm(claim, label).values()]
    seeds, least = min((shelf.measured(claim, name) for name in names), default=0), min(SEEDS, claim.seeds)
    known = Verdict("not run", "", (), seeds, max((one.date for one in here), default=""), measured_by(here))
    if seeds < least:
        return replace(known, reason=_not_run(claim, shelf, labels))
    parts = tuple(_judged(claim, shelf, statement, least) for statement in claim.statements)
    word = word_of({part.outcome for part in parts})
    lost = (_diverged(claim, shelf, labels) or _at_chance(claim, shelf, labels)) * _of_models(claim, names)
    rival = max(_rivals(claim, shelf), default=(0.0, ""))[1] if word in ("holds", "in part") else ""
    why = "; ".join(filter(None, (lost, rival)))
    return replace(known, word=word, reason=why and f"{why}.", parts=parts)


def _of_models(claim: Claim, names: Iterable[str]) -> bool:
    return any(quantity(operand(name, claim.about)[1]).of_a_model for name in names)


def word_of(outcomes: Set[Outcome]) -> Word:
    return "in part" if "holds" in outcomes and len(outcomes) > 1 else together(outcomes)


def of_main(paper: Paper, found: Mapping[str, Verdict], shelf: Shelf) -> Verdict:
    """Verdict on a paper's main claim, by the reading of `found`, the verdicts on all of its claims."""
    whole = found[paper.main.claim]
    main = _read(paper.main_claim.read_each[whole.reading], shelf) if whole.parts else whole
    return replace(main, reading=whole.reading)


def _judged(claim: Claim, shelf: Shelf, statement: Statement, enough: int) -> ClaimPart:
    """Part for a statement; without a figure where its runs diverge in all but a few seeds."""
    names = statement.operands
    seeds = min(map(len, shelf.values(claim, names).values()))
    if seeds < enough:
        return ClaimPart(statement.says(claim.about), Interval(nan, inf, 0), "cannot tell", "")
    least = max(claim.least(name, seeds) for name in names)
    part = statement.judged(lambda of: shelf.values(claim, of), claim.about, claim.intervals, least)
    void = statement.over and _of_models(claim, names)  # an order among runs at chance says nothing
    if void and all(above_chance(claim, shelf, operand(name, "")[0]) is not None for name in names):
        return replace(part, outcome="nothing learns")
    return part


def of_arm(claim: Claim, shelf: Shelf, name: str) -> Interval | None:
    """Mean and interval of an operand over seeds, at the claim's level; None without figures."""
    values = shelf.values(claim, [name])[name]
    return interval(values, claim.intervals) if len(values) else None


def _not_run(claim: Claim, shelf: Shelf, labels: Sequence[str]) -> str:
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


def _diverged(claim: Claim, shelf: Shelf, labels: Sequence[str]) -> str:
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


def _sizes(one: StoredFigure, noise: str) -> str:
    return f"{noise} {number(one.noise or 0.0)} beside weights of size {number(one.size or 0.0)}"


def _at_chance(claim: Claim, shelf: Shelf, labels: Sequence[str]) -> str:
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
    ours, known = of_arm(claim, shelf, f"{label}{AT}accuracy"), [*shelf.of_arm(claim, label).values()]
    if ours is None or known[0].chance is None or not at_chance(ours.mean / 100, known[0].chance):
        return None
    return ours.mean / 100 - known[0].chance


def _rivals(claim: Claim, shelf: Shelf) -> Iterator[tuple[float, str]]:
    """Controls that are not clearly behind the paper's proposal: accuracy, and a sentence."""
    rivals = [one for one in claim.controls if one.against]
    for control in rivals:
        table = shelf.values(claim, [control.arm, control.against])
        ours = of_arm(claim, shelf, control.arm)
        if ours and len(table[control.arm]) >= SEEDS:
            gap = interval(table[control.arm] - table[control.against], claim.intervals * len(rivals))
            if gap.high >= 0:
                better = "does better" if gap.low > 0 else "is not clearly behind"
                here = stated(ours, quantity(claim.about).unit)
                yield ours.mean, f"{control.arm} {better} ({here}): {control.why}"
