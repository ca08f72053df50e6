"""What the trusts `secure_sum` and `central` share: noise in the sum, solved from each client's ε for the
whole run; and what an attacker has of a client in a sum whose other members' values are known.

In a simulation, the noise of all clients with equal budgets is drawn at once and added to the upload of the
first of them: only the sum is seen.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from ldp_core.composition.backwards import largest
from ldp_core.composition.spending import DELTA, Spending
from ldp_core.composition.sums import sampled_epsilon
from ldp_core.errors import Problem
from ldp_core.fields import Number
from ldp_core.limits import NORM
from ldp_core.mechanisms.base import Floating, Floats, Region, Scope
from ldp_core.mechanisms.shared.ball import lengths
from ldp_core.mechanisms.shared.gaussian_noise import GaussianLaw, GaussianNoise
from ldp_core.mechanisms.shared.gaussian_privacy import mu_of
from ldp_core.trust._prices import NoiseInSum, Sums
from ldp_core.trust.base import Against, Population, Terms, Trust, common_problems


class SumLaw(GaussianLaw):
    def perturb(self, values: NDArray[Any], generator: np.random.Generator) -> NDArray[Any]:
        own: Any = self.mechanism
        data: Floats = own.clip(values.astype(np.float64), self.low, self.high)
        if own.apart:
            return (data + self.sigma * generator.standard_normal(data.shape)).astype(values.dtype)
        if own.grid:  # the public offset of the grid makes its error independent of the values
            offset = generator.random(data.shape) - 0.5
            data = (np.round(data / own.grid + offset) - offset) * own.grid
        budgets = np.broadcast_to(self.epsilon, (*data.shape[:-1], 1)).reshape(-1)
        flat = data.reshape(-1, data.shape[-1])
        for budget in np.unique(budgets):
            rows = np.flatnonzero(budgets == budget)
            sigma = float(own.sigma_of(np.array(budget), np.zeros(())))
            variance = len(rows) * (sigma**2 - own.grid**2 / 12)
            if own.grid:
                counts = generator.poisson(variance / own.grid**2 / 2, (2, data.shape[-1]))
                flat[rows[0]] += (counts[0] - counts[1]) * own.grid
            else:
                flat[rows[0]] += generator.normal(0.0, np.sqrt(variance), data.shape[-1])
        return flat.reshape(data.shape).astype(values.dtype)

    @property
    def sensitivity(self) -> Floats:
        own: Any = self.mechanism
        width = self.high - self.low
        if own.reach:
            return np.full(width.shape, 2 * own.reach)
        return width if own.ball else width * np.sqrt(own.dimension or 1)


class SumNoise(GaussianNoise):
    """The mechanism where noise is added to the sum; its ε is a client's budget for the whole run."""

    summary = "Noise is added to the sum of all uploads; its law follows from whom clients trust."
    law = SumLaw

    shares: tuple[tuple[float, float], ...]
    """Pairs of ε and the standard deviation of a client's share of the noise, each ε once."""
    grid: float = 0.0
    """Step of the grid that values are rounded to, for Skellam noise; 0 for Gaussian noise."""
    apart: bool = False
    """Whether each upload has noise of its own: what is left of a sum whose other members are known."""
    ball: bool = False
    """Whether uploads are scaled to the range's upper end as norm, instead of clipped weight by weight."""

    @property
    def label(self) -> str:  # type: ignore[override]
        return f"{'Skellam' if self.grid else 'Gaussian'} noise in the sum"

    @property
    def scope(self) -> Scope:
        return "upload"

    @property
    def region(self) -> Region:
        return "ball" if self.ball else "box"

    def sigma_of(self, epsilon: Floats, sensitivity: Floats) -> Floats:
        budgets, places = np.unique(epsilon, return_inverse=True)
        known = np.array(self.shares)
        nearest = known[np.abs(np.log(known[:, 0]) - np.log(budgets)[:, None]).argmin(axis=1)]
        # for a budget that no client has, the noise of the nearest one, as Gaussian noise grows
        more = mu_of(nearest[:, 0], self.delta_) / mu_of(budgets, self.delta_)
        share = nearest[:, 1] * np.where(budgets == nearest[:, 0], 1.0, more)
        found = np.hypot(share, self.grid / np.sqrt(12))
        return found[places].reshape(np.shape(epsilon)) + np.zeros_like(sensitivity)

    def clip(self, values: Floating, low: ArrayLike, high: ArrayLike) -> Floating:
        if self.ball:
            length = lengths(values.astype(np.float64))[..., None]
            clipped = values * np.minimum(1.0, high / np.maximum(length, 1e-300))
        else:
            clipped = np.clip(values, low, high)
        return clipped.astype(values.dtype)


SumNoise.name = "sum"


