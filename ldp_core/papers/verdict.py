"""Verdict on a claim, computed from stored figures by one rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from math import inf, nan
from typing import Literal

from ldp_core.inference import SEEDS, Interval, Outcome, together
from ldp_core.inference.outcome import RULE as ORDERS
from ldp_core.papers.base import Claim, Reading
from ldp_core.papers.reasons import above_chance, because, not_run
from ldp_core.papers.statements import MOST, TOLERANCE, Part, Statement
from ldp_core.papers.stored import Shelf, measured_by

Word = Outcome | Literal["in part", "not run"]

RULE = (
    f"A claim is made of statements, like “B is ahead of A”:\n{ORDERS}\n\nA claim **holds** if all of its "
    "statements hold, and **in part** if some do. If none holds, one that is contradicted contradicts the "
    "claim. Where a paper leaves something open, we measure several *readings*; the one by which most "
    "statements hold gives all the paper's verdicts."
)
DETAILS = (
    f"Differences are paired seed by seed (Student's t, at least {SEEDS} seeds). A paper's *figure* holds if "
    f"our whole interval lies within ±{TOLERANCE:g} points of it, because a paper gives one figure and no "
    "interval, and is contradicted if it lies wholly outside. A run that diverges counts "
    f"with its last model. Undecided statements are given more seeds once, up to {MOST['digits']} on digits "
    f"and {MOST['mnist']} elsewhere, within an hour of processor time a claim. With k readings, and 2 looks "
    "where seeds may be added, each interval is one of 100 − 5/(2k) %, so that all hold at once with 95 %."
)


@dataclass(frozen=True)
class Verdict:
    word: Word
    reason: str
    parts: tuple[Part, ...] = ()
    seeds: int = 0
    date: str = ""
    """Of the newest figure."""
    measured_by: str = ""
    """The program's versions that measured the figures, in words."""
    seconds: float = 0.0
    """Of all runs together."""
    reading: str = ""
    """The reading that the verdict is from, one for all of a paper's claims; "" for a claim without any."""
    each: tuple[tuple[Reading, Verdict], ...] = ()
    """Of every reading, if there are several."""


def verdicts(claims: Sequence[Claim], shelf: Shelf) -> dict[str, Verdict]:
    """Verdicts on a paper's claims, by id: all by one reading, that by which most statements hold."""
    found = {one.id: {name: _read(made, shelf) for name, made in one.read_each.items()} for one in claims}
    names = dict.fromkeys(reading.name for one in claims for reading in one.readings)
    best = max(names, key=lambda name: _held(one[name] for one in found.values() if name in one), default="")
    judged_by = {one.id: best if one.readings else "" for one in claims}
    return {
        one.id: replace(
            found[one.id][judged_by[one.id]],
            reading=judged_by[one.id],
            each=tuple((reading, found[one.id][reading.name]) for reading in one.readings),
        )
        for one in claims
    }


def verdict(claim: Claim, shelf: Shelf) -> Verdict:
    """Verdict on a claim by itself."""
    return verdicts([claim], shelf)[claim.id]


def _held(found: Iterable[Verdict]) -> tuple[int, int]:
    """Sort key of a reading's verdicts, greatest best."""
    outcomes = Counter(part.outcome for one in found for part in one.parts)
    return outcomes["holds"], -outcomes["contradicted"]


def _read(claim: Claim, shelf: Shelf) -> Verdict:
    labels = list(dict.fromkeys(label for statement in claim.statements for label in statement.arms))
    here = [one for label in labels for one in shelf.of_arm(claim, label).values()]
    seeds, least = min((shelf.measured(claim, label) for label in labels), default=0), min(SEEDS, claim.seeds)
    date, seconds = max((one.date for one in here), default=""), sum(one.seconds for one in here)
    known = Verdict("not run", "", (), seeds, date, measured_by(here), seconds)
    if seeds < least:
        return replace(known, reason=not_run(claim, shelf, labels))
    parts = tuple(_judged(claim, shelf, statement, least) for statement in claim.statements)
    word = word_of({part.outcome for part in parts})
    return replace(known, word=word, reason=because(claim, shelf, labels, parts), parts=parts)


def word_of(outcomes: Set[Outcome]) -> Word:
    return "in part" if "holds" in outcomes and len(outcomes) > 1 else together(outcomes)


def _judged(claim: Claim, shelf: Shelf, statement: Statement, enough: int) -> Part:
    """Part for a statement; without a figure where its runs diverge in all but a few seeds."""
    seeds = min(map(len, shelf.values(claim, statement.arms).values()))
    if seeds < enough:
        lost = [label for label in statement.arms if len(shelf.values(claim, [label])[label]) < enough]
        shown = f"“{statement.says}”: {', '.join(lost)} diverges"
        return Part(statement.says, Interval(nan, inf, 0), "cannot tell", "", shown)
    least = max(claim.least(label, seeds) for label in statement.arms)
    part = statement.judged(lambda names: shelf.values(claim, names), claim.intervals, least)
    silent = statement.compares and claim.quantity.of_a_model
    if silent and all(above_chance(claim, shelf, label) is not None for label in statement.arms):
        return replace(part, outcome="nothing learns")
    return part
