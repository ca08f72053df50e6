"""The lower bound that an attack measured beside the ε that the ledger promises, and what the server picks
out of a sum or a shuffled heap.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import streamlit as st

from ldp_core.accounting import entries_in
from ldp_core.experiment import Draft
from ldp_core.inference import wilson
from pages.parts.charts.series import Series
from pages.parts.noise.promise_table import Promised
from pages.parts.train.ledger_panel import most_unlike, named_clients
from pages.parts.ui.tables import table
from pages.parts.ui.text import at_least, at_most, listed, names_by, number, percent, plain, shortened

SCOPES = {"upload": "one upload", "run": "the whole run"}
MOST_BARS, MOST_ASKED = 8, 3
NEAR = 0.8
"""Share of the largest bound that so many trials could show, from which on their number limits the bound."""
WHY = (
    "The promise is the ledger's: for any two uploads that the mechanism may be given, and an attacker who "
    "knows all else; shown is the most that all attacks show, by the exact likelihood of {trials} simulated "
    "answers. So many could show ε {most} at best{held}. All bounds of a run hold together with {confidence}."
)
ASKED = {
    "identification": "which image it was, the client's or the most different of {candidates} others",
    "membership": "was this image among those in the client's upload, or another in its place",
    "canary": "which of two planted uploads, as far apart as the mechanism allows",
}
"""The question that an attack answers."""
QUESTIONS = {
    "who": "the server, which knows the image, tells which message is client {client}'s",
    "what": "the server tells which of {candidates} images client {client} holds",
}


@dataclass(frozen=True)
class Bar:
    names: tuple[str, ...]
    row: Mapping[str, Any]
    promised: float
    """ε of the ledger; infinite without a guarantee."""

    @property
    def lower(self) -> float:
        return self.row["epsilon_lower"] or 0.0

    @property
    def scope(self) -> str:
        by = "" if self.row["attack"] == "identification" else f", by {self.row['attack']}"
        return f"{SCOPES[self.row['scope']]}{by}, {shortened(listed(self.names), 60)}"

    @property
    def ends(self) -> tuple[str, str]:
        least = f"≥ {at_least(self.lower)}" if self.lower else str(self.row.get("why", ""))
        return least, f"≤ {at_most(self.promised, 4)}" if math.isfinite(self.promised) else "nothing promised"


def _rows(one: Series, client: int, scope: str) -> list[Mapping[str, Any]]:
    """What the series' first run measured for a client (from 0) in a scope, "upload" or "run"."""
    end = (one.runs[0].end if one.runs else None) or {}
    return [row for row in end.get("measured", ()) if (row["client"], row["scope"]) == (client + 1, scope)]


def _largest(rows: Iterable[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    return max(rows, key=lambda row: row["epsilon_lower"] or 0.0, default=None)


def guesses(draft: Draft, one: Series, client: int) -> str:
    """Each attack's question on one upload, and how often its guess is right beside chance, in a sentence."""
    experiment, said = draft.experiments()[one.number], []
    candidates = number(experiment.attack.candidates - 1 if experiment.attack else 1)
    for row in _rows(one, client, "upload"):
        if "right" in row:
            question = ASKED[row["attack"]].format(candidates=candidates)
            said.append(f"{question}? Right in {percent(row['right'], 1)}")
    return f"{'; '.join(said)}; by chance in 50 %." if said else ""


def bars(draft: Draft, shown: Sequence[Series], client: int) -> list[Bar]:
    """A row for each run and scope; runs with the same numbers share one. At most `MOST_BARS`."""
    experiments, found = draft.experiments(), dict[Any, Bar]()
    for one, scope in product(shown, SCOPES):
        if row := _largest(_rows(one, client, scope)):
            entry = Promised.to(client, one.label, experiments[one.number]).entry
            bound = (entry.upload if scope == "upload" else entry.run_worst).bound
            key = (*row.values(), bound)
            alike = found.get(key, Bar((), row, bound))
            found[key] = replace(alike, names=(*alike.names, one.label))
    return sorted(found.values(), key=lambda bar: bar.names)[:MOST_BARS]


def measured_section(draft: Draft, shown: Sequence[Series]) -> None:
    """Draw the rows of the client selected in the ledger above, and why measured and promised ε differ."""
    named = named_clients(most_unlike(draft.experiments()))
    client = named.get(st.session_state.get("ledger client", ""), next(iter(named.values())))
    for one in shown:
        for words in picked(one.runs[0].end or {}, client) if one.runs else ():
            st.caption(plain(f"{one.label}: {words}", 400))
    found = bars(draft, shown, client)
    if not found:
        return
    st.markdown(f"**What an attack shows of it** (≥), and what is promised (≤), for client {client + 1}")
    table(
        ["of", "an attack shows", "promised"],
        [[plain(cell, 200) for cell in (bar.scope, *bar.ends)] for bar in found],
    )
    st.caption(plain(why(found), 800))
    asked = names_by((guesses(draft, one, client), one.label) for one in shown)
    for words, labels in [*asked.items()][:MOST_ASKED]:
        if words:
            st.caption(f"{plain(listed(labels), 100)}: {words}")


def why(found: Sequence[Bar]) -> str:
    """Why the two differ, and the largest ε that so many trials could have measured."""
    held = any(bar.lower > NEAR * bar.row["most"] for bar in found)
    return WHY.format(
        trials=_between([bar.row["trials"] for bar in found]),
        most=_between([bar.row["most"] for bar in found]),
        held=", and where that is shown, more trials would show more" if held else "",
        confidence=percent(found[0].row["confidence"]),
    )


def _between(values: Sequence[float]) -> str:
    return " to ".join(dict.fromkeys(at_most(end(values), 2) for end in (min, max)))


def picked(end: Mapping[str, Any], client: int) -> list[str]:
    """A sentence for each question asked about a client (counted from 0); empty where nothing is hidden."""
    said = []
    sums = {row["helped"]: row for row in end.get("from_sum", ()) if row["client"] == client + 1}
    if sums:
        many = sums[True]["candidates"]
        by_model = any(one.against == "model" for one in entries_in(end.get("ledger") or []))
        who = "who sees no more than the models" if by_model else "the server"
        said.append(
            f"Out of the sum, {who} tells which of {many} images client {client + 1} holds in "
            f"{often(**sums[True])} if it knows all other uploads, and in {often(**sums[False])} if not. "
            f"Guessing: {percent(1 / many)}."
        )
    heaps = [row for row in end.get("from_heap", ()) if row["client"] == client + 1]
    for row in (one for one in heaps if not one["clean"] and one["candidates"] > 1):
        clean = next(one for one in heaps if one["clean"] and one["question"] == row["question"])
        asked = QUESTIONS[row["question"]].format(client=client + 1, candidates=row["candidates"])
        said.append(
            f"Out of a heap with {number(row['heap'])} in it, {asked}, in {often(**row)}. Guessing: "
            f"{percent(1 / row['candidates'])}; without noise: {percent(clean['right'] / clean['tries'])}; "
            f"in the long run no attacker exceeds {percent(row['cap'])}, by ε{_above(row)}."
        )
    return said


def _above(row: Mapping[str, Any]) -> str:
    """Why tries may lie above the cap."""
    above = row["right"] / row["tries"] > row["cap"] >= wilson(row["right"], row["tries"])[0]
    return ", so these tries were lucky" if above else ""


def often(right: int, tries: int, **_: Any) -> str:
    low, high = wilson(right, tries)
    return f"{percent(right / tries)} of {tries} tries ({percent(low)} to {percent(high)})"
