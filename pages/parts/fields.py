"""Widgets bound to the draft.

A widget shows what the draft holds. A change by hand is saved at once, or else stays in the widget
with the reason below it, while the draft keeps what it had.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from ldp_core.component import Registry
from ldp_core.errors import Problem
from ldp_core.limits import Limit
from pages.parts.text import plain
from pages.parts.workspace import Workspace

Apply = Callable[[Workspace, Any], tuple[Problem, ...]]


def bind(workspace: Workspace, name: str, value: Any, apply: Apply | None = None) -> dict[str, Any]:
    """`key` and `on_change` of a widget for the field `name`, whose value in the draft is `value`.

    Args:
        workspace: the draft to change.
        name: the field's dotted path; or any name of its own, with `apply`.
        value: what the widget shows, unless something wrong is still typed in it.
        apply: how a new value changes the draft; by default it sets the field.
    """
    key = workspace.key(name)
    wrong = st.session_state.setdefault("wrong fields", {})
    if key not in wrong:
        st.session_state[key] = value

    def changed() -> None:
        given = st.session_state[key]
        latest = workspace.reloaded()
        problems = apply(latest, given) if apply else latest.edit({name: given})
        if problems:
            wrong[key] = problems
        else:
            wrong.pop(key, None)

    return {"key": key, "on_change": changed}


def complain(workspace: Workspace, name: str) -> None:
    """Say below a widget what is wrong with what it holds."""
    for problem in st.session_state.get("wrong fields", {}).get(workspace.key(name), ()):
        words = str(problem) if problem.path != name else problem.message
        st.error(plain(words[0].upper() + words[1:], 300))


def named(
    workspace: Workspace,
    name: str,
    title: str,
    labels: dict[str, str],
    value: str,
    apply: Apply | None = None,
    **options: Any,
) -> None:
    """A field that takes one of a few names."""
    st.selectbox(
        title,
        list(labels),
        format_func=labels.__getitem__,
        **bind(workspace, name, value, apply),
        **options,
    )
    complain(workspace, name)


def component(workspace: Workspace, field: str, title: str, registry: Registry[Any], value: str) -> None:
    """A field that holds a component: everything its registry has, with what it does."""
    named(
        workspace,
        f"{field}.name",
        title,
        registry.labels(),
        value,
        help=registry.kind(value).summary,
    )


def whole(
    workspace: Workspace,
    name: str,
    title: str,
    limit: Limit,
    value: int,
    apply: Apply | None = None,
    **options: Any,
) -> None:
    """A whole number within its limit."""
    st.number_input(
        title,
        int(limit.minimum),
        int(limit.maximum),
        step=1,
        **bind(workspace, name, value, apply),
        **options,
    )
    complain(workspace, name)


def real(
    workspace: Workspace,
    name: str,
    title: str,
    limit: Limit,
    value: float,
    apply: Apply | None = None,
    **options: Any,
) -> None:
    """A number within its limit."""
    st.number_input(
        title,
        limit.minimum,
        limit.maximum,
        format="%g",
        **bind(workspace, name, value, apply),
        **options,
    )
    complain(workspace, name)


def one_of(
    workspace: Workspace,
    name: str,
    title: str,
    labels: dict[str, str],
    value: str,
    apply: Apply | None = None,
    **options: Any,
) -> None:
    """A field that takes one of two or three names, all in sight."""
    st.segmented_control(
        title,
        list(labels),
        required=True,
        format_func=labels.__getitem__,
        **bind(workspace, name, value, apply),
        **options,
    )
    complain(workspace, name)
