"""Widgets bound to the draft.

A widget shows what the draft holds. A change by hand is saved at once, or else stays in the widget
with the reason below it, while the draft keeps what it had.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from ldp_core.component import Component, Registry
from ldp_core.errors import Problem
from ldp_core.fields import Number, Whole
from ldp_core.limits import Limit
from pages.parts.text import plain
from pages.parts.workspace import Workspace

Apply = Callable[[Workspace, Any], tuple[Problem, ...]]


def bind(workspace: Workspace, name: str, value: Any, apply: Apply | None = None) -> dict[str, Any]:
    """`key` and `on_change` of a widget for the field `name`, whose value in the draft is `value`.

    When something else than this widget has changed the value, the widget is replaced by a new one.
    While a page run is interrupted by the next, the browser may still send the old one's value, and
    Streamlit takes it for a change; it is told by its version and ignored.

    Args:
        workspace: the draft to change.
        name: the field's dotted path; or any name of its own, with `apply`.
        value: what the draft holds; the widget shows it unless something wrong is typed in it.
        apply: how a new value changes the draft; by default it sets the field.
    """
    fields = st.session_state.setdefault("fields", {})
    place = workspace.key(name)
    shown, version = fields.get(place, (value, 0))
    if shown != value:
        version += 1
    fields[place] = (value, version)
    key = f"{place}-{version}"
    if key not in st.session_state:
        st.session_state[key] = value

    def changed() -> None:
        given = st.session_state[key]
        known, current = fields.get(place, (value, version))
        if version != current:
            return  # this widget has been replaced: nobody chose this
        problems: tuple[Problem, ...] = ()
        if given != known:
            problems = apply(workspace, given) if apply else workspace.edit({name: given})
        _wrong()[place] = problems
        if not problems:
            fields[place] = (given, version)

    return {"key": key, "on_change": changed}


def _wrong() -> dict[str, tuple[Problem, ...]]:
    """What is wrong with what is typed, by field."""
    found: dict[str, tuple[Problem, ...]] = st.session_state.setdefault("wrong fields", {})
    return found


def complain(workspace: Workspace, name: str) -> None:
    """Say below a widget what is wrong with what it holds."""
    for problem in _wrong().get(workspace.key(name), ()):
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


def component(
    workspace: Workspace,
    field: str,
    title: str,
    registry: Registry[Any],
    value: Component,
    key: str = "name",
) -> None:
    """A field that holds a component: everything its registry has, and the parameters of the chosen one.

    Args:
        workspace: the draft to change.
        field: the experiment's field, like "mechanism".
        title: what the page calls it.
        registry: where its components come from.
        value: the one in the draft.
        key: the key that holds its name in JSON, "name" or "kind".
    """
    named(workspace, f"{field}.{key}", title, registry.labels(), value.name, help=value.summary)
    for name, parameter in type(value).model_fields.items():
        limits = [mark.limit for mark in parameter.metadata if isinstance(mark, Number | Whole)]
        if limits:
            words = parameter.description or name
            is_whole = any(isinstance(mark, Whole) for mark in parameter.metadata)
            widget: Any = whole if is_whole else real
            widget(workspace, f"{field}.{name}", words.capitalize(), limits[0], getattr(value, name))


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
