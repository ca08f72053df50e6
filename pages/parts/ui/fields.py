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
    """`key`, `on_change` and first value of a widget for the field `name`, which holds `value` in the draft.

    When something else than this widget has changed the value, the widget is replaced by a new one.
    While a page run is interrupted by the next, the browser may still send the old one's value, and
    Streamlit takes it for a change; it is recognised by its version and ignored.

    Args:
        name: the field's dotted path; or any name of its own, with `apply`.
        value: what the draft holds; the widget shows it unless something wrong is typed in it.
        apply: how a new value changes the draft; by default it sets the field.
        into: the widget's parameter for its first value. It is given with the widget, and not put into
            the session: should the page run be interrupted before the browser has the widget, the next
            run would give it without a value, and the browser would choose one by itself.
        optional: an empty widget stands for null.
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
    """Take what a widget holds that this session has not drawn before, if it is not what it began with.

    Only a browser whose server was started anew can hold such a value: it has changed a widget of the
    page that the server before had drawn, and no session has heard of it.
    """
    changed = tab().unheard.pop(key, None)
    if changed is not None and given != first:
        changed()
        st.rerun()


def _edited(workspace: Workspace, changes: dict[str, Any]) -> tuple[Problem, ...]:
    """Set a field; where that does not fit the draft, set it with all that waits for it."""
    problems = workspace.edit(changes)
    waiting = dict(_waiting().values())
    if problems and waiting and not workspace.edit(waiting | changes):
        return ()
    return problems


def _try_again(workspace: Workspace) -> None:
    """Retry values that did not fit before: a data set may fit once its model does."""
    page = tab().page
    for place, (name, given) in [*_waiting().items()]:
        if not workspace.edit({name: given}):
            _, version, first = page.fields[place]
            page.fields[place] = (given, version, first)
            page.wrong[place] = ()
            del _waiting()[place]


def _waiting() -> dict[str, tuple[str, Any]]:
    """Invalid contents of fields on the page: field and value by widget."""
    page = tab().page
    for place in [place for place in page.waiting if not _is_there(place)]:
        del page.waiting[place]
    return page.waiting


def _is_there(place: str) -> bool:
    """Whether a field is on the page. An interrupted run of the page may not have reached it yet."""
    kept = tab().page.keepers.get(place)
    return kept is not None and kept[0] in st.session_state


def mistakes(workspace: Workspace) -> list[str]:
    """Errors of typed values, in words, while their field is on the page."""
    mine = [found for place, found in tab().page.wrong.items() if _is_there(place)]
    return [problem_in_words(problem) for problems in mine for problem in problems]


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
    """A field that holds a component: everything its registry has, and the parameters of the chosen one.

    Args:
        field: the experiment's field, like "mechanism".
        title: what the page calls it.
        registry: where its components come from.
        value: the one in the draft.
        key: the key that holds its name in JSON, "name" or "kind".
        what: what such a component is, in a sentence; shown before what the chosen one does.
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
    """A widget for each parameter that has a limit, a few words to choose from, or a text.

    `apply` makes from a parameter's name what a change of it does; by default it sets the field. Parameters
    that may be null are left out unless `optional` asks for them.
    """
    for attribute, parameter in type(value).model_fields.items():
        name = parameter.alias or attribute
        mark = next((m for m in parameter.metadata if isinstance(m, Number | Whole | Choice | Written)), None)
        blank = getattr(mark, "optional", False)
        if mark is None or (blank and not optional) or not value.matters(name):
            continue
        words = parameter.description or name
        title = words[0].upper() + words[1:] if words[0].isascii() else words  # ε and δ stay small
        path, now = f"{field}.{name}", getattr(value, attribute)
        change = apply(name) if apply else None
        if isinstance(mark, Choice):
            named(workspace, path, title, dict(zip(mark.words, mark.words, strict=True)), now, change)
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
    value: int | None,
    apply: Apply | None = None,
    optional: bool = False,
    **options: Any,
) -> None:
    # no limits here: the browser would refuse with an icon and without a word
    bound = bind(workspace, name, value, apply, optional=optional)
    given = st.number_input(title, step=1, placeholder=str(limit), **bound, **options)
    heed(bound["key"], given, bound["value"])
    complain(workspace, name)


def real(
    workspace: Workspace,
    name: str,
    title: str,
    limit: Limit,
    value: float | None,
    apply: Apply | None = None,
    optional: bool = False,
    **options: Any,
) -> None:
    bound = bind(workspace, name, None if value is None else float(value), apply, optional=optional)
    given = st.number_input(title, format="%g", placeholder=str(limit), **bound, **options)
    heed(bound["key"], given, bound["value"])
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
    bound = bind(workspace, name, value, apply, into="default")
    given = st.segmented_control(
        title, list(labels), required=True, format_func=labels.__getitem__, **bound, **options
    )
    heed(bound["key"], given, bound["default"])
    complain(workspace, name)
