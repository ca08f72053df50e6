"""Table of runs: name, state, curve, figures; ticked by its boxes, opened by a button of each row.

Streamlit knows rows by their place, which a newer run moves: ticks are kept as ids and set anew in each draw.
"""

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import streamlit as st
from streamlit.column_config import (
    ButtonColumn,
    DatetimeColumn,
    LineChartColumn,
    NumberColumn,
    ProgressColumn,
    TextColumn,
)

from ldp_core.accounting import word_of
from ldp_core.runs import Line, Person, describe, kinds
from pages.parts.runs.said import PAGES, marks, said, state
from pages.parts.ui.text import deltas, joined
from pages.parts.ui.uninterrupted import uncut

KEY, PRESSED, OPENED, PLACES = "table of runs", "run of the table pressed", "opened run", "places of runs"
TICKED = "ticked runs"
MOST_TICKED = 1000
PROMISED = "Of a client's whole run, at worst; of several variants the weakest; empty without a bound"


def ticked() -> list[str]:
    """Ids of the selected jobs, those on other pages included."""
    found: list[str] = st.session_state.setdefault(TICKED, [])
    return found


def table(shown: Sequence[Line], me: Person) -> None:
    rows = [_row(line, me) for line in shown]
    ids = [line.job.id for line in shown]
    st.session_state[PLACES] = [(line.job.kind, line.job.id) for line in shown]
    now = [place for place, identity in enumerate(ids) if identity in ticked()]
    if sorted(_places()) != now:
        st.session_state[KEY] = {"selection": {"rows": now, "columns": [], "cells": []}}
    share: Any = {"min_value": 0.0, "max_value": 1.0, "format": "percent"}
    st.dataframe(
        rows,
        key=KEY,
        on_select=_select,
        selection_mode="multi-row",
        hide_index=True,
        placeholder="",
        alt="Runs",
        column_config={
            "Run": TextColumn(pinned=True, width=230),
            "Open": ButtonColumn("Open", type="tertiary", width=65, on_click=_press, key=PRESSED),
            "State": TextColumn(width=170),
            "Best by round": LineChartColumn(
                width=110, y_min=0.0, y_max=1.0, help="Accuracy of the variant that ends best"
            ),
            "Best accuracy": ProgressColumn(width=125, help="Of the variant that ends best", **share),
            "Least accuracy": NumberColumn(format="percent", help="Of the variant that ends worst"),
            "ε of the run": NumberColumn(format="localized", help=PROMISED),
            "Promises": TextColumn(width=150),
            "Picked out": ProgressColumn(
                width=125, help="Uploads of one image; of several variants the most", **share
            ),
            "By guessing": NumberColumn(format="percent"),
            "When": DatetimeColumn(format="distance", width=130),
            "What": TextColumn(width=300),
            "Note": TextColumn(width=150),
        },
    )
    kind, identity = st.session_state.pop(OPENED, ("", ""))
    if kind in PAGES:
        st.switch_page(PAGES[kind], query_params={"job": identity})


def _places() -> list[int]:
    """Rows that are selected in the browser."""
    held = st.session_state.get(KEY) or {}
    rows = held.get("selection", {}).get("rows", [])
    return [row for row in rows if type(row) is int] if isinstance(rows, list) else []


@uncut
def _select() -> None:
    ids = [identity for _, identity in st.session_state.get(PLACES, ())]
    others = [identity for identity in ticked() if identity not in ids]
    chosen = [ids[row] for row in _places() if 0 <= row < len(ids)]
    st.session_state[TICKED] = [*others, *chosen][:MOST_TICKED]


@uncut
def _press() -> None:
    places, row = st.session_state.get(PLACES, ()), st.session_state[PRESSED]["row"]
    if 0 <= row < len(places):
        st.session_state[OPENED] = places[row]


def _row(line: Line, me: Person) -> dict[str, Any]:
    one, job = describe(line.job), line.job
    of = said(job.id, job) if one.rounds else kinds.Words(one.name)
    equal = f"{line.equal} equal ones" if line.equal > 1 else ""
    finals = [final for final in line.finals if final.accuracy is not None]
    best = max(finals, key=lambda final: final.accuracy or 0.0, default=None)
    noted = [final for final in line.finals if final.seeds or final.epsilon is not None]
    budgets = [final.epsilon for final in noted if final.epsilon is not None]
    attacked = [final for final in line.finals if final.attempts]
    answers = [final.answer for final in line.finals if final.answer]
    return {
        "Run": job.name or of.name or "Untitled",
        "Open": "Open" if one.rounds and job.kind in PAGES else "",
        "State": ", ".join(filter(None, [state(one), equal, *marks(one, me)])),
        "Best by round": [*best.curve] if best else [],
        "Best accuracy": round(best.accuracy or 0.0, 4) if best else None,
        "Least accuracy": min((round(final.accuracy or 0.0, 4) for final in finals), default=None),
        # rounded up, as a bound is
        "ε of the run": math.ceil(100 * max(budgets)) / 100 if noted and len(budgets) == len(noted) else None,
        "Promises": _promises(noted),
        "Picked out": max((round(final.hits / final.attempts, 4) for final in attacked), default=None),
        "By guessing": max((final.chance for final in attacked), default=None),
        "When": datetime.fromtimestamp(job.created, UTC),
        "What": "; ".join(filter(None, [*answers, of.size, of.compared, of.asked])),
        "Note": job.note,
    }


def _promises(noted: Sequence[Any]) -> str:
    """Worth of the guarantees, their δ, and against whom they hold."""
    words = dict.fromkeys(word_of(final.epsilon) for final in noted)
    bound = [final for final in noted if final.epsilon is not None]
    whom = dict.fromkeys(final.whom for final in bound)
    against = f", against {joined([*whom])}" if whom else ""
    return f"{' or '.join(words)}{deltas(final.delta for final in bound)}{against}"
