"""The question whose secret ε covers, and what its answer promises."""

import streamlit as st

from ldp_core.accounting import AGAINST, Entry, least_promised, promise, together_in_words, worth
from ldp_core.errors import InvalidExperiment, Problem
from ldp_core.experiment import UNITS, Draft, Experiment, Variant, plan
from pages.parts.systems.unlike import differing
from pages.parts.ui.fields import one_of
from pages.parts.ui.text import at_most, deltas, listed, plain
from pages.parts.ui.workspace import Workspace

ABOUT = (
    "Each record: the client itself adds noise to gradients that are shortened record by record, and is "
    "trusted with its records. Records, not persons, unless a column of your own table names them."
)


def unit_choice(workspace: Workspace) -> None:
    unit = workspace.draft.base.unit
    whose = {name: f"{words[0].upper()}{words[1:]}" for name, words in UNITS.items()}
    said = promised(workspace.draft.base)
    about = ABOUT if unit == "record" else f"{said} {ABOUT}"
    one_of(workspace, "unit", "Whose secret is it?", whose, unit, _choose, help=plain(about, 900))
    if unit == "record":  # of one record, a person and a client it promises quite unlike things
        st.caption(plain(said, 600))
    draft, along = st.session_state.get("set along for a unit", (None, ""))
    if draft == workspace.draft:
        st.caption(f":orange[{plain(along, 600)}]")


def promised(experiment: Experiment) -> str:
    """What the run's ε promises, for the client that is promised least, in one or two sentences."""
    entry = promise(plan(experiment), least_promised(plan(experiment)))
    line, what = entry.run_worst, UNITS[entry.unit] + (", one of each person" if entry.persons == 1 else "")
    if not line.guarantee:
        return f"No ε of a run holds for {what} yet."
    record = entry.unit == "record"
    two = "whether one given record is in it or another" if record else "whether a client sent this or that"
    epsilon = f"ε {at_most(line.bound)}{deltas([line.delta])} for {what}"
    odds = worth(line).odds
    return f"{epsilon}: {AGAINST[entry.against]} says rightly {odds} {two}.{_together(entry)}"


def _together(entry: Entry) -> str:
    more = together_in_words(entry, at_most)
    return f" Together it promises far less: {more}." if more else ""


def _choose(workspace: Workspace, unit: str) -> tuple[Problem, ...]:
    before = workspace.draft.as_json()
    problems = workspace.renew(lambda draft: with_unit(draft, unit))
    along = [one for one in differing(before, workspace.draft.as_json()) if not one.startswith("unit")]
    if along and not problems:
        said = f"Set along: {listed(along)}. Undo takes all back."
        st.session_state["set along for a unit"] = workspace.draft, said
    return problems


def with_unit(draft: Draft, unit: str) -> Draft:
    """Draft whose ε is of another unit; a single run only where a variant's own settings do not fit."""
    try:
        return draft.with_base({"unit": unit})
    except InvalidExperiment:
        return Draft(draft.base, (Variant("run"),), draft.seeds).with_base({"system": None, "unit": unit})
