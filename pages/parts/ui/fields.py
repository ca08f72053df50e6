"""Widgets bound to the draft.

A widget shows the draft's value. A valid change is saved at once; an invalid one stays in the widget with an
error below, while the draft keeps its value.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from ldp_core.component import Component, Registry
from ldp_core.errors import Problem
from ldp_core.fields import Choice, Number, Whole, Written
from ldp_core.limits import Limit
from pages.parts.ui.meanings import problem_in_words
from pages.parts.ui.memory import tab
from pages.parts.ui.text import plain
from pages.parts.ui.uninterrupted import uncut
from pages.parts.ui.workspace import Workspace

Apply = Callable[[Workspace, Any], tuple[Problem, ...]]


def bind(
    workspace: Workspace,
    name: str,
    value: Any,
    apply: Apply | None = None,
    into: str = "value",
    optional: bool = False,
) -> dict[str, Any]:
    """`key`, `on_change` and initial value of a widget for the field `name`, with the draft's `value`.

    If the value was changed elsewhere, the widget is replaced by a new one. During an interrupted script run
    the browser may still send the old widget's value, which Streamlit takes for a change; such values are
    recognised by version and ignored.

    Args:
        name: dotted path of the field; or any name, with `apply`.
        apply: how a new value changes the draft; by default it sets the field.
        into: the widget's parameter for its initial value, which the session would lose where a script run is
            interrupted before the browser has the widget.
        optional: an empty widget means null.
    """
    page = tab().page
    fields = page.fields
    place = workspace.key(name)
    new = place not in fields
    shown, version, first = fields.get(place, (value, 0, value))
    if shown != value:
        version, first = version + 1, value
    fields[place] = (value, version, first)
    key = f"{place}-{tab().visit}-{version}"

    @uncut
    def changed() -> None:
        if key not in st.session_state:
            return  # it is on the page no more
        given = st.session_state[key]
        known, current, first = fields.get(place, (value, version, value))
        if version != current:
            return  # this widget has been replaced: this was not chosen
        problems: tuple[Problem, ...] = ()
        if given is None and not optional:
            problems = (Problem(name, "is empty; until something is typed or chosen, the last one is kept"),)
        elif given != known:
            problems = apply(workspace, given) if apply else _edited(workspace, {name: given})
        page.wrong[place] = problems
        if not problems:
            fields[place] = (given, version, first)
            _waiting().pop(place, None)
            _try_again(workspace)
        elif given is not None and apply is None:
            _waiting()[place] = (name, given)

    page.keepers[place] = key, changed
    if new:
        tab().unheard[key] = changed
    return {"key": key, "on_change": changed, into: first}


def heed(key: str, given: Any, first: Any) -> None:
    """Apply a value that this session has not drawn, as a browser holds it after the server's restart."""
    changed = tab().unheard.pop(key, None)
    if changed is not None and given != first:
        changed()
        st.rerun()


def _edited(workspace: Workspace, changes: dict[str, Any]) -> tuple[Problem, ...]:
    """Set a field; if it does not fit the draft, together with the other pending values."""
    problems = workspace.edit(changes)
    waiting = dict(_waiting().values())
    if problems and waiting and not workspace.edit(waiting | changes):
        return ()
    return problems


def _try_again(workspace: Workspace) -> None:
    """Retry pending values: a data set may fit once its model does."""
    page = tab().page
    for place, (name, given) in [*_waiting().items()]:
        if not workspace.edit({name: given}):
            _, version, first = page.fields[place]
            page.fields[place] = (given, version, first)
            page.wrong[place] = ()
            del _waiting()[place]


def _waiting() -> dict[str, tuple[str, Any]]:
    """Pending invalid values on the page: field and value by widget."""
    page = tab().page
    for place in [place for place in page.waiting if not _is_there(place)]:
        del page.waiting[place]
    return page.waiting


def _is_there(place: str) -> bool:
    """Whether a field is on the page; an interrupted script run may not have drawn it yet."""
    kept = tab().page.keepers.get(place)
    return kept is not None and kept[0] in st.session_state


def mistakes(workspace: Workspace) -> list[str]:
    """Errors of invalid values of fields on the page, in words."""
    mine = [found for place, found in tab().page.wrong.items() if _is_there(place)]
    return [problem_in_words(problem) for problems in mine for problem in problems]


def is_wrong(workspace: Workspace, name: str) -> bool:
    """Whether a field holds a value that the draft has not taken."""
    return bool(tab().page.wrong.get(workspace.key(name)))


def typed_in(workspace: Workspace, name: str) -> Any:
    """What stands in a field that the draft has not taken; None if it has."""
    return _waiting().get(workspace.key(name), ("", None))[1]


def take(workspace: Workspace, name: str, value: Any) -> None:
    """Set a field to another value than stands in it."""
    if not workspace.edit({name: value}):
        tab().page.wrong.pop(workspace.key(name), None)
        _waiting().pop(workspace.key(name), None)


