"""Export of the papers' claims: rows and tables as CSV and JSON, and a ZIP for one claim."""

import json
from collections.abc import Iterable, Mapping
from itertools import zip_longest
from pathlib import Path

import numpy as np

from ldp_core import papers
from ldp_core.behaviour import version
from ldp_core.papers import Claim, rows
from ldp_core.papers.stored import Shelf
from ldp_core.papers.verdict import Verdict
from ldp_core.runs.carry.drawing import Curve, drawn
from ldp_core.runs.claims import judged, shelf
from ldp_core.runs.jobs.tables import as_csv
from ldp_core.system.zip_directory import zipped

PROJECT = """@software{epsilon_studio,
  title = {Epsilon Studio: federated learning with personal privacy budgets},
  version = {1.0.0},
  year = {2026},
  note = {what it computes: version %s}
}
"""
KINDS = {"statements": rows.statements, "arms": rows.arms, "figures": rows.figures}


def bibtex() -> str:
    """BibTeX entries of this project and of all papers."""
    return "\n".join([PROJECT % version(), *(papers.get(name).bibtex for name in papers.names())])


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
    return _files(
        (name, claim, shelf(name), judged(name)[claim.id])
        for name in papers.names()
        for claim in papers.get(name).claims
    )


def pack(name: str, identity: str) -> dict[str, str]:
    """Files of one claim by name, its curves and the commands that measure it among them."""
    claim, known = papers.get(name).claim(identity), shelf(name)
    if claim is None:
        return {}
    found = _files([(name, claim, known, judged(name)[identity])])
    for read, made in claim.read_each.items():
        found[f"{f'figure {read}'.strip()}.svg"] = drawn(claim.title, _curves(made, known), percent=True)
    about = {field: getattr(claim, field) for field in ("title", "where", "setting", "note", "seeds")}
    about |= {field: [one.model_dump() for one in getattr(claim, field)] for field in ("quotes", "readings")}
    about["commands"] = [rows.command(name, claim, read) for read in claim.read_each]
    return found | {"claim.json": _json(about)}


def _files(claims: Iterable[tuple[str, Claim, Shelf, Verdict]]) -> dict[str, str]:
    asked, found = list(claims), dict[str, str]()
    for kind, make in KINDS.items():
        made: list[rows.Row] = [row for one in asked for row in make(*one)]
        found |= {f"{kind}.csv": as_csv(made), f"{kind}.json": _json(made)}
    for name, claim, known, verdict in asked:
        how, body = rows.table_of(claim, known, verdict)
        if body:
            found[f"tables/{name}-{claim.id}.csv"] = as_csv([{**row, "measured": how} for row in body])
    return found | {"cite.bib": bibtex()}


def _curves(claim: Claim, known: Shelf) -> list[Curve]:
    """Curve of each arm, over its seeds."""
    found = []
    for arm in claim.measured:
        curves = [one.curve for one in known.of_arm(claim, arm.label).values() if one.curve]
        if curves:
            each = np.array(list(zip_longest(*curves, fillvalue=np.nan)), dtype=np.float64)
            mean, low, high = (of(each, axis=1) for of in (np.nanmean, np.nanmin, np.nanmax))
            found.append(Curve(arm.label, mean, low, high))
    return found


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
