"""Fields that can be swept, each with title and initial values."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ldp_core import aggregators, mechanisms, trust
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import EPSILON_MODES, Experiment, changed
from ldp_core.experiment.modes import STRICT_SHARES
from ldp_core.experiment.sweep import Scalar
from pages.parts.ui.text import covered, number


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


def name_of(path: str, values: Sequence[Scalar]) -> str | None:
    """Name of the axis for a sweep's field with such values; None if the page does not offer it."""
    named = any(isinstance(value, str) for value in values)
    found = axes().items()
    return next((name for name, one in found if one.path == path and (one.words is not None) == named), None)


def axis_of(path: str, values: Sequence[Scalar]) -> Axis:
    """Axis of a sweep's field; a generic one for a field that the page does not offer."""
    name = name_of(path, values)
    return axes()[name] if name else Axis(path, path.replace(".", " "), lambda _: list(values))
