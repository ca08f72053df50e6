"""Export of the papers' claims as CSV and JSON."""

import json
from pathlib import Path

from ldp_core import papers
from ldp_core.behaviour import version
from ldp_core.papers import rows
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


def packed() -> bytes:
    return zipped(everything().items())


def everything() -> dict[str, str]:
    """Content of all claims of all papers, by file name."""
    claims = [
        (name, claim, shelf(name), judged(name)[claim.id])
        for name in papers.names()
        for claim in papers.get(name).claims
    ]
    found = {"cite.bib": bibtex()}
    for kind, make in KINDS.items():
        made: list[rows.Row] = [row for one in claims for row in make(*one)]
        found |= {f"{kind}.csv": as_csv(made), f"{kind}.json": _json(made)}
    return found


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
