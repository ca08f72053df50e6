"""Fields of a sweep: two axes, their values, and seeds."""

import json
from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ldp_core import limits
from ldp_core.errors import InvalidExperiment, Problem
from ldp_core.experiment import Experiment, plan
from ldp_core.experiment.sweep import Scalar, Sweep, parse_sweep, read_values
from pages.parts.tune.axes import Axis, name_of, offered, wrong_in
from pages.parts.tune.kept import kept
from pages.parts.ui.meanings import problem_in_words
from pages.parts.ui.shared_cache import once
from pages.parts.ui.text import plain
from pages.parts.ui.workspace import Workspace

MANY = (
    "Between commas; with decimal commas, between semicolons (0,5; 1). Or steps: 0.1:10:5 for five from 0.1 "
    "to 10, 0.1:10:5log for five of equal ratio"
)
USUAL_SEEDS = 3


def builder(workspace: Workspace, before: Sweep | None) -> Sweep | None:
    """Draw the fields, initially of the sweep asked `before`; None, with an error, if they are invalid."""
    base = workspace.draft.base
    found, start = offered(base), _start(before)
    usual = "epsilon", "clip" if "clip" in found else "range"
    above = st.container()  # what is wrong with the whole of it, where it is seen
    typed: dict[str, list[Scalar]] = {}
    wrong: dict[str, list[str]] = {}
    below: dict[str, DeltaGenerator] = {}

    def field(title: str, found: dict[str, Axis], place: int) -> Axis:
        name = _axis(workspace, title, found, [*start, *usual][place], place)
        axis = found[name]
        try:
            typed[axis.path] = _values(workspace, axis, name, start.get(name) or axis.grid(base))
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
    for one, two in ((axis, other), (other, axis)):
        if one.path not in wrong and (mistakes := _wrong(base, one, typed[one.path], two, typed[two.path])):
            wrong[one.path] = mistakes
    if not wrong:
        try:
            wanted = {"base": base.as_json(), "grid": typed, "seeds": seeds}
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
    key = ("wrong values", plan(base).key, axis.path, str(values), other.path, str(beside))
    return once(key, lambda: wrong_in(base, axis, values, other, beside))


def _in_our_words(problem: Problem, swept: Sequence[Axis]) -> str:
    """Problem in the page's words, without dotted names."""
    message = problem.message
    for axis in swept:
        message = message.replace(f"{axis.path}=", f"{axis.title} ")
    if problem.path in ("seeds", *(axis.path for axis in swept)):
        return _sentence(message).replace("got null", "the field is empty")
    return _sentence(problem_in_words(Problem(problem.path, message)))


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _start(before: Sweep | None) -> dict[str, list[Scalar]]:
    """Axes of the last sweep by name with their values, if the page offers both."""
    swept = before.grid if before else {}
    found = {name_of(path, values): list(values) for path, values in swept.items()}
    chosen = {name: values for name, values in found.items() if name}
    return chosen if len(chosen) == 2 else {}


def _axis(workspace: Workspace, title: str, found: dict[str, Axis], wanted: str, place: int) -> str:
    """Draw the list of axes; returns the chosen one's name."""
    names = list(found)
    field = kept(workspace, f"sweep axis {place}", wanted, into="index")
    field["index"] = names.index(field["index"]) if field["index"] in names else 0
    titles = {name: axis.titled([workspace.draft.base]) for name, axis in found.items()}
    return str(st.selectbox(title, names, format_func=titles.__getitem__, **field))


def _values(workspace: Workspace, axis: Axis, name: str, begun: list[Scalar]) -> list[Scalar]:
    """Draw the values of an axis; returns them, or raises InvalidExperiment."""
    title, place = axis.titled([workspace.draft.base]), f"sweep values {name}"
    title = title[0].upper() + title[1:]
    if axis.words is None:
        words = ", ".join(f"{value:g}" if isinstance(value, int | float) else str(value) for value in begun)
        return read_values(st.text_input(title, help=MANY, **kept(workspace, place, words)))
    field = kept(workspace, place, begun, into="default")
    field["default"] = [value for value in field["default"] if value in axis.words]
    labels = axis.words.__getitem__
    return list(st.pills(title, list(axis.words), selection_mode="multi", format_func=labels, **field))
