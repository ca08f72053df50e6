"""The inverse question's fields: an accuracy, the ranges to choose among, what a run may cost."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from ldp_core.errors import InvalidExperiment, Problem
from ldp_core.experiment.sweep import read_values
from ldp_core.tuning import Question, parse_question
from ldp_core.tuning.question import RANGES
from pages.parts.ui.shared_cache import once
from pages.parts.ui.text import plain
from pages.parts.ui.workspace import Workspace

FIRST = 85.0
"""Per cent."""
TITLES = {
    "accuracy": "the accuracy",
    "ranges": "the ranges",
    "run_budget": "the run's ε",
    "identification": "what is picked",
}


def ask(workspace: Workspace, before: Question | None) -> Question | None:
    """The fields; returns the question, or None with a word on what is wrong.

    Args:
        workspace: its base is what is asked about.
        before: what was asked last, to start from.
    """
    base = workspace.draft.base
    accuracy = st.number_input(
        "At least this accuracy, %",
        value=100 * before.accuracy if before else FIRST,
        format="%g",
        key=workspace.key("asked accuracy"),
        help="Of the last round, on images that no client has.",
    )
    halves = before.ranges if before else RANGES[base.target]
    ranges = st.text_input(
        "Safe ranges ±τ to choose among",
        ", ".join(f"{half:g}" for half in halves),
        key=workspace.key(f"asked ranges {base.target}"),
        help="Half-widths, between commas",
    )
    budget = st.number_input(
        "ε of the whole run at most, per client",
        value=before.run_budget if before else None,
        format="%g",
        placeholder="any",
        key=workspace.key("asked budget"),
        help="At worst, as the ledger counts it: thousands are usual where an ε is for one weight.",
    )
    leak = st.number_input(
        "Picked by an attacker at most, %",
        value=100 * before.identification if before and before.identification else None,
        format="%g",
        placeholder="any",
        key=workspace.key("asked identification"),
        help="Of single uploads, made of one image each: how often whoever sees one may tell from which of "
        "ten images it was made. Guessing gives 10 %.",
    )
    wanted: dict[str, Any] = {"base": base.as_json(), "run_budget": budget}
    wanted["identification"] = None if leak is None else round(leak / 100, 6)
    wanted["accuracy"] = None if accuracy is None else round(accuracy / 100, 6)
    try:
        wanted["ranges"] = _ranges(ranges)
        return once(("question", json.dumps(wanted, sort_keys=True)), lambda: parse_question(wanted))
    except InvalidExperiment as error:
        for problem in error.problems[:2]:
            st.error(plain(f"{TITLES.get(problem.path, problem.path)} {problem.message}", 400))
    return None


def _ranges(text: str) -> list[Any]:
    try:
        return read_values(text)
    except InvalidExperiment as error:
        raise InvalidExperiment([Problem("ranges", p.message) for p in error.problems]) from None