def complain(workspace: Workspace, name: str) -> None:
    for problem in tab().page.wrong.get(workspace.key(name), ()):
        words = problem_in_words(problem) if problem.path != name else problem.message
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
    bound = bind(workspace, name, value, apply, into="index")
    names = list(labels)
    bound["index"] = names.index(bound["index"]) if bound["index"] in labels else 0
    given = st.selectbox(title, names, format_func=labels.__getitem__, **bound, **options)
    heed(bound["key"], given, names[bound["index"]])
    complain(workspace, name)


def component(
    workspace: Workspace,
    field: str,
    title: str,
    registry: Registry[Any],
    value: Component,
    key: str = "name",
    what: str = "",
) -> None:
    """Draw a choice among the parts of a registry, and the chosen part's parameters; `what` says what such
    parts are for, and `key` is the name's in JSON, "name" or "kind".
    """
    words = f"{what} **{plain(value.label)}**: {value.summary}" if what else value.summary
    named(workspace, f"{field}.{key}", title, registry.labels(), value.name, help=words)
    own_parameters(workspace, field, value)


def own_parameters(
    workspace: Workspace,
    field: str,
    value: Component,
    apply: Callable[[str], Apply] | None = None,
    optional: bool = False,
) -> None:
    """Draw a widget for each parameter that is a number, a choice or a text; a nullable one only if
    `optional`. `apply` returns, for a parameter's name, how a change applies.
    """
    whole_budgets = workspace.draft.base.clients.epsilon_scope != "mechanism"  # which say what ε is for
    for attribute, parameter in type(value).model_fields.items():
        name = parameter.alias or attribute
        mark = next((m for m in parameter.metadata if isinstance(m, Number | Whole | Choice | Written)), None)
        blank = getattr(mark, "optional", False)
        idle = not value.matters(name) or (whole_budgets and name == "per")
        if mark is None or (blank and not optional) or idle:
            continue
        words = parameter.description or name
        title = words[0].upper() + words[1:] if words[0].isascii() else words  # ε and δ stay small
        path, now = f"{field}.{name}", getattr(value, attribute)
        change = apply(name) if apply else None
        if isinstance(mark, Choice):
            head, *said = re.split(": |, (?:or )?", title)
            head, said = (head, said) if len(said) == len(mark.words) else (title, [*mark.words])
            named(workspace, path, head, dict(zip(mark.words, said, strict=True)), now, change)
        elif isinstance(mark, Whole):
            whole(workspace, path, title, mark.limit, now, change, optional=blank)
        elif isinstance(mark, Written):
            written(workspace, path, title, mark, now, change)
        else:
            real(workspace, path, title, mark.limit, now, change, optional=blank)


def written(
    workspace: Workspace, name: str, title: str, mark: Written, value: Any, apply: Apply | None = None
) -> None:
    bound = bind(workspace, name, mark.spell(value), apply)
    given = st.text_area(title, height="content", **bound)
    heed(bound["key"], given, bound["value"])
    complain(workspace, name)


def whole(
    workspace: Workspace,
    name: str,
    title: str,
    limit: Limit,
    value: float | None,
    apply: Apply | None = None,
    optional: bool = False,
    **options: Any,
) -> None:
    # no limits here: the browser would refuse with an icon and without a word
    bound = bind(workspace, name, value, apply, optional=optional)
    given = st.number_input(title, placeholder=str(limit), **{"step": 1} | bound | options)
    heed(bound["key"], given, bound["value"])
    complain(workspace, name)


def real(
    workspace: Workspace, name: str, title: str, limit: Limit, value: float | None, *rest: Any, **options: Any
) -> None:
    own = None if value is None else float(value)
    whole(workspace, name, title, limit, own, *rest, **{"format": "%g", "step": None} | options)


def one_of(
    workspace: Workspace,
    name: str,
    title: str,
    labels: dict[str, str],
    value: str,
    apply: Apply | None = None,
    **options: Any,
) -> None:
    """Draw a field with two or three options, all visible."""
    bound = bind(workspace, name, value, apply, into="default")
    given = st.segmented_control(
        title, list(labels), required=True, format_func=labels.__getitem__, **bound, **options
    )
    heed(bound["key"], given, bound["default"])
    complain(workspace, name)


def switch(title: str, options: Mapping[Any, str], key: str, first: Any = None, **more: Any) -> Any:
    """Draw a choice outside the draft, all options visible; the chosen one, at first `first` or the first."""
    hidden: dict[str, Any] = {"label_visibility": "collapsed"} | more
    first = next(iter(options)) if first is None else first
    return st.segmented_control(
        title, list(options), default=first, required=True, format_func=options.__getitem__, key=key, **hidden
    )
