"""Claims as tables of statements, arms and figures."""

import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from ldp_core.papers.base import Claim
from ldp_core.papers.statements import operand, quantity
from ldp_core.papers.stored import Shelf
from ldp_core.papers.verdict import Verdict, of_arm

Row = dict[str, Any]
NOT_EXPORTED = ("setting", "curve", "also", "noise", "size", "chance")
"""Fields of a figure that have a table or columns of their own."""


def command(name: str, claim: Claim, reading: str) -> str:
    """Shell command that measures a claim again."""
    named = f' --reading "{reading}"' if reading else ""
    return f"python -m ldp_core papers --rerun {name} --only {claim.id}{named}"


def readings(paper: str, claim: Claim, found: Verdict) -> Iterator[tuple[Claim, Verdict, Row]]:
    """For each reading of a claim: claim, verdict, and the columns common to all its rows."""
    its_own = {one.name: its for one, its in found.each}
    for name, made in claim.read_each.items():
        row = {"paper": paper, "claim": claim.id, "where": claim.where, "reading": name}
        yield made, its_own.get(name, found), row | {"judges": name == found.reading, "level": made.level}


def statements(paper: str, claim: Claim, shelf: Shelf, judged: Verdict) -> Iterator[Row]:
    """A row for each statement in each reading; measured columns are empty for claims that were not run."""
    for made, found, row in readings(paper, claim, judged):
        for statement, part in zip_longest(made.statements, found.parts):
            labels = {operand(name, "")[0] for name in statement.operands}
            here = [one for label in labels for one in shelf.of_arm(made, label).values()]
            yield row | {
                "title": claim.title,
                "setting": claim.setting,
                "statement": statement.says(claim.about),
                "printed": statement.paper,
                "tolerance": statement.tolerance if statement.paper is not None else None,
                "ours": part.ours.mean if part and part.ours.seeds else None,
                "half_width": part.ours.half if part and part.ours.seeds else None,
                "unit": part.unit if part else "",
                "outcome": part.outcome if part else "not run",
                "verdict": found.word,
                "seeds": found.seeds,
                "measured": found.date,
                "versions": " ".join(sorted({one.version for one in here})),
                "command": command(paper, claim, row["reading"]),
            }


def arms(paper: str, claim: Claim, shelf: Shelf, judged: Verdict) -> Iterator[Row]:
    """A row for each arm in each reading, with controls marked."""
    why = {control.arm: control.why for control in claim.controls}
    for made, _, row in readings(paper, claim, judged):
        for arm in made.measured:
            ours, here = of_arm(made, shelf, arm.label), shelf.of_arm(made, arm.label).values()
            yield row | {
                "arm": arm.label,
                "control": why.get(arm.label, ""),
                "printed": claim.paper.get(arm.label),
                "ours": ours.mean if ours else None,
                "half_width": ours.half if ours else None,
                "unit": quantity(claim.about).unit,
                "about": claim.about,
                "seeds": ours.seeds if ours else 0,
                "versions": " ".join(sorted({one.version for one in here})),
                "setting": json.dumps(arm.setting, sort_keys=True, ensure_ascii=False),
            }


def figures(paper: str, claim: Claim, shelf: Shelf, judged: Verdict) -> Iterator[Row]:
    """A row for each stored run of each arm in each reading, at full precision."""
    for made, _, row in readings(paper, claim, judged):
        for arm in made.measured:
            for one in shelf.of_arm(made, arm.label).values():
                own = {name: value for name, value in vars(one).items() if name not in NOT_EXPORTED}
                also = {f"also_{name}": value for name, value in one.also.items()}
                named = {name: row[name] for name in ("paper", "claim", "reading")}
                yield {**named, "arm": arm.label, **own, "this_version": one.version == arm.version, **also}
