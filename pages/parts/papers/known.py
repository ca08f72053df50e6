"""Stored figures of a paper, and verdicts from them, read and computed only when a file has changed."""

from pathlib import Path
from typing import NamedTuple

import streamlit as st

from ldp_core import datasets, papers
from ldp_core.papers.stored import Shelf
from ldp_core.papers.verdict import Verdict, Word, verdicts
from ldp_core.runs import claims

States = tuple[tuple[Path, int, int], ...]
"""Files, with time of change and size."""


class Look(NamedTuple):
    colour: str
    """Red means contradicted only."""
    one: str
    """Verb for one claim with the verdict, and for several."""
    more: str


LOOKS: dict[Word, Look] = {
    "holds": Look("green", "holds", "hold"),
    "in part": Look("orange", "holds in part", "hold in part"),
    "contradicted": Look("red", "is contradicted", "are contradicted"),
    "no difference": Look("blue", "shows no difference", "show no difference"),
    "cannot tell": Look("violet", "cannot be told", "cannot be told"),
    "nothing learns": Look("gray", "has nothing that learns", "have nothing that learns"),
    "not run": Look("gray", "was not run here", "were not run here"),
}


def badge(word: Word) -> str:
    """Markdown badge of a verdict."""
    return f":{LOOKS[word].colour}-badge[{word}]"


def known(name: str) -> Shelf:
    return _read(_files(name))


def judged(name: str) -> dict[str, Verdict]:
    """Verdict by claim id for a paper, computed once for all visitors: reasons depend on the data here."""
    there = tuple(datasets.get(one).there(datasets.data_dir()) for one in datasets.registry.names())
    return _judged(name, _files(name), there)


def _files(name: str) -> States:
    return tuple(map(_state, (claims.shipped(name), claims.own(name))))


@st.cache_resource(max_entries=16, show_spinner=False)
def _judged(name: str, files: States, there: tuple[bool, ...]) -> dict[str, Verdict]:
    return verdicts(papers.get(name).claims, _read(files))


@st.cache_resource(max_entries=16, show_spinner=False)
def _read(files: States) -> Shelf:
    return Shelf.of(*(file for file, *_ in files))


def _state(file: Path) -> tuple[Path, int, int]:
    try:
        found = file.stat()
    except OSError:
        return file, 0, 0
    return file, found.st_mtime_ns, found.st_size
