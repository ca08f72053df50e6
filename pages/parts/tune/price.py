"""Description of a found setting: accuracy, ε and what an attacker can do."""

from typing import NamedTuple

import streamlit as st

from ldp_core import datasets
from ldp_core.accounting import AGAINST, Promise, of_whom, worth
from ldp_core.experiment import UNITS, Experiment, plan
from pages.parts.tune.found import dearest
from pages.parts.ui.text import at_most, number, plain


class KeyFigure(NamedTuple):
    name: str
    words: str
    rest: str
    more: str = ""
    """Explanation on request."""


COLOUR = {"much": "green", "some": "blue", "little": "orange", "nothing": "red"}


def setting_line(experiment: Experiment) -> str:
    """Text like `Digits · logistic regression, 650 weights · 20 clients · Piecewise · trust: no one · …`."""
    parts = [
        plan(experiment).source.label,
        f"{experiment.model.title}, {number(plan(experiment).dimension, 6)} weights",
        f"{number(experiment.clients.count, 6)} clients",
        plan(experiment).randomiser.label,
        f"trust: {experiment.trust.label}",
        experiment.aggregator.label,
        f"{number(experiment.rounds, 6)} rounds",
    ]
    return plain(" · ".join(parts), 300)


def promise_in_words(line: Promise) -> str:
    """Text like `ε 8, δ 10⁻⁵: promises little`, coloured by worth."""
    found = worth(line)
    epsilon = f"ε {at_most(line.bound, 4)}" if line.guarantee else "no guarantee"
    delta = f", δ {number(line.delta)}" if line.guarantee and line.delta else ""
    return f":{COLOUR[found.word]}[**{epsilon}{delta}: {found.promises}**]"


def run_line(experiment: Experiment) -> str:
    """Weakest guarantee of the whole run, and against whom; "" for too many different clients."""
    if (line := dearest(experiment)) is None:
        return ""
    whom = AGAINST[experiment.trust.against]
    client = of_whom(experiment.unit, "the client that gives most away")
    whose = f"The whole run at worst, for {client}"
    return f"{whose}, against {whom}: {promise_in_words(line)}"


def three_figures(experiment: Experiment, accuracy: KeyFigure, attacker: KeyFigure | None = None) -> None:
    """Draw a setting's accuracy, ε of the run, and what an attacker did, or else could do at most."""
    line = dearest(experiment)
    odds = worth(line).odds if line else "unlike by client"
    where = f"for {UNITS[experiment.unit]}, against {AGAINST[experiment.trust.against]}"
    words = promise_in_words(line) if line else odds
    privacy = KeyFigure("What is promised", words, where, "In the whole run, at worst.")
    apart = "two images" if datasets.get(experiment.dataset).images else "two values"
    rest = f"by the promise, who tells {apart} of such a secret apart; a coin: 50 of 100"
    most = KeyFigure("What an attacker can do", f"right {odds.removeprefix('in ')}", rest)
    for column, one in zip(st.columns(3, border=True), (accuracy, privacy, attacker or most), strict=True):
        column.markdown(f"{one.name}  \n### {one.words}")
        column.caption(one.rest, help=one.more or None)
