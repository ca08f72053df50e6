"""Privacy cost of a number of uploads for one client, by the best applicable composition rule."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any, Self

import numpy as np

from ldp_core.composition.compose import compose_counts
from ldp_core.composition.own_law import own_epsilon
from ldp_core.mechanisms import Mechanism
from ldp_core.mechanisms.shared.gaussian_privacy import epsilon_of
from ldp_core.systems import Release

DELTA = 1e-5
"""Total δ of composed bounds and of Gaussian noise."""
GAIN = 1e-3
"""Relative saving over a simpler bound from which on a rule with δ is used."""

RULES = {
    "basic": "the sum over all uses, which an attacker can reach",
    "optimal": "the exact worst case of equal pure budgets at this δ (Kairouz, Oh and Viswanath 2015)",
    "own_law": "composed by this mechanism's own law at this δ, which may tell more than its ε alone",
    "rdp": "Rényi divergences, converted at this δ",
    "gaussian": "Gaussian noise exactly at this δ: uses add up as the root of the sum of squares",
    "shuffled": "what a shuffled heap tells at this δ at most (Feldman, McMillan and Talwar 2023)",
    "skellam": "Skellam noise in a sum: Rényi divergences at whole orders, converted at this δ",
    "sampled": "Gaussian noise in a sum whose members are drawn and hidden, composed at this δ",
    "nominal": "the paper's nominal ε, summed; the corrected form counts what is really sent",
}
NO_NOISE = "values are sent without noise"
IN_CLEAR = "what is sent depends on private data in a way that no ε bounds"

Client = tuple[float, float, float]
"""ε, low and high of a client."""


Releases = tuple[tuple[int, Release], ...]


@dataclass(frozen=True)
class Promise:
    """A differential privacy guarantee for one client in one scope."""

    epsilon: float | None = None
    """Smallest computed bound; None if there is none."""
    delta: float = 0.0
    rule: str = "none"
    """Rule that gave ε: a name of `RULES`."""
    basic: float | None = None
    """Sum of ε over all uses (basic composition); None if there is none."""
    generic: float | None = None
    """Bound for any mechanism of this ε per use; None without pure ε."""
    guarantee: bool = False
    """False if ε is no bound: an average over runs, or a paper's own value that is too small."""
    why: str = ""

    @property
    def bound(self) -> float:
        return self.epsilon if self.guarantee and self.epsilon is not None else math.inf

    @property
    def sum(self) -> float:
        """Sum of ε over all uses (basic composition); infinite without a guarantee."""
        return math.inf if self.basic is None else self.basic

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """Guarantee from stored JSON; missing fields take their defaults, which mean no guarantee."""
        return cls(**{one.name: stored[one.name] for one in fields(cls) if one.name in stored})


"""Number of rounds of each release, in order."""


@dataclass(frozen=True)
class Spending:
    """Guarantees of a run's releases for a client, for any number of uploads."""

    releases: Releases
    together: int = field(default=1, kw_only=True)
    """Number of records of one client that are priced together, where ε is a record's."""

    def coordinate(self, client: Client) -> Promise:
        """Guarantee for one weight of one upload."""
        release = self.releases[0][1]
        if release.sent.clear:
            return Promise(why=release.sent.why)
        mu = release.mechanism.at(*client).mu
        if mu is not None:
            # in a ball, a single weight may change as much as a whole upload
            boxed = release.mechanism.scope == "upload" and release.mechanism.region == "box"
            whole = release.sent.perturbed if boxed else 1
            return _gaussian(self.together**2 * float(mu) ** 2 / whole, 1)
        return _pure(release.mechanism, client, 1)

    def uploads(self, client: Client, count: float) -> Promise:
        """Guarantee for the first `count` uploads, which may be fractional (an expected number)."""
        if count <= 0:
            return by_rule("basic", 0.0, 0.0, 0.0, generic=0.0)
        first = [release for _, release in self._first(count)]
        clear = next((release.sent.why for release in first if release.sent.clear), "")
        if clear:
            return Promise(why=clear)
        if all(release.mechanism.at(*client).mu is not None for release in first):
            return self._normal(client, count)
        # the bound is for the next whole use
        uses = [math.ceil(n * release.uses - 1e-9) for n, release in self._first(count)]
        parts = [_pure(release.mechanism, client, n) for release, n in zip(first, uses, strict=True)]
        return parts[0] if len(parts) == 1 else _added(parts)

    def again(self, client: Client, times: int) -> Promise:
        """Guarantee if an upload's values are sent `times` times in round 1, as in attacks, never in runs."""
        release = self.releases[0][1]
        if release.sent.clear or release.mechanism.at(*client).mu is None:
            return Spending(((times, release),)).uploads(client, times)
        each = _uses_of_noise(release)
        return _gaussian(times * each * float(_squares(self.releases, client)[0]), times * each)

    def _first(self, count: float) -> Iterator[tuple[float, Release]]:
        """Releases of the first `count` uploads, each with its number of uploads."""
        left = count
        for rounds, release in self.releases:
            yield min(left, rounds) if release is not self.releases[-1][1] else left, release
            left -= rounds
            if left <= 0:
                return

    def _normal(self, client: Client, count: float) -> Promise:
        """Guarantee for `count` uploads with Gaussian noise: the μ² of the uses add up."""
        squares = self.together**2 * _squares(self.releases, client)
        each = [(rounds, _uses_of_noise(release)) for rounds, release in self.releases]
        uses = np.repeat([float(n) for _, n in each], [rounds for rounds, _ in each])
        share = np.clip(count - np.arange(len(uses)), 0, 1)  # of each round's upload
        return _gaussian(float(share @ (uses * squares)), math.ceil(float(share @ uses) - 1e-9))

    def affordable(self, client: Client, limit: float) -> int:
        """Largest number of uploads within the client's own ε limit."""
        low, high = 0, sum(rounds for rounds, _ in self.releases) + 1
        while high - low > 1:
            middle = (low + high) // 2
            fits = self.uploads(client, middle).bound <= limit
            low, high = (middle, high) if fits else (low, middle)
        return low


