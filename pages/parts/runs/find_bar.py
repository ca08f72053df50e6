"""Search bar of the table of runs, and its export."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ldp_core.runs import Row, as_csv, as_parquet, finding, rows_of_jobs

ORDER, TURNED = "order of runs", "order of runs turned"


def find_bar(bar: DeltaGenerator) -> finding.Wanted:
    with bar:
        text = st.text_input("Find", placeholder="a name, a note, a run's label", key="find runs", width=300)
        with st.popover("Limits"):
            words = "Final accuracy of at least, in %"
            least = st.number_input(words, 0.0, 100.0, None, placeholder="any", key="least accuracy")
            words = "ε for the whole run, at worst, of at most"
            most = st.number_input(words, 0.0, None, None, placeholder="any", key="most budget")
    return finding.Wanted(text or "", (least or 0.0) / 100, inf if most is None else most)


def order(wanted: finding.Wanted) -> finding.Wanted:
    """The criteria with the order chosen in the table."""
    by = cast(finding.Order, st.session_state.get(ORDER, wanted.order))
    return replace(wanted, order=by, turned=bool(st.session_state.get(TURNED, False)))


def sort_by(column: str) -> None:
    """Sort by a column; by the same one again, in reverse."""
    same = st.session_state.get(ORDER, finding.Wanted.order) == column
    st.session_state[TURNED] = same and not st.session_state.get(TURNED, False)
    st.session_state[ORDER] = column


def taken_as_table(wanted: finding.Wanted, owner: str | None) -> None:
    """Download buttons for all matching runs, a row per variant."""
    ways: dict[str, tuple[str, Callable[[list[Row]], str | bytes]]] = {
        "CSV": ("text/csv", as_csv),
        "Parquet": ("application/vnd.apache.parquet", as_parquet),
    }
    for name, (mime, written) in ways.items():
        st.download_button(
            f"As {name}",
            partial(_file, written, wanted, owner),
            file_name=f"runs.{name.lower()}",
            mime=mime,
            key=f"all runs as {name}",
            on_click="ignore",
            type="tertiary",
            help="These runs, a line a variant: what was asked for, accuracy, ε, picked out, when",
        )


def _file(
    written: Callable[[list[Row]], str | bytes], wanted: finding.Wanted, owner: str | None
) -> str | bytes:
    return written(rows_of_jobs(finding.lines(wanted, owner)))
