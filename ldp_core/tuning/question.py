"""The request for the least ε: a target accuracy, ranges to try, a limit on run ε."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from ldp_core.accounting import epsilon_for, run_budget
from ldp_core.errors import InvalidExperiment, InvalidInput, Problem, shown
from ldp_core.experiment import Experiment, changed, parse, plan
from ldp_core.experiment.reading import unknown
from ldp_core.fields import is_number
from ldp_core.limits import EPSILON, HALF_WIDTH, Limit, number

FIELDS = ("base", "accuracy", "ranges", "run_budget", "precision", "seeds", "fits")
RANGES = {"weights": (0.25, 0.5, 1.0, 2.0), "update": (0.02, 0.05, 0.1, 0.2), "class_means": (1.0,)}
"""Default half-widths by target."""
CLEAN: Mapping[str, Any] = {
    "mechanism": {"name": "none"},
    "aggregator.name": "mean",
    "trust": {"kind": "local"},
    "clients.epsilon_scope": "mechanism",
}
WHOLE: Mapping[str, Any] = {"unit": "client", "local": {"epochs": 1, "batch_size": 10, "learning_rate": 0.5}}
"""What training without noise has besides, where a design shortens each record's gradient."""
MOST_RANGES = 8
PRECISION = Limit(1.02, 2.0, 1.2)
SEEDS = Limit(3, 20, 8, "seeds")
MOST_SEEDS = 100
"""More than the seeds of any run of a search."""


@dataclass(frozen=True)
class Question:
    """The request for the least ε, equal for all clients, and the range that reach an accuracy."""

    base: Experiment
    accuracy: float
    """Target accuracy in the last round on held-out samples, in (0, 1)."""
    ranges: tuple[float, ...]
    """Half-widths to choose from; one, without effect, for a mechanism without ranges."""
    run_budget: float | None = None
    """Limit on the worst-case ε of a client's whole run; None for no limit."""
    precision: float = PRECISION.default
    """Largest final ratio between the least ε that meets the target and the largest that does not."""
    seeds: int = int(SEEDS.default)
    fits: bool = False
    """Whether ranges and learning rate are found first (`ldp_core.tuning.fits`), whatever the ranges."""

    epsilon = None
    confirmed = True

    @property
    def fresh(self) -> int:
        return 2 * self.seeds

    @property
    def questions(self) -> "list[Question]":
        return [self]

    @cached_property
    def steps(self) -> tuple[float, ...]:
        """Values of ε down from the largest allowed, each smaller by the precision."""
        most = max(map(self.most, self.ranges))
        many = 1 + max(0, int(math.log(most / LOWEST, self.precision)))
        return tuple(sorted({most, *(rounded(most / self.precision**k) for k in range(1, many))}))

    def designs(self, epsilon: float) -> tuple[Experiment, ...]:
        """The base with each range."""
        return _designs(self, epsilon)

    def allowed(self, design: int, epsilon: float) -> float:
        return min(epsilon, self.most(self.ranges[design]))

    def is_dear(self, design: Experiment) -> bool:
        return True

    def called(self, half: float, before: str = "") -> str:
        """A range in words, after some; "" for a mechanism without ranges."""
        return f"{before}±{number(half, 6)}" if plan(self.base).randomiser.region == "box" else ""

    def experiment(self, half: float, epsilon: float, seed: int = 0) -> Experiment:
        fields = {"clients.range": half, "clients.epsilon": epsilon, "attack": None}
        return changed(self.base, fields | {"seed": self.base.seed + seed})

    def most(self, half: float) -> float:
        """Largest ε that the run's budget allows for a range, to three digits. Raises InvalidInput: even the
        smallest ε exceeds it.
        """
        return self._affordable[half]

    @cached_property
    def _affordable(self) -> dict[float, float]:
        return {half: self._at_price(half) for half in self.ranges}

    def _at_price(self, half: float) -> float:
        at_half = changed(self.base, {"clients.range": half})
        if self.run_budget is None:
            return EPSILON.maximum
        if run_budget(plan(changed(at_half, {"clients.epsilon": EPSILON.maximum}))) <= self.run_budget:
            return EPSILON.maximum
        found = epsilon_for(at_half, self.run_budget)
        step = 10.0 ** (math.floor(math.log10(found)) - 2)
        return rounded(math.floor(found / step) * step)  # rounded up, it would cost more

    def as_json(self) -> dict[str, Any]:
        """JSON values, the inverse of `parse_question`."""
        own = {name: getattr(self, name) for name in FIELDS if name not in ("base", "ranges")}
        return {"base": self.base.as_json(), **own, "ranges": list(self.ranges)}


