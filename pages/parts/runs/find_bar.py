"""To find runs in their list: words, limits, an order; what each came to; a name and a note of one's own."""

from __future__ import annotations

from math import inf

import streamlit as st

from ldp_core.accounting import word_of
from ldp_core.errors import StudioError
from ldp_core.runs import jobs
from ldp_core.runs.jobs.finding import Line, Order, Wanted
from ldp_core.runs.queue.changes import MOST_NAME, MOST_NOTE
from ldp_core.runs.view.final_figures import Final
from pages.parts.runs.take_away import bring_in
from pages.parts.ui.job_actions import refuse
from pages.parts.ui.text import listed, number, percent, plain
from pages.parts.ui.uninterrupted import pressed
from pages.parts.ui.visitor import visitor

ORDERS: dict[Order, str] = {
    "newest": "newest first",
    "accuracy": "most accurate first",
    "budget": "smallest ε for the run first",
    "leakage": "fewest images picked out first",
}
MOST_NAMED = 3
"""Of more variants than this, the best and the last are named."""


def find_bar() -> Wanted:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        text = st.text_input("Find", placeholder="a name, a note, a run's label", key="find runs", width=300)
        order = st.selectbox(
            "In which order", list(ORDERS), format_func=ORDERS.__getitem__, key="order of runs", width=240
        )
        with st.popover("Limits"):
            least = st.number_input(
                "Final accuracy of at least, in %", 0.0, 100.0, None, placeholder="any", key="least accuracy"
            )
            most = st.number_input(
                "ε for the whole run, at worst, of at most",
                0.0,
                None,
                None,
                placeholder="any",
                key="most budget",
            )
        bring_in()
    return Wanted(text or "", (least or 0.0) / 100, inf if most is None else most, order)


def figures_in_words(line: Line) -> str:
    """Accuracy of each variant and ε of the run; "" before they are known."""
    ended = sorted(
        ((one, one.accuracy) for one in line.finals if one.accuracy is not None),
        key=lambda pair: pair[1],
        reverse=True,
    )
    if not ended:
        return ""
    if len(ended) > MOST_NAMED:
        ended = [ended[0], ended[-1]]
        reached = f"{_reached(*ended[1], named=True)} to {_reached(*ended[0], named=True)}"
    else:
        reached = ", ".join(_reached(*one, named=len(ended) > 1) for one in ended)
    return f"accuracy {reached}; {_promised(line)}{_picked(line)}"


def _reached(one: Final, accuracy: float, named: bool) -> str:
    return f"**{percent(accuracy, 1)}**{f' ({plain(one.label, 24)})' * named}"


def _picked(line: Line) -> str:
    """Identification rate over the variants beside chance; "" if unattacked."""
    shares = sorted(one.hits / one.attempts for one in line.finals if one.attempts)
    if not shares:
        return ""
    span = percent(shares[0]) + (f" to {percent(shares[-1])}" if shares[-1] > shares[0] else "")
    chances = {percent(one.chance) for one in line.finals if one.attempts}
    guessing = f" (guessing {chances.pop()})" if len(chances) == 1 else ""
    return f"; right image picked out {span}{guessing}"


def _promised(line: Line) -> str:
    """The whole run's ε at worst, over the variants."""
    budgets = sorted(one.epsilon for one in line.finals if one.epsilon is not None)
    if not budgets:
        return "no guarantee for the whole run: promises nothing"
    delta = max(one.delta for one in line.finals if one.epsilon is not None)
    span = number(budgets[0]) + (f" to {number(budgets[-1])}" if budgets[-1] > budgets[0] else "")
    some = ", some without a guarantee" if len(budgets) < len(line.finals) else ""
    said = listed(dict.fromkeys(map(word_of, budgets)))
    return f"whole run at worst ε {span}, δ {number(delta)}, of who gives most away: promises {said}{some}"


def relabel(line: Line, was: str) -> None:
    """Fields for the owner's name and note of a job."""
    identity = line.job.id
    keys = f"name of {identity}", f"note of {identity}"
    with st.popover("Name", type="tertiary", key=f"naming {identity}"):
        st.text_input("Name", line.job.name, MOST_NAME, key=keys[0], placeholder=was or "Untitled")
        st.text_area("Note", line.job.note, max_chars=MOST_NOTE, key=keys[1])
        st.button("Keep", type="primary", key=f"keep name {identity}", on_click=_keep, args=(identity, *keys))


@pressed
def _keep(identity: str, name: str, note: str) -> None:
    try:
        title, words = (str(st.session_state.get(key) or "") for key in (name, note))
        jobs.relabel(identity, title, words, visitor())
    except StudioError as error:
        refuse(error)
