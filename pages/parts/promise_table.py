"""The four numbers of one client, under each of several designs or runs, and what they mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from ldp_core.accounting import promise
from ldp_core.experiment import Experiment
from pages.parts.tables import grouped, table
from pages.parts.text import number, plain

SCOPES = {
    "coordinate": "one weight",
    "upload": "one upload",
    "run_expected": "this run, expected",
    "run_worst": "this run, worst case",
}
COVERS = (
    "Each number bounds how well any two values in the client's safe range can be told apart; the smallest "
    "valid bound comes first, beside it the plain sum. It does not cover that the client took part, which "
    "the server sees: so a random choice of clients adds nothing, and nothing is shuffled."
)
LITTLE = 15.0
"""An ε beyond this leaves nothing that an attacker could not tell."""


@dataclass(frozen=True)
class Promised:
    """One run's promise to one client."""

    name: str
    experiment: Experiment
    client: tuple[float, float, float]
    limit: float = math.inf

    @property
    def entry(self) -> dict[str, Any]:
        """As the ledger has it."""
        return _promise(self.experiment.key, self.experiment, self.client, self.limit)


def promise_table(promised: Sequence[Promised]) -> None:
    """A row for each different promise, and the first of them in words."""
    rows = [(one.name, [_cell(one.entry[scope]) for scope in SCOPES]) for one in promised]
    table(["", *SCOPES.values()], grouped(rows))
    st.markdown(in_words(promised[0]))
    st.caption(COVERS)


def _cell(line: dict[str, Any]) -> str:
    if not line["guarantee"]:
        return f":red[**no guarantee**]: {plain(line['why'], 120)}"
    sums = line["basic"] > line["epsilon"] * 1.001
    basic = f"; plain sum {number(line['basic'], 5)}" if sums else ""
    nominal = " (nominal)" if line["rule"] == "nominal" else ""
    return f"**ε {number(line['epsilon'], 4)}**{nominal}, δ {number(line['delta'])}{basic}"


def in_words(one: Promised) -> str:
    """What the first two numbers mean, as odds."""
    weight, upload = one.entry["coordinate"], one.entry["upload"]
    if not (weight["guarantee"] and upload["guarantee"]):
        return f"In words, for {plain(one.name, 100)}: nothing is promised."
    d = number(one.experiment.dimension, 6)
    far = "no protection at all" if upload["epsilon"] > LITTLE else "which hides something of the whole"
    text = (
        f"In words, for {plain(one.name, 100)}: whoever looks at **one weight** changes the odds between any "
        f"two values by a factor of at most {_odds(weight)}; whoever looks at **all {d} weights of one "
        f"upload**, by {_odds(upload)}: {far}."
    )
    if upload["epsilon"] > 3 * weight["epsilon"] and upload["epsilon"] > LITTLE:
        text += " A budget for one weight is not a budget for a person."
    return text


def _odds(line: dict[str, Any]) -> str:
    """e to the ε, and what the δ means."""
    epsilon = line["epsilon"]
    factor = number(math.exp(epsilon)) if epsilon < LITTLE else f"e to the {number(epsilon, 4)}"
    if line["delta"] == 0:
        return factor
    return f"{factor}, except with a probability of {number(line['delta'])}"


@st.cache_data(max_entries=512, show_spinner=False)
def _promise(
    key: str, _experiment: Experiment, client: tuple[float, float, float], limit: float
) -> dict[str, Any]:
    return promise(_experiment, client, limit)
