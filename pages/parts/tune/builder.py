"""Fields of a sweep: two axes, their values, and seeds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ldp_core import limits
from ldp_core.errors import InvalidExperiment, Problem
from ldp_core.experiment import Experiment
from ldp_core.experiment.sweep import Scalar, Sweep, parse_sweep, read_values
from pages.parts.tune.axes import Axis, axes
from pages.parts.tune.kept import kept
from pages.parts.tune.wrong_values import wrong_in
from pages.parts.ui.meanings import problem_in_words
from pages.parts.ui.shared_cache import once
from pages.parts.ui.text import plain
from pages.parts.ui.workspace import Workspace

MANY = (
    "Between commas; with decimal commas, between semicolons (0,5; 1). Or steps: 0.1:10:5 for five from 0.1 "
    "to 10, 0.1:10:5log for five of equal ratio"
)
FIRST, SECOND = "epsilon", "range"
USUAL_SEEDS = 3


def builder(workspace: Workspace, before: Sweep | None) -> Sweep | None:
    """Draw the fields; returns the sweep, or None, with an error on the page, if they are invalid.

    Args:
        workspace: its base is swept.
        before: last requested sweep, for initial values.
    """
    found = axes()
    start = _start(before, found)
    above = st.container()  # what is wrong with the whole of it, where it is seen
    typed: dict[str, list[Scalar]] = {}
    wrong: dict[str, list[str]] = {}
    below: dict[str, DeltaGenerator] = {}

    def field(title: str, offered: dict[str, Axis], place: int) -> Axis:
        name = _axis(workspace, title, offered, start, place)
        axis = offered[name]
        try:
            typed[axis.path] = _values(workspace, axis, name, start)
        except InvalidExperiment as error:
            typed[axis.path], wrong[axis.path] = [], [_sentence(one.message) for one in error.problems]
        below[axis.path] = st.container()
        return axis

    axis = field("Across", found, 0)
    other = field("Down", {name: one for name, one in found.items() if one.path != axis.path}, 1)
    seeds = st.number_input(
        "Seeds",
        step=1,
        placeholder=str(limits.SEEDS),
        **kept(workspace, "sweep seeds", before.seeds if before else USUAL_SEEDS),
        help="Each cell is trained once a seed. Cells of one seed share data, batches and the initial model.",
    )
    below["seeds"] = st.container()
    drawn = st.number_input(
        "Settings drawn between the values",
        step=1,
        placeholder="every combination",
        **kept(workspace, "sweep points", before.latin.points if before and before.latin else None),
        help="Instead of every combination: so many settings that cover both ranges, from the least to the "
        "largest value, evenly (a Latin hypercube).",
    )
    below["latin.points"] = st.container()
    base = workspace.draft.base
    for one, two in ((axis, other), (other, axis)):
        if one.path not in wrong and (mistake := _wrong(base, one, typed[one.path], two, typed[two.path])):
            wrong[one.path] = mistake
    if not wrong:
        try:
            wanted = {"base": base.as_json(), **_way(typed, drawn), "seeds": seeds}
            # a thousand cells take seconds to make
            return once(("sweep", json.dumps(wanted, sort_keys=True)), lambda: parse_sweep(wanted))
        except InvalidExperiment as error:
            for problem in error.problems:
                wrong.setdefault(problem.path, []).append(_in_our_words(problem, (axis, other)))
    for path, messages in wrong.items():
        for message in messages:
            below.get(path, above).error(plain(message, 400))
    return None


def _wrong(
    base: Experiment, axis: Axis, values: list[Scalar], other: Axis, beside: list[Scalar]
) -> list[str]:
    key = ("wrong values", base.key, axis.path, str(values), other.path, str(beside))
    return once(key, lambda: wrong_in(base, axis, values, other, beside))


def _in_our_words(problem: Problem, swept: Sequence[Axis]) -> str:
    """Problem in the page's words, without dotted names."""
    message = problem.message
    for axis in swept:
        message = message.replace(f"{axis.path}=", f"{axis.title} ")
    if problem.path in ("seeds", "latin.points", *(axis.path for axis in swept)):
        return _sentence(message).replace("got null", "the field is empty")
    return _sentence(problem_in_words(Problem(problem.path, message)))


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _way(grid: dict[str, list[Scalar]], drawn: int | None) -> dict[str, Any]:
    """All combinations, or a number of settings drawn between the extreme values of each field.

    Raises:
        InvalidExperiment: settings cannot be drawn between names.
    """
    if drawn is None:
        return {"grid": grid}
    fields = {}
    for path, values in grid.items():
        if not all(isinstance(value, int | float) for value in values):
            message = (
                "takes names, and nothing is drawn between them; choose fields for numbers, or none drawn"
            )
            raise InvalidExperiment([Problem(path, message)])
        numbers = [value for value in values if isinstance(value, int | float)]
        fields[path] = [min(numbers), max(numbers)]
    return {"latin": {"fields": fields, "points": drawn}}


Start = list[tuple[str, list[Scalar]]]
"""Axes by name, with their values."""


def _start(before: Sweep | None, found: dict[str, Axis]) -> Start:
    """Axes of the last sweep, if the page offers them."""
    if before is None:
        return []
    chosen: Start = []
    swept = before.latin.fields if before.latin else before.grid
    for path, values in swept.items():
        named = any(isinstance(value, str) for value in values)
        for name, axis in found.items():
            if axis.path == path and (axis.words is not None) == named:
                chosen.append((name, list(values)))
                break
    return chosen if len(chosen) == 2 else []


def _axis(workspace: Workspace, title: str, offered: dict[str, Axis], start: Start, place: int) -> str:
    """Draw the list of axes; returns the chosen one's name."""
    wanted = start[place][0] if start else (FIRST, SECOND)[place]
    names = list(offered)
    field = kept(workspace, f"sweep axis {place}", wanted, into="index")
    index = names.index(field["index"]) if field["index"] in names else 0
    chosen = st.selectbox(
        title, names, format_func=lambda name: offered[name].title, **field | {"index": index}
    )
    return str(chosen)


def _values(workspace: Workspace, axis: Axis, name: str, start: Start) -> list[Scalar]:
    """Draw the values of an axis; returns them.

    Raises:
        InvalidExperiment: the text is invalid.
    """
    begun = dict(start).get(name) or axis.grid(workspace.draft.base)
    if axis.words is not None:
        names = list(axis.words)
        field = kept(workspace, f"sweep values {name}", begun, into="default")
        field["default"] = [value for value in field["default"] if value in names]
        return list(
            st.pills(
                axis.title.capitalize(),
                names,
                selection_mode="multi",
                format_func=axis.words.__getitem__,
                **field,
            )
        )
    words = ", ".join(f"{value:g}" if isinstance(value, int | float) else str(value) for value in begun)
    text = st.text_input(
        axis.title[0].upper() + axis.title[1:],
        help=MANY,
        **kept(workspace, f"sweep values {name}", words),
    )
    return read_values(text)
