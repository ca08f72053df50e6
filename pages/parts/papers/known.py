"""Stored figures of a system, and verdicts from them: read and computed only when a file has changed."""

from pathlib import Path

import streamlit as st

from ldp_core import datasets, papers
from ldp_core.papers.stored import SHIPPED, Shelf
from ldp_core.papers.verdict import Verdict, verdicts
from ldp_core.runs import claims

States = tuple[tuple[Path, int, int], ...]
"""Files, with time of change and size."""


def known(system: str) -> Shelf:
    return _read(_files(system))


def judged(system: str) -> dict[str, Verdict]:
    """Verdict by claim id for a system, computed once for all visitors: reasons depend on the data here."""
    there = tuple(datasets.get(name).there(datasets.data_dir()) for name in datasets.registry.names())
    return _judged(system, _files(system), there)


def _files(system: str) -> States:
    return tuple(map(_state, (SHIPPED / f"{system}.json", claims.own(system))))


@st.cache_resource(max_entries=16, show_spinner=False)
def _judged(system: str, files: States, there: tuple[bool, ...]) -> dict[str, Verdict]:
    return verdicts(papers.get(system).claims, _read(files))


@st.cache_resource(max_entries=16, show_spinner=False)
def _read(files: States) -> Shelf:
    return Shelf.of(*(file for file, *_ in files))


def _state(file: Path) -> tuple[Path, int, int]:
    try:
        found = file.stat()
    except OSError:
        return file, 0, 0
    return file, found.st_mtime_ns, found.st_size
