"""Export of the papers' claims: rows and tables as CSV and JSON, and a ZIP for one claim."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path

import numpy as np

from ldp_core import papers
from ldp_core.behaviour import version
from ldp_core.papers import Claim, rows
from ldp_core.papers.stored import Shelf
from ldp_core.papers.verdict import Verdict, verdicts
from ldp_core.runs.carry.drawing import Curve, drawn
from ldp_core.runs.claims import shelf
from ldp_core.runs.jobs.tables import as_csv
from ldp_core.system.shipped import ASSETS
from ldp_core.system.zip_directory import zipped

PROJECT = """@software{epsilon_studio,
  title = {Epsilon Studio: federated learning with personal privacy budgets},
  version = {1.0.0},
  year = {2026},
  note = {what it computes: version %s}
}
"""
ABOUT = ("title", "where", "setting", "note", "quotes", "readings", "seeds")
KINDS = {"statements": rows.statements, "arms": rows.arms, "figures": rows.figures}


def bibtex() -> str:
    """BibTeX entries of this project and of the five papers."""
    return PROJECT % version() + "\n" + (ASSETS / "papers" / "papers.bib").read_text(encoding="utf-8")


def write(folder: Path) -> list[str]:
    """Write all claims into a folder; returns the file names."""
    for name, text in (found := everything()).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return list(found)


def packed(files: Mapping[str, str]) -> bytes:
    return zipped(files.items())


def everything() -> dict[str, str]:
    """Content of all claims of all papers, by file name."""
    known = {name: shelf(name) for name in papers.names()}
    judged = {name: verdicts(papers.get(name).claims, known[name]) for name in papers.names()}
    every = [(name, claim) for name in papers.names() for claim in papers.get(name).claims]
    found = _rows((name, claim, known[name], judged[name][claim.id]) for name, claim in every)
    for name in papers.names():
        for table in papers.get(name).tables:
            how, body = rows.table_of(name, table, known[name], judged[name])
            found[f"tables/{name}-{table.id}.csv"] = as_csv([row | {"measured": how} for row in body])
    return found | {"cite.bib": bibtex()}


def pack(system: str, identity: str) -> dict[str, str]:
    """Files of one claim by name, the commands that measure it among them."""
    claim, known = papers.get(system).claim(identity), shelf(system)
    if claim is None:
        return {}
    found = _rows([(system, claim, known, verdicts(papers.get(system).claims, known)[identity])])
    for name, made in claim.read_each.items():
        figure = drawn(claim.title, _curves(made, known), percent=True)
        found[f"{f'figure {name}'.strip()}.svg"] = figure
    fields = asdict(claim)
    about = {name: fields[name] for name in ABOUT}
    about["version"] = {arm.label: arm.version for arm in claim.runs}
    about["commands"] = [rows.command(system, claim, name) for name in claim.read_each]
    return found | {"claim.json": _json(about), "cite.bib": bibtex()}


def _rows(claims: Iterable[tuple[str, Claim, Shelf, Verdict]]) -> dict[str, str]:
    asked, found = list(claims), dict[str, str]()
    for kind, make in KINDS.items():
        made: list[rows.Row] = [row for one in asked for row in make(*one)]
        found |= {f"{kind}.csv": as_csv(made), f"{kind}.json": _json(made)}
    return found


def _curves(claim: Claim, known: Shelf) -> list[Curve]:
    """Curve of each arm, over its seeds."""
    found = []
    for arm in claim.runs:
        curves = [one.curve for one in known.of_arm(claim, arm.label).values() if one.curve]
        if curves:
            each = np.array(list(zip_longest(*curves, fillvalue=np.nan)), dtype=np.float64)
            mean, low, high = (of(each, axis=1) for of in (np.nanmean, np.nanmin, np.nanmax))
            found.append(Curve(arm.label, mean, low, high))
    return found


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
