"""Claims as tables of statements, arms and figures; and a paper's own tables."""

import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from ldp_core import papers
from ldp_core.papers.base import Claim, Table
from ldp_core.papers.reasons import of_arm
from ldp_core.papers.statements import stated
from ldp_core.papers.stored import Shelf, of_now
from ldp_core.papers.verdict import Verdict, verdict

Row = dict[str, Any]


def command(system: str, claim: Claim, reading: str) -> str:
    """Shell command that measures a claim again."""
    named = f' --reading "{reading}"' if reading else ""
    return f"python -m ldp_core papers --rerun {system} --only {claim.id}{named}"


def readings(system: str, claim: Claim, shelf: Shelf) -> Iterator[tuple[str, Claim, Verdict, Row]]:
    """For each reading of a claim: name, claim, verdict, and the columns common to all its rows."""
    found = verdict(claim, shelf)
    its_own = {one.name: its for one, its in found.each}
    against = {one.name: one.against for one in claim.readings}
    for name, made in claim.read_each.items():
        row = {
            "system": system,
            "claim": claim.id,
            "where": claim.where,
            "reading": name,
            "against_the_paper": against.get(name, ""),
            "judges": name == found.reading,
        }
        yield name, made, its_own.get(name, found), row


def statements(system: str, claim: Claim, shelf: Shelf) -> Iterator[Row]:
    """A row for each statement in each reading; measured columns are empty for claims that were not run."""
    for name, made, found, row in readings(system, claim, shelf):
        for statement, part in zip_longest(made.statements, found.parts):
            yield row | {
                "title": claim.title,
                "setting": claim.setting,
                "statement": statement.says,
                "paper": getattr(statement, "paper", None),
                "ours": part.ours.mean if part and part.ours.seeds else None,
                "half_width": part.ours.half if part and part.ours.seeds else None,
                "unit": part.unit if part else "",
                "outcome": part.outcome if part else "not run",
                "verdict": found.word,
                "seeds": found.seeds,
                "intervals": made.tried,
                "measured": found.date,
                "older_versions": " ".join(found.older),
                "proved_equal": " ".join(found.same),
                "command": command(system, claim, name),
            }


def arms(system: str, claim: Claim, shelf: Shelf) -> Iterator[Row]:
    """A row for each arm in each reading, with controls marked."""
    why = {control.arm: control.why for control in claim.controls}
    for _, made, _, row in readings(system, claim, shelf):
        for arm in made.measured:
            ours = of_arm(made, shelf, arm.label)
            yield row | {
                "arm": arm.label,
                "control": why.get(arm.label, ""),
                "paper": claim.paper.get(arm.label),
                "ours": ours.mean if ours else None,
                "half_width": ours.half if ours else None,
                "unit": claim.unit(arm),
                "about": getattr(arm, "about", "") or claim.about,
                "seeds": ours.seeds if ours else 0,
                "setting": json.dumps(arm.setting, sort_keys=True, ensure_ascii=False),
            }


def figures(system: str, claim: Claim, shelf: Shelf) -> Iterator[Row]:
    """A row for each stored run of each arm in each reading, at full precision."""
    for _, made, _, row in readings(system, claim, shelf):
        for arm in made.runs:
            for seed, one in shelf.of_arm(made, arm.label).items():
                yield {name: row[name] for name in ("system", "claim", "reading")} | {
                    "arm": arm.label,
                    "seed": seed,
                    "value": one.value,
                    "status": one.status,
                    "version": one.version,
                    "this_version": of_now(arm, one),
                    "date": one.date,
                    "seconds": one.seconds,
                    "device": one.device,
                    "key": one.key,
                    **{f"also_{name}": value for name, value in one.also.items()},
                }


def cells(system: str, table: Table, shelf: Shelf) -> list[list[str]]:
    """A paper's table in its own layout: measured figures with intervals, the paper's in brackets."""
    named = {identity for cells in table.rows.values() for identity, _ in cells}
    claims = {one.id: one for one in papers.get(system).claims if one.id in named}
    judging = {name: one.read_each[verdict(one, shelf).reading] for name, one in claims.items()}
    rows = []
    for head, each in table.rows.items():
        row = [head]
        for identity, label in each:
            ours, paper = of_arm(judging[identity], shelf, label), claims[identity].paper.get(label)
            row.append((stated(ours, "") if ours else "–") + ("" if paper is None else f" ({paper:g})"))
        rows.append(row)
    return rows
