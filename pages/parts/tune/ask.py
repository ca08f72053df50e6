"""Fields of the search for the least ε."""

import json
from typing import Any

import streamlit as st

from ldp_core.datasets import Seen
from ldp_core.errors import InvalidExperiment, Problem, shown
from ldp_core.experiment import plan
from ldp_core.experiment.sweep import read_values
from ldp_core.limits import HALF_WIDTH
from ldp_core.tuning import Question, parse_question
from ldp_core.tuning.question import RANGES
from pages.parts.clients.data_names import seen_of
from pages.parts.tune.axes import is_number
from pages.parts.tune.kept import kept
from pages.parts.ui.shared_cache import once
from pages.parts.ui.text import listed, percent, plain
from pages.parts.ui.workspace import Workspace

FIRST = 85.0
"""Initial target accuracy in percent."""
WISHED = 0.75
"""Share of the way from guessing to what own data give that is asked for at first."""
WORDS = {"accuracy": "must be between 0 and 100 %, both excluded", "run_budget": "must be above 0, or empty"}
"""Errors of the request in the page's units (percent)."""


def ask(workspace: Workspace, before: Question | None) -> Question | None:
    """Draw the fields, initially of the question asked `before`; None, with an error, if they are invalid."""
    base = workspace.draft.base
    above = st.container()
    gives = seen_of(base.dataset)
    first = FIRST if gives is None else goal(gives)
    accuracy = st.number_input(
        "At least this accuracy, %",
        format="%g",
        **kept(workspace, f"asked accuracy {base.dataset}", 100 * before.accuracy if before else first),
        help="Of the last round, on images that no client has.",
    )
    below = {"accuracy": st.container()}
    if gives is not None and gives.ceiling is not None:
        ends = f"guessing {percent(gives.guessing)}, one model of all the data {percent(gives.ceiling)}"
        far = accuracy is not None and not gives.guessing < accuracy / 100 <= gives.ceiling
        (st.warning if far else st.caption)(f"Ask for something between: {ends}, both without noise.")
    own = before.fits if before else gives is not None
    words = "Find ranges and learning rate first, without noise"
    help = "The range is widened, with three rates each, until training without noise gets no better."
    fits = st.checkbox(words, **kept(workspace, f"asked fits {base.dataset}", own), help=help)
    halves = before.ranges if before else RANGES[base.target]
    ranges = ", ".join(f"{half:g}" for half in halves)
    if plan(base).randomiser.region == "box" and not fits:
        ranges = st.text_input(
            "Safe ranges ±τ to choose among",
            **kept(workspace, f"asked ranges {base.target}", ranges),
            help="Half-widths, between commas; with decimal commas, between semicolons (0,5; 1)",
        )
    below["ranges"] = st.container()
    budget = st.number_input(
        "ε of the whole run at most, per client",
        format="%g",
        placeholder="any",
        **kept(workspace, "asked budget", before.run_budget if before else None),
        help="At worst, as the ledger counts it: thousands are usual where an ε is for one weight.",
    )
    below["run_budget"] = st.container()
    wanted: dict[str, Any] = {"base": base.as_json(), "run_budget": budget, "fits": fits}
    wanted["accuracy"] = None if accuracy is None else round(accuracy / 100, 6)
    typed = {"accuracy": accuracy, "run_budget": budget}
    try:
        wanted["ranges"] = _ranges(ranges)
        return once(("question", json.dumps(wanted, sort_keys=True)), lambda: parse_question(wanted))
    except InvalidExperiment as error:
        for path, message in ((problem.path, problem.message) for problem in error.problems):
            if path in typed:
                got = typed[path]
                message = f"{WORDS[path]}; " + ("the field is empty" if got is None else f"got {got:g}")
            below.get(path, above).error(plain(f"{message[0].upper()}{message[1:]}.", 400))
    return None


def goal(gives: Seen) -> float:
    """Initial target in percent, between guessing and what one model of all data reaches."""
    ceiling = gives.ceiling if gives.ceiling is not None else 1.0
    return float(round(100 * (gives.guessing + WISHED * (ceiling - gives.guessing))))


def _ranges(text: str) -> list[Any]:
    """Ranges typed in the field, if all are valid."""
    try:
        found = read_values(text)
    except InvalidExperiment as error:
        raise InvalidExperiment([Problem("ranges", p.message) for p in error.problems]) from None
    wrong = [value for value in found if not is_number(value) or not HALF_WIDTH.allows(float(value))]
    if wrong:
        message = f"must be numbers {HALF_WIDTH}; got {listed([shown(value) for value in wrong])}"
        raise InvalidExperiment([Problem("ranges", message)])
    return list(found)
