"""What is asked for: an accuracy at least, from which ranges, at which price at most."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ldp_core.accounting import epsilon_for, run_budget
from ldp_core.errors import InvalidExperiment, InvalidInput, Problem, hint, shown
from ldp_core.experiment import Experiment, changed, parse
from ldp_core.experiment.attack_grid import Ladder, parse_ladder
from ldp_core.limits import CANDIDATES, EPSILON, HALF_WIDTH, LADDER_IMAGES, Limit

FIELDS = ("base", "accuracy", "ranges", "run_budget", "identification", "precision", "seeds")
RANGES = {"weights": (0.25, 0.5, 1.0, 2.0), "update": (0.02, 0.05, 0.1, 0.2)}
"""Half-widths that are tried where none are named."""
MOST_RANGES = 8
HIGHEST = 64.0
"""An ε above which nothing is looked for: no mechanism here gains much by more."""
ATTACKED = 200
"""Uploads that are made to see what leaks, so that a share is good to some 6 points …"""
IMAGES = int(LADDER_IMAGES.maximum)
"""… of one client at most …"""
MOST_ATTACKED = 8
"""… and of so many clients at most: where each has few images, there are fewer."""
GUESSING = 1 / CANDIDATES.default
PRECISION = Limit(1.02, 2.0, 1.2)
SEEDS = Limit(3, 20, 8, "seeds")


@dataclass(frozen=True)
class Question:
    """The smallest ε, the same for all clients, and the range, with which runs reach an accuracy."""

    base: Experiment
    accuracy: float
    """Of the last round, on held-out samples, in (0, 1)."""
    ranges: tuple[float, ...]
    """Half-widths to choose among."""
    run_budget: float | None = None
    """The ε that a whole run may cost a client, at worst; None for any."""
    identification: float | None = None
    """The share of uploads, made of one image each, of which an attacker may pick the right one among ten;
    None for any."""
    precision: float = PRECISION.default
    """The search stops where the least ε that does is at most so many times the largest that does not."""
    seeds: int = int(SEEDS.default)
    caps: tuple[tuple[float, float], ...] = ()
    """Ranges with the largest ε that was found to leak no more than is allowed; the others are bounded by the
    price of a run alone. Found on the way, and no part of what is asked."""

    def experiment(self, half: float, epsilon: float | None, seed: int) -> Experiment:
        """One run of the search; without noise and weights by noise where there is no ε."""
        fields: dict[str, Any] = {"clients.range": half, "seed": self.base.seed + seed, "attack": None}
        clean = {"mechanism.name": "none", "aggregator.name": "mean"}
        return changed(self.base, fields | (clean if epsilon is None else {"clients.epsilon": epsilon}))

    def most(self, half: float) -> float:
        """The largest ε that may be answered with a range, to three digits.

        Raises:
            InvalidInput: the run's budget is below what the smallest ε costs.
        """
        return min(self._affordable[half], dict(self.caps).get(half, HIGHEST))

    @cached_property
    def _affordable(self) -> dict[float, float]:
        """What the price of a run allows, by ranges."""
        return {half: self._at_price(half) for half in self.ranges}

    def _at_price(self, half: float) -> float:
        at_half = changed(self.base, {"clients.range": half})
        if self.run_budget is None:
            return HIGHEST
        if run_budget(changed(at_half, {"clients.epsilon": HIGHEST})) <= self.run_budget:
            return HIGHEST
        found = epsilon_for(at_half, self.run_budget)
        step = 10.0 ** (math.floor(math.log10(found)) - 2)
        return rounded(math.floor(found / step) * step)  # rounded up, it would cost more

    @property
    def attacked(self) -> range:
        """The clients of whose images these uploads are made."""
        each = max(1, self.base.source.train_size // self.base.clients.count)
        return range(min(self.base.clients.count, MOST_ATTACKED, math.ceil(ATTACKED / min(each, IMAGES))))

    def ladder(self, half: float, epsilons: Sequence[float], client: int) -> Ladder:
        """The uploads of a range that an attacker is given, at so many budgets: a client's, in the first
        round, of one image each. Each client is of a run of its own, so that its noise is.

        Raises:
            InvalidExperiment: nobody can tell what leaks of such uploads.
        """
        base = changed(self.base, {"clients.range": half, "attack": None})
        asked = {"base": base, "mechanisms": [base.as_json()["mechanism"]], "images": IMAGES}
        own = {"client": client, "seed": base.seed + client}
        return parse_ladder({**asked, **own, "epsilons": list(epsilons)})

    def as_json(self) -> dict[str, Any]:
        """As JSON values; `parse_question` gives the same question back."""
        own = {name: getattr(self, name) for name in FIELDS if name not in ("base", "ranges", "caps")}
        return {"base": self.base.as_json(), **own, "ranges": list(self.ranges)}


def parse_question(data: Any) -> Question:
    """The question that a JSON object describes.

    Raises:
        InvalidExperiment: with everything that is wrong.
    """
    if not isinstance(data, Mapping):
        raise InvalidExperiment([Problem("", f"a question must be a JSON object; got {shown(data)}")])
    problems = [
        Problem(str(name), f"is not a field of a question{hint(name, FIELDS)}")
        for name in data
        if name not in FIELDS
    ]
    base = parse(data.get("base", {}))
    if base.randomiser.role == "identity":
        message = "adds no noise, so any ε would do; choose one that does"
        problems.append(Problem("mechanism", message))
    accuracy: Any = data.get("accuracy")
    if not _number(accuracy) or not 0 < accuracy < 1:
        message = f"must be a number between 0 and 1, both excluded, like 0.85; got {shown(accuracy)}"
        problems.append(Problem("accuracy", message))
    ranges = data.get("ranges") or list(RANGES[base.target])
    if not isinstance(ranges, list | tuple) or not all(_number(r) and HALF_WIDTH.allows(r) for r in ranges):
        message = f"must be half-widths {HALF_WIDTH}, like [0.5, 1]; got {shown(ranges)}"
        problems.append(Problem("ranges", message))
    elif len(ranges) > MOST_RANGES or len(set(ranges)) < len(ranges):
        message = f"must be {MOST_RANGES} different half-widths at most; got {shown(ranges)}"
        problems.append(Problem("ranges", message))
    budget: Any = data.get("run_budget")
    if budget is not None and not (_number(budget) and 0 < budget < math.inf):
        problems.append(Problem("run_budget", f"must be an ε above 0, or null; got {shown(budget)}"))
    identification: Any = data.get("identification")
    problems += _leak_problems(base, identification)
    precision, seeds = data.get("precision", PRECISION.default), data.get("seeds", int(SEEDS.default))
    if not _number(precision) or not PRECISION.allows(precision):
        problems.append(Problem("precision", f"must be a factor {PRECISION}; got {shown(precision)}"))
    if not isinstance(seeds, int) or isinstance(seeds, bool) or not SEEDS.allows(seeds):
        problems.append(Problem("seeds", f"must be a whole number {SEEDS}; got {shown(seeds)}"))
    if problems:
        raise InvalidExperiment(problems)
    halves = tuple(float(half) for half in sorted(ranges))
    price, share = (None if limit is None else float(limit) for limit in (budget, identification))
    found = Question(base, float(accuracy), halves, price, share, float(precision), seeds)
    try:
        for half in found.ranges:  # each of them can run
            found.experiment(half, min(1.0, found.most(half)), 0)
            if identification is not None:
                found.ladder(half, [1.0], found.attacked[-1])
            found.experiment(half, None, 3 * found.seeds - 1)
    except InvalidExperiment:
        raise
    except InvalidInput as error:
        raise InvalidExperiment([Problem("run_budget", str(error))]) from None
    return found


def _leak_problems(base: Experiment, share: Any) -> list[Problem]:
    """What is wrong with a limit on what an attacker picks."""
    if share is None:
        return []
    if not _number(share) or not GUESSING < share < 1:
        message = f"must be a share above {GUESSING:g}, which guessing among ten gives, and below 1, like 0.3"
        return [Problem("identification", f"{message}, or null; got {shown(share)}")]
    if base.clients.epsilon_scope == "upload":
        message = "is measured for an ε of the mechanism's own scope; set clients.epsilon_scope to mechanism"
        return [Problem("identification", message)]
    return []


def rounded(epsilon: float) -> float:
    """Three digits: as people write it, and the same after JSON."""
    return float(f"{epsilon:.3g}")


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


LOWEST = max(EPSILON.minimum, 0.01)
"""An ε below which nothing is looked for."""