class SumFacts(NamedTuple):
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
    def rows_of(self, terms: Terms) -> tuple[NoiseInSum, ...]:
        """Noise for each budget, ascending by budget; `terms` as asked."""

    def attacked(self) -> Trust:
        return OthersKnown(of=self)

    def facts(self, terms: Terms) -> SumFacts:
        people, radius, in_round = terms.people, self.radius(terms), terms.heard or 1
        reach = math.sqrt(terms.size) * float(people.high[0] - people.low[0]) / 2
        reach = terms.reach or (reach if radius is None else radius)
        values, counts = np.unique(people.epsilon, return_counts=True)
        each = tuple(counts.tolist()) if len(values) > 1 else (in_round,)
        return SumFacts(tuple(values.tolist()), each, reach, in_round, terms.uploads, terms.size)

    def radius(self, terms: Terms) -> float | None:
        """Length that longer uploads are scaled down to; None where each weight is clipped to its range."""
        if terms.reach:  # an upload of all records at once, which is never shortened
            return float(terms.reach * terms.samples)
        norm: float | None = self.norm or getattr(terms.public.mechanism, "norm", None)
        return norm

    def problems(self, terms: Terms) -> Iterator[Problem]:
        yield from common_problems(self, terms)
        name, people = self.label, terms.people
        if terms.scope != "run":
            message = f"must be run with {name}, whose noise is made for a whole run; got {terms.scope}"
            yield Problem("clients.epsilon_scope", message)
        if terms.aggregator.name == "sign_majority":
            message = f"must take a mean with {name}, which sums values and counts no votes; choose mean"
            yield Problem("aggregator", message)
        if self.radius(terms) is None and (np.ptp(people.low) or np.ptp(people.high)):
            message = (
                f"must be the same for all clients with {name}, as a sum has one noise; give one "
                "range, or trust.norm"
            )
            yield Problem("clients.range", message)
        unequal, selection = len(np.unique(people.epsilon)) > 1, terms.selection.name
        if self.splits and unequal and selection != "all":
            message = (
                f"must be all with {name} with unequal budgets, each of which needs a known "
                f"number of clients in a round; got {selection}"
            )
            yield Problem("selection", message)

    def agreed(self, terms: Terms) -> Terms:
        asked, rows = terms.people, self.rows_of(terms)
        made = SumNoise(
            shares=tuple((row.epsilon, row.share) for row in rows),
            grid=rows[0].grid,
            ball=self.radius(terms) is not None,
            dimension=terms.size,
        )
        if terms.reach:
            made = made.model_copy(update={"reach": terms.reach})
        epsilon = self.per_use(terms, asked.epsilon, asked.low, asked.high)
        people = Population(epsilon, *self.ranges(terms, rows))
        return replace(terms, mechanism=made, people=people, rows=rows)

    def ranges(self, terms: Terms, rows: tuple[NoiseInSum, ...]) -> tuple[Floats, Floats]:
        """Lower and upper ends of the safe ranges of all K clients, (K,) each."""
        low, high = terms.people.low, terms.people.high
        if (radius := self.radius(terms)) is not None:
            low, high = np.full_like(low, -radius), np.full_like(high, radius)
        return low, high

    def per_use(self, terms: Terms, asked: Floats, low: Floats, high: Floats) -> Floats:
        return asked

    def sums(self, terms: Terms) -> tuple[NDArray[np.int64], Floats]:
        budgets, places = np.unique(terms.people.epsilon, return_inverse=True)
        chances = {row.epsilon: row.chance for row in terms.rows}
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

    def prices(self, terms: Terms) -> Spending:
        rows = {row.epsilon: row for row in terms.rows}
        return Sums(terms.releases, rows, terms.size, self.radius(terms) is None)


class OthersKnown(Trust):
    """Trust for attacks on a sum, whose attacker knows all values in the sum but one client's: that client's
    upload then has all the noise that ε relies on. If participants are drawn, it is one of them.
    """

    of: SumTrust

    own_noise: ClassVar[bool] = True
    against: ClassVar[Against] = "sum"

    @property
    def helps(self) -> tuple[str, ...]:
        return ("the values of all other clients in the sum, and that this one is in it",)

    def sums(self, terms: Terms) -> tuple[NDArray[np.int64], Floats]:
        return self.of.sums(terms)

    def measures(self, terms: Terms) -> bool:
        return all(row.chance == 1 for row in terms.rows)

    def agreed(self, terms: Terms) -> Terms:
        agreed = self.of.agreed(terms)
        shares = tuple((row.epsilon, row.added) for row in agreed.rows)
        made = agreed.mechanism.model_copy(update={"shares": shares, "grid": 0.0, "apart": True})
        reach, epsilon = {row.epsilon: row.reach for row in agreed.rows}, agreed.people.epsilon
        share = np.array([reach[one] for one in epsilon.tolist()]) / self.of.facts(terms).reach
        ends = around(*SumTrust.ranges(self.of, terms, agreed.rows), share)
        return replace(agreed, mechanism=made, people=Population(epsilon, *ends))

    def per_use(self, terms: Terms, asked: Floats, low: Floats, high: Floats) -> Floats:
        return self.of.per_use(terms, asked, low, high)

    def prices(self, terms: Terms) -> Spending:
        return self.of.prices(terms)


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
