"""Stored figures of a system, reread only when a file has changed."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ldp_core.papers.stored import SHIPPED, Shelf
from ldp_core.runs import claims


def known(system: str) -> Shelf:
    files = (SHIPPED / f"{system}.json", claims.own(system))
    return _read(files, tuple(_state(file) for file in files))


@st.cache_resource(max_entries=16, show_spinner=False)
def _read(files: tuple[Path, ...], state: tuple[tuple[int, int], ...]) -> Shelf:
    return Shelf.of(*files)


def _state(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)
