"""A secure sum: each client adds a share of discrete noise, and the server learns only the sum."""

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ldp_core.composition.backwards import largest
from ldp_core.composition.spending import DELTA
from ldp_core.composition.sums import skellam_epsilon
from ldp_core.errors import Problem
from ldp_core.fields import Choice, Number, Whole
from ldp_core.limits import BITS, COLLUDING, DROPOUT, at_most
from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared.gaussian_privacy import mu_of
from ldp_core.trust._prices import NoiseInSum
from ldp_core.trust._sums import SumFacts, SumTrust
from ldp_core.trust.base import Terms

UNEQUAL = ("group", "strictest")
FINE = 100.0
"""Distance of two uploads in units of √m grid steps, which bounds the cost of rounding."""
WRAPS = 1e-6
"""Largest probability that a sum of the run exceeds its modulus."""


class SecureSum(SumTrust):
    """Skellam noise in a secure sum, whose clients' shares add up to exactly such noise. The share `dropout`
    of the clients, drawn anew in each round, never answers; the noise of the others is enough for ε to hold.
    """

    label = "a secure sum"
    synonyms = ("secure sum", "a secure sum")
    order = 3
    summary = (
        "Each client rounds its values to a public grid, adds its share of the noise and hides both behind "
        "numbers that cancel in the sum: the server learns the sum alone."
    )
    formula = r"\sum_i\lfloor w_i/\gamma\rceil+\mathrm{Sk}(\sigma_i^2)\ \bmod 2^b"
    reference = "Bonawitz et al. 2017; Agarwal, Kairouz and Liu 2021 (Skellam)"
    against = "sum"
    sees = (
        "The server sees the sum of all clients' numbers, of each group of equal budgets where these differ."
    )
    breaks = (
        "A server that joins with more clients than are counted on: each takes its noise off the sum. A "
        "server that sends the others dead units has one upload alone in the sum: without noise it reads "
        "that; here all still add their noise, and ε holds."
    )

    dropout: Annotated[float, Number(DROPOUT)] = Field(
        DROPOUT.default, description="share of the clients that never answer, others in each round"
    )
    colluding: Annotated[int, Whole(COLLUDING)] = Field(
        int(COLLUDING.default), description="clients that may tell the server their part of the noise"
    )
    bits: Annotated[int, Whole(BITS)] = Field(int(BITS.default), description="bits of the modulus of the sum")
    unequal: Annotated[str, Choice(UNEQUAL)] = Field(
        "group", description="unequal budgets: a sum for each group of equal ones, or the strictest for all"
    )

    @property
    def splits(self) -> bool:
        return self.apart

    @property
    def apart(self) -> bool:
        return self.unequal == "group"

    def problems(self, terms: Terms) -> Iterator[Problem]:
        before = list(super().problems(terms))
        yield from before
        if before:
            return
        facts = self.facts(terms)
        fewest = min(facts.counts)
        if self.honest(fewest) < 1:
            message = (
                f"must leave a client that adds noise in each sum: of the {fewest} clients of the smallest, "
                f"{fewest - self.honest(fewest)} may not answer or tell; take fewer, or unequal strictest"
            )
            yield Problem("trust.colluding", message)
            return
        if (chance := self.wraps(terms, self.bits)) > WRAPS:
            need = next(
                (b for b in range(self.bits, int(BITS.maximum) + 1) if self.wraps(terms, b) <= WRAPS), 0
            )
            some = f"up to {at_most(chance, 2)}" if chance < 1 else "1"
            message = (
                f"must be at least {need or 'more'}: with {self.bits} bits a sum of {max(facts.counts)} "
                f"clients leaves its modulus, and means nothing, with probability {some}; got {self.bits}"
            )
            yield Problem("trust.bits", message)

    def honest(self, clients: int) -> int:
        """Number, of so many clients in a sum, whose noise ε relies on: who neither drop out nor collude."""
        return clients - math.ceil(self.dropout * clients - 1e-9) - self.colluding

    def answering(
        self, terms: Terms, clients: NDArray[np.int64], draw: np.random.Generator | None
    ) -> NDArray[np.bool_]:
        answers = np.ones(len(clients), dtype=bool)
        if not self.dropout:
            return answers
        groups = self.sums(terms)[0][clients]
        for group in np.unique(groups):
            own = np.flatnonzero(groups == group)
            order = own if draw is None else draw.permutation(own)
            answers[order[self.honest(len(own)) + self.colluding :]] = False
        return answers

    def wraps(self, terms: Terms, bits: int) -> float:
        """Upper bound on the probability that any sum of the run exceeds a modulus of so many bits."""
        facts, total, largest = self.facts(terms), 0.0, self.radius(terms)
        if largest is None:
            largest = max(float(np.abs(end).max()) for end in (terms.people.low, terms.people.high))
        for row, n in zip(self.rows_of(terms), facts.counts, strict=True):
            most = 1 if terms.reach else n  # all records together are in one upload, or in several
            room = 2.0 ** (bits - 1) - most * largest / row.grid - n
            if room <= 0:
                return 1.0
            variance = n * (row.share / row.grid) ** 2
            s = math.asinh(room / variance)
            log = variance * (math.cosh(s) - 1) - s * room
            total += 2 * facts.size * terms.rounds * math.exp(min(0.0, log))
        return min(1.0, total)

    def rows_of(self, terms: Terms) -> tuple[NoiseInSum, ...]:
        facts = self.facts(terms)
        return _rows(facts, tuple(self.honest(count) for count in facts.counts))

    def per_use(self, terms: Terms, asked: Floats, low: Floats, high: Floats) -> Floats:
        if self.unequal == "strictest":
            return np.full_like(asked, terms.people.epsilon.min())
        return asked

    def facts(self, terms: Terms) -> SumFacts:
        facts = super().facts(terms)
        if self.unequal == "strictest":
            return facts._replace(budgets=facts.budgets[:1], counts=(facts.heard,))
        return facts


@lru_cache(maxsize=256)
def _rows(facts: SumFacts, honest: tuple[int, ...]) -> tuple[NoiseInSum, ...]:
    reach, root, uses = facts.reach, math.sqrt(facts.size), facts.uses
    grid = 2.0 ** math.floor(math.log2(2 * reach / (FINE * root)))
    apart = 2 * reach / grid + root

    def cost(mu: float) -> float:
        return skellam_epsilon((apart / mu) ** 2, apart, apart * root, uses, DELTA)

    found = []
    for budget, adding in zip(facts.budgets, honest, strict=True):
        start = float(mu_of(budget, DELTA)) / math.sqrt(uses) / 2
        added = apart / largest(cost, budget, start) * grid
        found.append(NoiseInSum(budget, added / math.sqrt(max(1, adding)), added, reach, grid=grid))
    return tuple(found)