@lru_cache(maxsize=4096)
def _pure(mechanism: Mechanism, client: Client, uses: int) -> Promise:
    """Guarantee for `uses` uses of a mechanism without Gaussian noise."""
    law = mechanism.at(*client)
    loss, exact = float(law.ledger_loss), float(law.loss)
    if not math.isfinite(loss):
        why = NO_NOISE if mechanism.role == "identity" else IN_CLEAR
        return Promise(why=why)
    if loss != exact:  # a paper's own figure, which may be too small
        return replace(by_rule("nominal", loss * uses, 0.0, loss * uses), guarantee=loss >= exact)
    basic = generic = loss * uses
    if uses == 1:
        return by_rule("basic", loss, 0.0, basic, generic)
    found = by_rule("basic", basic, 0.0, basic)
    optimal = compose_counts((loss,), (uses,), DELTA).epsilon
    if optimal <= basic * (1 - GAIN):
        generic, found = optimal, by_rule("optimal", optimal, DELTA, basic)
    own = own_epsilon(mechanism, *client, uses, DELTA)
    if own <= generic * (1 - GAIN):
        found = by_rule("own_law", own, DELTA, basic)
    return replace(found, generic=generic)


def _uses_of_noise(release: Release) -> int:
    """Uses per upload; 1 for noise on more than a coordinate, whose sensitivity is the whole upload's."""
    return release.uses if release.mechanism.scope == "coordinate" else 1


def _added(parts: list[Promise]) -> Promise:
    """Guarantee for several kinds of release: ε and δ add up."""
    if nothing := next((part for part in parts if part.epsilon is None), None):
        return nothing
    rule = next((part.rule for part in parts if part.rule != "basic"), "basic")
    epsilon = math.fsum(part.epsilon or 0.0 for part in parts)
    delta, basic = math.fsum(part.delta for part in parts), math.fsum(part.sum for part in parts)
    total = by_rule(rule, epsilon, delta, basic)
    return replace(total, guarantee=all(part.guarantee for part in parts))


@lru_cache(maxsize=4096)
def _squares(releases: Releases, client: Client) -> np.ndarray:
    """μ² of one use in each round."""
    each = [(rounds, float(release.mechanism.at(*client).mu) ** 2) for rounds, release in releases]
    return np.repeat([square for _, square in each], [rounds for rounds, _ in each])


def _gaussian(squares: float, uses: int) -> Promise:
    """Guarantee for uses whose μ² add up to `squares`; for the basic sum, δ is split evenly."""
    epsilon = float(epsilon_of(DELTA, math.sqrt(squares)))
    basic = uses * float(epsilon_of(DELTA / uses, math.sqrt(squares / uses)))
    return by_rule("gaussian", epsilon, DELTA, max(basic, epsilon))


def by_rule(rule: str, epsilon: float, delta: float, basic: float, generic: float | None = None) -> Promise:
    return Promise(epsilon, delta, rule, basic, generic, True, RULES[rule])
