"""Claims as tables of statements, arms and figures; and a paper's own tables."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from ldp_core import papers
from ldp_core.papers.base import Claim, Table
from ldp_core.papers.reasons import of_arm
from ldp_core.papers.statements import stated
from ldp_core.papers.stored import Shelf
from ldp_core.papers.verdict import Verdict

Row = dict[str, Any]


def command(system: str, claim: Claim, reading: str) -> str:
    """Shell command that measures a claim again."""
    named = f' --reading "{reading}"' if reading else ""
    return f"python -m ldp_core papers --rerun {system} --only {claim.id}{named}"


def readings(system: str, claim: Claim, found: Verdict) -> Iterator[tuple[str, Claim, Verdict, Row]]:
    """For each reading of a claim: name, claim, verdict, and the columns common to all its rows."""
    its_own = {one.name: its for one, its in found.each}
    for name, made in claim.read_each.items():
        row = {
            "system": system,
            "claim": claim.id,
            "where": claim.where,
            "reading": name,
            "judges": name == found.reading,
            "level": made.level,
        }
        yield name, made, its_own.get(name, found), row


def statements(system: str, claim: Claim, shelf: Shelf, judged: Verdict) -> Iterator[Row]:
    """A row for each statement in each reading; measured columns are empty for claims that were not run."""
    for name, made, found, row in readings(system, claim, judged):
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
                "measured": found.date,
                "versions": _versions(made, shelf, statement.arms),
                "command": command(system, claim, name),
            }


def _versions(claim: Claim, shelf: Shelf, labels: Sequence[str]) -> str:
    each = (one.version for label in labels for one in shelf.of_arm(claim, label).values())
    return " ".join(sorted({*each}))


def arms(system: str, claim: Claim, shelf: Shelf, judged: Verdict) -> Iterator[Row]:
    """A row for each arm in each reading, with controls marked."""
    why = {control.arm: control.why for control in claim.controls}
    for _, made, _, row in readings(system, claim, judged):
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
                "versions": _versions(made, shelf, [arm.label]),
                "setting": json.dumps(arm.setting, sort_keys=True, ensure_ascii=False),
            }


def figures(system: str, claim: Claim, shelf: Shelf, judged: Verdict) -> Iterator[Row]:
    """A row for each stored run of each arm in each reading, at full precision."""
    for _, made, _, row in readings(system, claim, judged):
        for arm in made.runs:
            for seed, one in shelf.of_arm(made, arm.label).items():
                yield {name: row[name] for name in ("system", "claim", "reading")} | {
                    "arm": arm.label,
                    "seed": seed,
                    "value": one.value,
                    "status": one.status,
                    "version": one.version,
                    "this_version": one.version == arm.version,
                    "date": one.date,
                    "seconds": one.seconds,
                    "device": one.device,
                    "key": one.key,
                    **{f"also_{name}": value for name, value in one.also.items()},
                }


def table_of(system: str, table: Table, shelf: Shelf, found: Mapping[str, Verdict]) -> tuple[str, list[Row]]:
    """How a paper's table was measured, and its rows in the paper's layout: figures with intervals of one
    reading, the paper's in brackets.
    """
    ids = {identity for each in table.rows.values() for identity, _ in each}
    claims = {one.id: one for one in papers.get(system).claims if one.id in ids}
    made = {name: one.read_each[found[name].reading] for name, one in claims.items()}
    (how,) = {(found[name].reading, one.level) for name, one in made.items()}
    said = f"{f'reading “{how[0]}”, ' * bool(how[0])}{how[1]} intervals"
    return said, [
        {"row": head}
        | {
            column: _cell(made[identity], shelf, label)
            for column, (identity, label) in zip(table.columns, each, strict=True)
        }
        for head, each in table.rows.items()
    ]


def _cell(claim: Claim, shelf: Shelf, label: str) -> str:
    ours, paper, runs = of_arm(claim, shelf, label), claim.paper.get(label), shelf.of_arm(claim, label)
    lost = sum(one.diverged for one in runs.values())
    said = [stated(ours, "")] if ours else [] if lost else ["–"]
    if lost:
        said.append(f"{lost} of {len(runs)} diverged")
    return ", ".join(said) + ("" if paper is None else f" ({paper:g})")
