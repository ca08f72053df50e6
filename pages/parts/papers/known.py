"""Stored figures of a system, and verdicts from them: read and computed only when a file has changed."""

from pathlib import Path

import streamlit as st

from ldp_core import papers
from ldp_core.papers.stored import SHIPPED, Shelf
from ldp_core.papers.verdict import Verdict, verdict
from ldp_core.runs import claims

States = tuple[tuple[Path, int, int], ...]
"""Files, with time of change and size."""


def known(system: str) -> Shelf:
    return _read(_files(system))


def verdicts(system: str) -> dict[str, Verdict]:
    """Verdict by claim id for a system, computed once for all visitors; verdicts on claims that were not run
    are recomputed, since their reasons depend on the data on this machine.
    """
    found = dict(_verdicts(system, _files(system)))
    for claim in papers.get(system).claims:
        of_readings = (one for _, one in found[claim.id].each)
        if any(one.word == "not run" for one in (found[claim.id], *of_readings)):
            found[claim.id] = verdict(claim, known(system))
    return found


def _files(system: str) -> States:
    return tuple(map(_state, (SHIPPED / f"{system}.json", claims.own(system))))


@st.cache_resource(max_entries=16, show_spinner=False)
def _verdicts(system: str, files: States) -> dict[str, Verdict]:
    return {claim.id: verdict(claim, _read(files)) for claim in papers.get(system).claims}


@st.cache_resource(max_entries=16, show_spinner=False)
def _read(files: States) -> Shelf:
    return Shelf.of(*(file for file, *_ in files))


def _state(file: Path) -> tuple[Path, int, int]:
    try:
        found = file.stat()
    except OSError:
        return file, 0, 0
    return file, found.st_mtime_ns, found.st_size
