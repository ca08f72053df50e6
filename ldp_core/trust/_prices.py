"""ε of a client's uploads behind a shuffler, or in a sum with noise."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ldp_core.composition.shuffling import shuffled
from ldp_core.composition.spending import DELTA, GAIN, Client, Promise, Spending, by_rule
from ldp_core.composition.sums import sampled_epsilon, skellam_epsilon
from ldp_core.mechanisms.shared.gaussian_privacy import mu_of


@dataclass(frozen=True)
class Heaps(Spending):
    """ε of messages behind a shuffler, each hidden among those of its heap; never above ε without one."""

    message: str
    """What is shuffled: "upload" or "coordinate"."""
    sizes: Mapping[tuple[float, ...], int] = field(default_factory=dict)
    """Number of messages in a heap, by the clients' (ε, low, high)."""
    alone: int = 1
    """Number of messages in the heap of any other client."""

    def coordinate(self, client: Client) -> Promise:
        return self._mixed(super().coordinate(client), client, 1, 1)

    def uploads(self, client: Client, count: float) -> Promise:
        uses, each = math.ceil(count - 1e-9), self.releases[0][1].uses
        messages = (each * uses, 1) if self.message == "coordinate" else (uses, each)
        return self._mixed(super().uploads(client, count), client, *messages)

    def _mixed(self, local: Promise, client: Client, heaps: int, uses: int) -> Promise:
        """`local` amplified by so many heaps, in each a message made by `uses` uses of the mechanism."""
        size = self.sizes.get(client, self.alone)
        if not local.guarantee or not local.epsilon or size < 2 or heaps < 1:
            return local
        loss = float(self.releases[0][1].mechanism.at(*client).loss) * uses
        found = shuffled(loss, size, DELTA, heaps) if math.isfinite(loss) else math.inf
        if found >= local.epsilon * (1 - GAIN):
            return local
        return by_rule("shuffled", found, DELTA, local.sum, local.generic)


@dataclass(frozen=True)
class NoiseInSum:
    """The noise in a sum for the clients of one budget."""

    epsilon: float
    """Budget of the whole run."""
    share: float
    """Standard deviation of each client's share of the noise, per weight …"""
    added: float
    """… and of all noise that ε relies on."""
    reach: float
    """Half the largest distance of two uploads of one client, as they enter the sum."""
    chance: float = 1.0
    """Hidden probability of a client to be in a round's sum."""
    replaced: bool = False
    """Kind of sampling, as in `sampled_delta`."""
    grid: float = 0.0
    """Step of the grid that values are rounded to; 0 for Gaussian noise."""


@dataclass(frozen=True)
class Sums(Spending):
    """ε of a client's values in sums with Skellam or Gaussian noise."""

    rows: Mapping[float, NoiseInSum]
    """Noise by budget of the whole run."""
    size: int
    """Number of weights of an upload."""
    boxed: bool
    """Whether each weight is clipped to its own range, so that one weight moves less than an upload."""

    def coordinate(self, client: Client) -> Promise:
        return self._of(client, 1, alone=True)

    def uploads(self, client: Client, count: float) -> Promise:
        return self._of(client, math.ceil(count - 1e-9))

    def again(self, client: Client, times: int) -> Promise:
        return self._of(client, times)

    def _of(self, client: Client, uses: int, alone: bool = False) -> Promise:
        if uses <= 0:
            return by_rule("basic", 0.0, 0.0, 0.0, generic=0.0)
        row, boxed = self._row(client[0]), alone and self.boxed
        row = replace(row, reach=self.together * row.reach)
        rule, once = _of_row(row, 1, self.size, boxed)
        _, all_of_them = _of_row(row, uses, self.size, boxed)
        return by_rule(rule, all_of_them, DELTA, max(all_of_them, uses * once))

    def _row(self, epsilon: float) -> NoiseInSum:
        """Noise for a budget; for one that no client has, as in `SumNoise`."""
        if epsilon in self.rows:
            return self.rows[epsilon]
        near = self.rows[min(self.rows, key=lambda known: abs(math.log(known / epsilon)))]
        return replace(near, added=near.added * float(mu_of(near.epsilon, DELTA) / mu_of(epsilon, DELTA)))


def _of_row(row: NoiseInSum, uses: int, size: int, alone: bool) -> tuple[str, float]:
    """Accounting rule, and ε at `DELTA` of `uses` sums: of a whole upload, or of one weight if `alone`."""
    weights, apart = (1, 2 * row.reach / math.sqrt(size)) if alone else (size, 2 * row.reach)
    if row.grid:
        longest, variance = apart / row.grid + math.sqrt(weights), (row.added / row.grid) ** 2
        return "skellam", skellam_epsilon(variance, longest, longest * math.sqrt(weights), uses, DELTA)
    rule = "gaussian" if row.chance == 1 else "sampled"
    return rule, sampled_epsilon(apart / row.added, row.chance, row.replaced, uses, DELTA)
