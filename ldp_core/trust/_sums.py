"""What the trusts `secure_sum` and `central` share: noise in the sum, solved from each client's ε for the
whole run; and what an attacker has of a client in a sum whose other members' values are known.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ldp_core.composition.backwards import largest
from ldp_core.composition.spending import DELTA, Spending
from ldp_core.composition.sums import sampled_epsilon
from ldp_core.errors import Problem
from ldp_core.fields import Number
from ldp_core.limits import NORM
from ldp_core.mechanisms.base import Floats, Mechanism
from ldp_core.mechanisms.shared.gaussian_privacy import mu_of
from ldp_core.trust._noise import SumNoise
from ldp_core.trust._prices import Row, Sums
from ldp_core.trust.base import Against, Trust, common_problems, heard


class Facts(NamedTuple):
    """What the noise in a sum is computed from."""

    budgets: tuple[float, ...]
    """Distinct budgets, ascending …"""
    counts: tuple[int, ...]
    """… and number of clients of each in a round's sum."""
    reach: float
    """Half the largest distance of two uploads of one client, or of two that differ in one record."""
    heard: int
    """Number of participants of a round."""
    uses: int
    size: int


class SumTrust(Trust):
    own_noise: ClassVar[bool] = True

    norm: Annotated[float | None, Number(NORM, optional=True)] = Field(
        None, description="length that uploads are shortened to, instead of the range of each weight"
    )

    @abstractmethod
    def plan(self, experiment: Any) -> tuple[Row, ...]:
        """Noise for each budget, ascending by budget."""

    def attacked(self) -> Trust:
        return Known(of=self)

    def facts(self, experiment: Any) -> Facts:
        low, high = experiment.clients.bounds()
        size, radius, in_round = experiment.uploaded, self.radius(experiment), heard(experiment) or 1
        reach = radius if radius is not None else math.sqrt(size) * float(high[0] - low[0]) / 2
        reach = experiment.reach or reach
        values, counts = np.unique(experiment.clients.budgets(), return_counts=True)
        each = tuple(counts.tolist()) if len(values) > 1 else (in_round,)
        return Facts(tuple(values.tolist()), each, reach, in_round, experiment.most_uploads, size)

    def radius(self, experiment: Any) -> float | None:
        """Length that longer uploads are scaled down to; None where each weight is clipped to its range."""
        if experiment.reach:  # an upload of all records at once, which is never shortened
            return float(experiment.reach * experiment.source.train_size)
        norm: float | None = self.norm or getattr(experiment.mechanism, "norm", None)
        return norm

    def problems(self, experiment: Any) -> Iterator[Problem]:
        yield from common_problems(self, experiment)
        name = self.label
        if experiment.clients.epsilon_scope != "run":
            message = (
                f"must be run with {name}, whose noise is made for a whole run; got "
                f"{experiment.clients.epsilon_scope}"
            )
            yield Problem("clients.epsilon_scope", message)
        if experiment.aggregator.name == "sign_majority":
            message = f"must take a mean with {name}, which sums values and counts no votes; choose mean"
            yield Problem("aggregator", message)
        low, high = experiment.clients.bounds()
        if self.radius(experiment) is None and (np.ptp(low) or np.ptp(high)):
            message = (
                f"must be the same for all clients with {name}, as a sum has one noise; give one "
                "range, or trust.norm"
            )
            yield Problem("clients.range", message)
        unequal, selection = len(np.unique(experiment.clients.budgets())) > 1, experiment.selection.name
        if self.splits and unequal and selection != "all":
            message = (
                f"must be all with {name} with unequal budgets, each of which needs a known "
                f"number of clients in a round; got {selection}"
            )
            yield Problem("selection", message)

    def sums(self, experiment: Any) -> tuple[NDArray[np.int64], Floats]:
        budgets, places = np.unique(experiment.clients.budgets(), return_inverse=True)
        chances = {row.epsilon: row.chance for row in self.plan(experiment)}
        own = np.array([chances.get(one, 1.0) for one in budgets.tolist()])
        return places * self.apart, own[places]

    @property
    def apart(self) -> bool:
        """Whether each budget has a sum of its own."""
        return False

    @property
    def splits(self) -> bool:
        """Whether the number of participants with each of unequal budgets must be known in every round."""
        return True

    def made(self, mechanism: Mechanism, experiment: Any) -> Mechanism:
        rows, ball = self.plan(experiment), self.radius(experiment) is not None
        shares = tuple((row.epsilon, row.share) for row in rows)
        made = SumNoise(shares=shares, grid=rows[0].grid, ball=ball, dimension=experiment.uploaded)
        return made.model_copy(update={"reach": experiment.reach}) if experiment.reach else made

    def ranges(self, experiment: Any, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        if (radius := self.radius(experiment)) is not None:
            low, high = np.full_like(low, -radius), np.full_like(high, radius)
        return low, high

    def per_use(self, experiment: Any, asked: Floats, low: Floats, high: Floats) -> Floats:
        return asked

    def prices(self, experiment: Any) -> Spending:
        rows = {row.epsilon: row for row in self.plan(experiment)}
        return Sums(experiment.releases, rows, experiment.uploaded, self.radius(experiment) is None)


class Known(Trust):
    """Trust for attacks on a sum, whose attacker knows all values in the sum but one client's: that client's
    upload then has all the noise that ε relies on. If participants are drawn, it is one of them.
    """

    of: SumTrust

    own_noise: ClassVar[bool] = True
    against: ClassVar[Against] = "sum"

    @property
    def helps(self) -> tuple[str, ...]:
        return ("the values of all other clients in the sum, and that this one is in it",)

    def sums(self, experiment: Any) -> tuple[NDArray[np.int64], Floats]:
        return self.of.sums(experiment)

    def measures(self, experiment: Any) -> bool:
        return all(row.chance == 1 for row in self.of.plan(experiment))

    def made(self, mechanism: Mechanism, experiment: Any) -> Mechanism:
        made, rows = self.of.made(mechanism, experiment), self.of.plan(experiment)
        shares = tuple((row.epsilon, row.added) for row in rows)
        return made.model_copy(update={"shares": shares, "grid": 0.0, "apart": True})

    def ranges(self, experiment: Any, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        low, high = SumTrust.ranges(self.of, experiment, low, high)
        reach = {row.epsilon: row.reach for row in self.of.plan(experiment)}
        budgets = self.of.per_use(experiment, experiment.clients.budgets(), low, high).tolist()
        share = np.array([reach[one] for one in budgets]) / self.of.facts(experiment).reach
        return around(low, high, share)

    def per_use(self, experiment: Any, asked: Floats, low: Floats, high: Floats) -> Floats:
        return self.of.per_use(experiment, asked, low, high)

    def prices(self, experiment: Any) -> Spending:
        return self.of.prices(experiment)


def around(low: Floats, high: Floats, share: Floats) -> tuple[Floats, Floats]:
    """Ranges of the same centres, so many times as wide."""
    centre, half = (low + high) / 2, (high - low) / 2
    return centre - half * share, centre + half * share


BELOW = 1 - 1e-6
"""Factor on a solved distance that keeps ε below the budget despite rounding."""


@lru_cache(maxsize=1024)
def distance(epsilon: float, chance: float, replaced: bool, uses: int) -> float:
    """Largest μ (distance of a client's two worst values over the noise's standard deviation) of one sum with
    which `uses` sums cost at most `epsilon` at the ledger's δ; `chance` and `replaced` as in `sampled_delta`.
    """
    everybody = float(mu_of(epsilon, DELTA)) / math.sqrt(uses) * BELOW
    if chance == 1:
        return everybody
    return largest(lambda mu: sampled_epsilon(mu, chance, replaced, uses, DELTA), epsilon, everybody)
