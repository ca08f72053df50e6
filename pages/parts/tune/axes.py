"""Fields that can be swept, each with title and initial values, and what is wrong with typed ones."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeGuard

from ldp_core import aggregators, mechanisms, trust
from ldp_core.errors import InvalidExperiment, shown
from ldp_core.experiment import EPSILON_MODES, Experiment, changed
from ldp_core.experiment.modes import STRICT_SHARES
from ldp_core.experiment.sweep import Scalar
from pages.parts.ui.meanings import problem_in_words
from pages.parts.ui.text import covered, listed, number

GOT = "; got "
NOT_HERE = ", or a list of them, or a mode by name"
"""Part of the message on a client's field that does not apply to a single value."""
MOST = 6
"""Largest number of values listed for one error."""


@dataclass(frozen=True)
class Axis:
    path: str
    title: str
    grid: Callable[[Experiment], list[Scalar]]
    """Function from a base experiment to initial values."""
    words: Mapping[str, str] | None = None
    """Labels of the field's names; None if it takes numbers."""

    def titled(self, made: Iterable[Experiment]) -> str:
        """Title with what a budget covers in these experiments."""
        return self.title.replace("ε,", f"ε{' or'.join(dict.fromkeys(map(covered, made)))},")

    def says(self, value: Scalar) -> str:
        if isinstance(value, str):
            return (self.words or {}).get(value, value)
        return number(value, 4) if isinstance(value, int | float) else str(value)


def _ranges(base: Experiment) -> list[Scalar]:
    """Initial safe ranges; a tenth as large for changes as for weights."""
    return [0.02, 0.05, 0.1, 0.2, 0.5] if base.target == "update" else [0.1, 0.25, 0.5, 1.0, 2.0]


def _trusts(base: Experiment) -> list[Scalar]:
    """Trusts that the base can have: sums only where ε is of a whole run."""
    found = list[Scalar]()
    for name in trust.registry.labels():
        with suppress(InvalidExperiment):
            found.append(changed(base, {"trust.kind": name}).trust.name)
    return found


def axes() -> dict[str, Axis]:
    """Axes by name, where values may be numbers or names of one field."""
    hiding = {name: words for name, words in mechanisms.registry.labels().items() if mechanisms.hides(name)}
    sent = {"weights": "weights", "update": "changes"}
    strict = {f"strict_{share}": EPSILON_MODES[f"strict_{share}"].label for share in STRICT_SHARES}
    return {
        "epsilon": Axis("clients.epsilon", "budget ε, the same for all", lambda _: [0.5, 1, 2, 4, 8]),
        "range": Axis("clients.range", "safe range ±τ", _ranges),
        "clip": Axis("local.clip", "length of a record’s gradient", lambda _: [0.25, 0.5, 1.0, 2.0, 4.0]),
        "mechanism": Axis("mechanism.name", "mechanism", lambda _: ["piecewise", "duchi", "laplace"], hiding),
        "aggregator": Axis(
            "aggregator.name",
            "aggregator",
            lambda _: ["mean", "inverse_std", "inverse_variance"],
            aggregators.registry.labels(),
        ),
        "trust": Axis("trust.kind", "whom clients trust", _trusts, trust.registry.labels()),
        "strict": Axis("clients.epsilon", "share of strict clients", lambda _: list(strict), strict),
        "count": Axis("clients.count", "number of clients", lambda _: [5, 10, 20, 30]),
        "target": Axis("target", "what is sent", lambda _: list(sent), sent),
        "rounds": Axis("rounds", "rounds", lambda _: [5, 10, 15, 30]),
        "rate": Axis("local.learning_rate", "learning rate", lambda _: [0.1, 0.2, 0.5, 1.0]),
    }


def offered(base: Experiment) -> dict[str, Axis]:
    """Axes that have an effect: a record's gradient has a length, a client's upload a safe range."""
    idle = "range" if base.unit == "record" else "clip"
    return {name: axis for name, axis in axes().items() if name != idle}


def name_of(path: str, values: Sequence[Scalar]) -> str | None:
    """Name of the axis for a sweep's field with such values; None if the page does not offer it."""
    named = any(isinstance(value, str) for value in values)
    found = axes().items()
    return next((name for name, one in found if one.path == path and (one.words is not None) == named), None)


def axis_of(path: str, values: Sequence[Scalar]) -> Axis:
    """Axis of a sweep's field; a generic one for a field that the page does not offer."""
    name = name_of(path, values)
    return axes()[name] if name else Axis(path, path.replace(".", " "), lambda _: list(values))


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