def parse_question(data: Any) -> Question:
    if not isinstance(data, Mapping):
        raise InvalidExperiment.at("", f"a question must be a JSON object; got {shown(data)}")
    problems = unknown(data, "question", (*FIELDS, "effort", "identification"))  # once
    base = parse(data.get("base", {}))
    if plan(base).randomiser.role == "identity":
        message = "adds no noise, so any ε would do; choose one that does"
        problems.append(Problem("mechanism", message))
    accuracy: Any = data.get("accuracy")
    if not is_number(accuracy) or not 0 < accuracy < 1:
        message = f"must be a number between 0 and 1, both excluded, like 0.85; got {shown(accuracy)}"
        problems.append(Problem("accuracy", message))
    ranges = data.get("ranges") or list(RANGES[base.target])
    if not isinstance(ranges, list | tuple) or not all(is_number(r) and HALF_WIDTH.allows(r) for r in ranges):
        message = f"must be half-widths {HALF_WIDTH}, like [0.5, 1]; got {shown(ranges)}"
        problems.append(Problem("ranges", message))
    elif len(ranges) > MOST_RANGES or len(set(ranges)) < len(ranges):
        message = f"must be {MOST_RANGES} different half-widths at most; got {shown(ranges)}"
        problems.append(Problem("ranges", message))
    budget: Any = data.get("run_budget")
    if budget is not None and not (is_number(budget) and 0 < budget < math.inf):
        problems.append(Problem("run_budget", f"must be an ε above 0, or null; got {shown(budget)}"))
    precision, seeds = data.get("precision", PRECISION.default), data.get("seeds", int(SEEDS.default))
    if not is_number(precision) or not PRECISION.allows(precision):
        problems.append(Problem("precision", f"must be a factor {PRECISION}; got {shown(precision)}"))
    if not isinstance(seeds, int) or isinstance(seeds, bool) or not SEEDS.allows(seeds):
        problems.append(Problem("seeds", f"must be a whole number {SEEDS}; got {shown(seeds)}"))
    fits = data.get("fits", False)
    if not isinstance(fits, bool):
        problems.append(Problem("fits", f"must be true or false; got {shown(fits)}"))
    if problems:
        raise InvalidExperiment(problems)
    halves = tuple(float(half) for half in sorted(ranges))
    halves = halves if plan(base).randomiser.region == "box" else halves[:1]  # they would be equal designs
    price = None if budget is None else float(budget)
    found = Question(base, float(accuracy), halves, price, float(precision), seeds, fits)
    try:
        for half in found.ranges:  # each of them can run
            plain(found.experiment(half, min(1.0, found.most(half)), MOST_SEEDS))
    except InvalidExperiment:
        raise
    except InvalidInput as error:
        raise InvalidExperiment.at("run_budget", str(error)) from None
    return found


@lru_cache(maxsize=1024)
def _designs(question: Question, epsilon: float) -> tuple[Experiment, ...]:
    ranges = enumerate(question.ranges)
    return tuple(question.experiment(half, question.allowed(i, epsilon)) for i, half in ranges)


def rounded(epsilon: float) -> float:
    """ε to three digits, the same after JSON."""
    return float(f"{epsilon:.3g}")


LOWEST = max(EPSILON.minimum, 0.01)
"""Least ε that is searched."""


def plain(experiment: Experiment) -> Experiment:
    """The experiment without noise."""
    return changed(experiment, {**CLEAN, **(WHOLE if experiment.unit == "record" else {})})
