"""Table of runs: name, curve, figures, status."""

import time
from collections.abc import Sequence
from typing import Any, get_args

import streamlit as st

from ldp_core.accounting import word_of
from ldp_core.runs import Person, describe, finding, kinds
from pages.parts.noise.promise_table import against_whom
from pages.parts.runs.find_bar import sort_by
from pages.parts.runs.said import PAGES, Said, marks, said, state
from pages.parts.runs.ticks import follow, ticked
from pages.parts.ui import components
from pages.parts.ui.text import THIN, ago, at_most, deltas, joined, percent, plain
from pages.parts.ui.uninterrupted import uncut

KEY = "table of runs"
COLUMNS: dict[str, finding.Order | None] = {
    "Run": None,
    "Accuracy by round": None,
    "Accuracy": "accuracy",
    "ε of the whole run": "budget",
    "Picked out": "leakage",
    "When": "newest",
}
"""Sort criterion by column heading."""


def table(shown: Sequence[finding.Line], wanted: finding.Wanted, me: Person) -> None:
    heads = []
    for head, by in COLUMNS.items():
        falling = (by in ("newest", "accuracy")) != wanted.turned
        way = "descending" if falling else "ascending"
        heads.append({"text": head, "by": by, "sorted": way if by == wanted.order else ""})
    rows = [_row(line, me) for line in shown]
    components.draw(
        "runs",
        {"heads": heads, "rows": rows, "ticked": ticked()},
        key=KEY,
        on_ticked_change=follow(KEY),
        on_sorted_change=_sorted,
        on_opened_change=_opened,
    )
    bounds = dict.fromkeys(
        (row["name"], final.against)
        for row, line in zip(rows, shown, strict=True)
        for final in line.finals
        if final.epsilon is not None
    )
    if bounds:
        whom = plain(against_whom([*bounds]), 600)
        st.caption(f"ε: at worst, for the client that gives most away. {whom}")
    page, identity = st.session_state.pop("opened run", ("", ""))
    if page:
        st.switch_page(page, query_params={"job": identity})


@uncut
def _sorted() -> None:
    column = st.session_state[KEY].get("sorted")
    if column in get_args(finding.Order):
        sort_by(column)


@uncut
def _opened() -> None:
    match st.session_state[KEY].get("opened"):
        case [str(kind), str(identity)] if kind in PAGES and identity.isalnum():
            st.session_state["opened run"] = PAGES[kind], identity


def _row(line: finding.Line, me: Person) -> dict[str, Any]:
    one, job = describe(line.job), line.job
    of = said(job.id, job) if one.rounds else Said(kinds.Words(one.name))
    equal = f"{line.equal} equal ones" if line.equal > 1 else ""
    stands = [state(one) if one.state != "completed" else "", equal, *marks(one, me), of.words.size]
    page = PAGES.get(job.kind, "") if one.rounds else ""
    finals = [final for final in line.finals if final.accuracy is not None]
    answers = [final.answer for final in line.finals if final.answer]
    return {
        "id": job.id,
        "kind": job.kind,
        "href": f"{page.removesuffix('.py')}?job={job.id}" if page else "",
        "name": job.name or of.words.name or "Untitled",
        "stands": ", ".join(filter(None, stands)),
        "compared": "; ".join(filter(None, [*answers, of.words.compared, of.words.asked])),
        "note": job.note,
        "curves": [
            {"tint": of.tints[place] if place < len(of.tints) else 0, "values": final.curve}
            for place, final in enumerate(line.finals)
            if len(final.curve) > 1
        ],
        "accuracy": _span([final.accuracy or 0.0 for final in finals], percent),
        "which": joined([max(finals, key=lambda final: final.accuracy or 0.0).label]) if finals[1:] else "",
        "epsilon": _epsilon(line),
        "picked": _picked(line),
        "when": ago(time.time() - job.created).replace(" ago", f"{THIN}ago"),
    }


def _span(values: Sequence[float], written: Any) -> str:
    """Least and greatest value as text; one if they read equal."""
    ends = list(dict.fromkeys(written(value) for value in (min(values), max(values)))) if values else []
    return " – ".join(ends)


def _epsilon(line: finding.Line) -> list[str]:
    """Worst-case ε of the run over the variants, and its worth."""
    noted = [final for final in line.finals if final.seeds or final.epsilon is not None]
    if not noted:
        return ["", ""]
    budgets = [final.epsilon for final in noted if final.epsilon is not None]
    words = dict.fromkeys(word_of(final.epsilon) for final in noted)
    at = deltas(final.delta for final in noted if final.epsilon is not None)
    return [_span(budgets, at_most) or "no bound", f"promises {' or '.join(words)}{at}"]


def _picked(line: finding.Line) -> list[str]:
    """Identification rate over the variants, and that of guessing."""
    attacked = [final for final in line.finals if final.attempts]
    if not attacked:
        return ["", ""]
    shares = [final.hits / final.attempts for final in attacked]
    return [_span(shares, percent), f"guessing {_span([final.chance for final in attacked], percent)}"]
