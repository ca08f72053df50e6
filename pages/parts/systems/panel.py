"""Panel on the draft's published system: choice, form, parameters, departures from the paper."""

from typing import Any

import streamlit as st

from ldp_core import systems
from ldp_core.errors import Problem
from ldp_core.experiment import (
    Departure,
    Draft,
    back_to_paper,
    departures,
    form_of,
    plan,
    with_form,
    with_system,
)
from ldp_core.systems import System
from pages.parts.systems.field_words import FORMS, field_name, value_words
from pages.parts.ui.fields import named, one_of, own_parameters
from pages.parts.ui.text import number, plain
from pages.parts.ui.workspace import Workspace

NONE = "none"
BOTH = {"both": "both, side by side"}


def system_panel(workspace: Workspace) -> None:
    """Draw a button with the system's name that opens the panel."""
    draft = workspace.draft
    system = draft.base.system
    with st.popover(f"System: {system.label if system else NONE}", help="Run a published system by its name"):
        _which(workspace, system)
        _form(workspace, draft)
        if system is not None:
            own_parameters(workspace, "system", system, optional=True)
            _said(workspace, system)


def _which(workspace: Workspace, system: System | None) -> None:
    labels = {NONE: "None: every part chosen by itself"} | systems.registry.labels()
    words = "It sets every field, for the data that are chosen; each can then be changed."
    name = system.name if system else NONE
    named(workspace, "system", "Published system", labels, name, _choose, help=words)
    if system is not None:
        st.markdown(plain(system.summary, 400))
        st.latex(system.formula)
        st.caption(plain(system.reference, 200))


def _choose(workspace: Workspace, name: str) -> tuple[Problem, ...]:
    return workspace.renew(lambda draft: with_system(draft, None if name == NONE else name))


def _form(workspace: Workspace, draft: Draft) -> None:
    mechanisms = [one.mechanism for one in draft.experiments() if plan(one).randomiser.printed_otherwise]
    if draft.base.system is None and not mechanisms:
        return
    now = form_of(draft)
    if now is None:
        st.caption("Each run has a form of its own, as prepared.")
        return
    one_of(workspace, "form", "Form", FORMS | BOTH, now, _set_form)
    printed = [one.as_printed for one in mechanisms]
    for words in dict.fromkeys([*printed, *(plan(one).correction for one in draft.experiments())]):
        st.caption(plain(words, 600))


def _set_form(workspace: Workspace, form: str) -> tuple[Problem, ...]:
    return workspace.renew(lambda draft: with_form(draft, form))


def _said(workspace: Workspace, system: System) -> None:
    """Draw the departures from the paper's setting, and what the paper leaves open."""
    found = departures(workspace.draft.base)
    if found:
        st.markdown("**Not as in the paper**")
        st.markdown("\n".join(f"- {_in_words(one, system)}" for one in found))
        help = "All its settings as the paper prints them, on its own data; Undo takes it back"
        if st.button("Back to the paper's settings", key=workspace.key("back to paper"), help=help):
            workspace.renew(back_to_paper)
            st.rerun()
    else:
        st.markdown("**All as in the paper**")
    for head, said in (("paper leaves open", system.readings), ("paper has otherwise", system.altered)):
        if said:
            st.markdown(f"**What the {head}** ({len(said)})")
            st.markdown("\n".join(f"- {plain(words, 400)}" for words in said))


def _in_words(one: Departure, system: System) -> str:
    path = one.field.removesuffix(".name").removesuffix(".kind")
    name = field_name(path, {"system": system.name})
    now, paper = (_value(path, value) for value in (one.now, one.paper))
    theirs = f"paper: {paper}" if one.printed else f"the paper prints none; here usually {paper}"
    return plain(f"{name} {now} ({theirs})", 300)


def _value(path: str, value: Any) -> str:
    if isinstance(value, dict) and "low" in value:
        return f"[{number(value['low'], 6)}, {number(value['high'], 6)}]"
    if isinstance(value, dict):
        return ", ".join(map(str, value.values()))
    return "a value for each client" if isinstance(value, list) else value_words(path, value)
