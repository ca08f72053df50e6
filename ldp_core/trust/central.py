"""A trusted server sees all uploads and adds noise once, to their sum; everybody else sees only the model."""

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ldp_core.composition.backwards import largest
from ldp_core.composition.spending import DELTA
from ldp_core.composition.sums import sampled_epsilon
from ldp_core.errors import Problem
from ldp_core.fields import Choice
from ldp_core.mechanisms.base import Floats
from ldp_core.streams import stream
from ldp_core.trust._prices import NoiseInSum
from ldp_core.trust._sums import SumFacts, SumTrust, around, distance
from ldp_core.trust.base import Terms

RULES = ("sampling", "clipping")


class Central(SumTrust):
    label = "a server"
    synonyms = ("server", "a server")
    order = 4
    summary = (
        "The server sees all uploads as they are and adds noise once, to their sum. A smaller budget is kept "
        "by being in fewer sums, or by clipping more."
    )
    formula = r"\bar w=\frac1n\Big(\sum_i\operatorname{clip}(w_i)+\mathcal N(0,\sigma^2 I)\Big)"
    reference = "McMahan et al. 2018; Boenisch et al. 2023 (sampling and scaling by budget)"
    against = "model"
    sees = "The server sees everything; all others see the model only, not who took part in a round."
    breaks = "The server itself, and whoever can read its memory; and a list of who took part in which round."

    rule: Annotated[str, Choice(RULES)] = Field(
        "sampling", description="how smaller budgets are kept: by being in fewer sums, or by clipping more"
    )

    def problems(self, terms: Terms) -> Iterator[Problem]:
        yield from super().problems(terms)
        people = terms.people
        if terms.reach and np.ptp(people.epsilon):
            message = (
                "must be equal where a server adds the noise and ε is a record's: clipping an upload further "
                "would not move its records less; choose no_one or secure_sum"
            )
            yield Problem("clients.epsilon", message)
            return
        if self.rule == "sampling" and len(np.unique(people.epsilon)) > 1:
            boxed = self.radius(terms) is None and (people.low != -people.high).any()
            if terms.public.target == "weights" or boxed:
                message = (
                    "must be clipping where weights are sent, or ranges are not around 0: who is not drawn "
                    "would count as 0; or send updates"
                )
                yield Problem("trust.rule", message)

    @property
    def splits(self) -> bool:
        return self.rule == "sampling"

    def rows_of(self, terms: Terms) -> tuple[NoiseInSum, ...]:
        facts = self.facts(terms)
        # that a client may be absent is not counted for one of its records
        hidden = terms.selection.name == "fraction" and not terms.reach
        return _rows(self.rule, facts, facts.heard / terms.public.clients if hidden else 1.0)

    def ranges(self, terms: Terms, rows: tuple[NoiseInSum, ...]) -> tuple[Floats, Floats]:
        low, high = super().ranges(terms, rows)
        reach, budgets = self.facts(terms).reach, terms.people.epsilon
        more = _more(rows, budgets) if self.rule == "sampling" else 1.0
        _, places = np.unique(budgets, return_inverse=True)
        return around(low, high, np.array([row.reach / reach for row in rows])[places] * more)

    def contributed(
        self, terms: Terms, values: NDArray[np.float32], clients: NDArray[np.int64], number: int
    ) -> NDArray[np.float32]:
        rows, budgets = terms.rows, terms.people.epsilon
        if all(row.chance == 1 or row.replaced for row in rows):
            return values
        chances = {row.epsilon: row.chance for row in rows}
        own = np.array([chances[one] for one in budgets[clients].tolist()])
        there = stream(terms.seed, "participation", number).random(len(budgets))[clients] < own
        return (values * (there * _more(rows, budgets))[:, None]).astype(np.float32)


def _more(rows: tuple[NoiseInSum, ...], budgets: Floats) -> float:
    """Number of clients over the expected number in a sum, which keeps the mean over all unbiased."""
    chances = {row.epsilon: 1.0 if row.replaced else row.chance for row in rows}
    return len(budgets) / math.fsum(chances[one] for one in budgets.tolist())


@lru_cache(maxsize=256)
def _rows(rule: str, facts: SumFacts, chance: float) -> tuple[NoiseInSum, ...]:
    budgets, reach, uses = facts.budgets, facts.reach, facts.uses
    most = distance(budgets[-1], chance, True, uses)
    sigma, root = 2 * reach / most, math.sqrt(facts.heard)
    if rule == "clipping" or len(budgets) == 1:
        reaches = [reach * (distance(one, chance, True, uses) / most) for one in budgets]
        each = zip(budgets, reaches, strict=True)
        return tuple(NoiseInSum(one, sigma / root, sigma, own, chance, chance < 1) for one, own in each)
    chances = [
        min(1.0, largest(lambda q: sampled_epsilon(most, min(q, 1.0), False, uses, DELTA), one, 0.1))
        for one in budgets[:-1]
    ] + [1.0]
    # the mean over all is scaled up to that over those expected, and the noise with it
    more = sum(facts.counts) / math.fsum(q * n for q, n in zip(chances, facts.counts, strict=True))
    share = sigma / root * more
    return tuple(NoiseInSum(one, share, sigma, reach, q) for one, q in zip(budgets, chances, strict=True))
