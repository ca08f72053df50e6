"""Stored figures of a system, and verdicts from them: read and computed only when a file has changed."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ldp_core import papers
from ldp_core.papers.stored import SHIPPED, Shelf
from ldp_core.papers.verdict import Verdict, verdict
from ldp_core.runs import claims

Files = tuple[Path, ...]
States = tuple[tuple[int, int], ...]


def known(system: str) -> Shelf:
    return _read(*_files(system))


def verdicts(system: str) -> dict[str, Verdict]:
    """Verdict by claim id for a system, computed once for all visitors; verdicts on claims that were not run
    are recomputed, since their reasons depend on the data on this machine.
    """
    found = dict(_verdicts(system, *_files(system)))
    for claim in papers.get(system).claims:
        of_readings = (one for _, one in found[claim.id].each)
        if any(one.word == "not run" for one in (found[claim.id], *of_readings)):
            found[claim.id] = verdict(claim, known(system))
    return found


def _files(system: str) -> tuple[Files, States]:
    files = (SHIPPED / f"{system}.json", claims.own(system))
    return files, tuple(_state(file) for file in files)


@st.cache_resource(max_entries=16, show_spinner=False)
def _verdicts(system: str, files: Files, state: States) -> dict[str, Verdict]:
    return {claim.id: verdict(claim, _read(files, state)) for claim in papers.get(system).claims}


@st.cache_resource(max_entries=16, show_spinner=False)
def _read(files: Files, state: States) -> Shelf:
    return Shelf.of(*files)


def _state(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)
