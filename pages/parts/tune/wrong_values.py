"""Errors of values in a list, joined to one sentence per kind."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from ldp_core.errors import InvalidExperiment, shown
from ldp_core.experiment import Experiment, changed
from ldp_core.experiment.sweep import Scalar
from pages.parts.tune.axes import Axis
from pages.parts.ui.meanings import problem_in_words
from pages.parts.ui.text import listed

GOT = "; got "
NOT_HERE = ", or a list of them, or a mode by name"
"""Part of the message on a client's field that does not apply to a single value."""
MOST = 6
"""Largest number of values listed for one error."""


def sentences(messages: Sequence[str]) -> list[str]:
    """Messages with equal beginnings joined, each once."""
    given: dict[str, list[str]] = {}
    for message in messages:
        what, _, got = message.replace(NOT_HERE, "").partition(GOT)
        got, _, _ = got.partition("; ")  # a hint that may follow would stand between what was given
        given.setdefault(what, []).extend([got] if got else [])
    return [f"{what[0].upper()}{what[1:]}{GOT + _few(got) if got else ''}." for what, got in given.items()]


def _few(given: Sequence[str]) -> str:
    named = list(dict.fromkeys(given))
    return listed(named if len(named) <= MOST else [*named[:MOST], f"{len(named) - MOST} more"])


def wrong_in(
    base: Experiment, axis: Axis, values: Sequence[Scalar], other: Axis, beside: Sequence[Scalar]
) -> list[str]:
    """Errors of an axis's parsed values that hold with each of the values `beside` of the other axis."""
    if len(values) < 2:
        got = axis.says(values[0]) if values else "none"
        return [f"Needs two values at least, or nothing is swept over{GOT}{got}."]
    usable = [value for value in beside if not _why(base, other, value, {})]
    found = []
    for value in values:
        why = _why(base, axis, value, {})
        if why and all(_why(base, axis, value, {other.path: one}) for one in usable):
            found.append(why)
    same = [(isinstance(value, bool), value) for value in values]  # 1 and 1.0 are one number, true is none
    twice = [axis.says(values[place]) for place, one in enumerate(same) if one in same[:place]]
    found += [f"must have each value once{GOT}{value} twice" for value in dict.fromkeys(twice)]
    return sentences(found)


def _why(base: Experiment, axis: Axis, value: Scalar, beside: Mapping[str, Scalar]) -> str:
    """Why a value is invalid; "" if it is valid."""
    if axis.words is None and not is_number(value):
        return f"takes numbers between commas{GOT}{shown(value)}"
    try:
        changed(base, {**beside, axis.path: value, "attack": None})
    except InvalidExperiment as error:
        first = error.problems[0]
        return first.message if first.path == axis.path else problem_in_words(first)
    return ""


def is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
