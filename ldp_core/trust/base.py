"""Trust models, as functions from terms to terms: what clients are asked to send, and what they then send."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ldp_core.aggregators import Aggregator
from ldp_core.aggregators.base import SeesUploads
from ldp_core.component import Component
from ldp_core.composition.backwards import budgets_of_uses
from ldp_core.composition.spending import Releases, Spending
from ldp_core.errors import Problem
from ldp_core.mechanisms.base import Floats, Mechanism, Use
from ldp_core.selections import Selection
from ldp_core.systems import Public, Release, Sent, System
from ldp_core.trust._prices import NoiseInSum

Against = Literal["server", "shuffled heap", "sum", "model"]


@dataclass(frozen=True)
class Population:
    """Each client's ε and safe range; all of shape (count,)."""

    epsilon: Floats
    low: Floats
    high: Floats

    @property
    def strict(self) -> NDArray[np.bool_]:
        """Mask (count,) of clients with ε at most the median, or below the median if that is the maximum."""
        middle, most = np.median(self.epsilon), self.epsilon.max()
        most_ask_for_most = self.epsilon.min() < middle == most
        return self.epsilon < middle if most_ask_for_most else self.epsilon <= middle

    def of(self, client: int) -> tuple[float, float, float]:
        """ε, low and high of a client."""
        return float(self.epsilon[client]), float(self.low[client]), float(self.high[client])

    def columns(self, clients: Any) -> tuple[Floats, Floats, Floats]:
        """ε, low and high of some clients as columns (k, 1), to broadcast with values (k, d)."""
        return self.epsilon[clients, None], self.low[clients, None], self.high[clients, None]


@dataclass(frozen=True)
class Piece:
    """A slice of the upload, and the mechanism that perturbs it, fitted to its size."""

    columns: slice
    mechanism: Mechanism

    @property
    def size(self) -> int:
        return int(self.columns.stop - self.columns.start)


@dataclass(frozen=True, eq=False)
class Terms:
    """On which terms clients send: as asked, or as a trust model then has them."""

    public: Public
    mechanism: Mechanism
    """In the run's form, for whole uploads where budgets are; not fitted to its uses."""
    people: Population
    """As asked: ε of what `scope` says. Under a trust: ε of one use of the mechanism."""
    scope: str
    """What ε covers as asked: a use ("mechanism"), an "upload" or a "run"."""
    rounds: int
    seed: int
    uploads: int
    """Largest number of uploads of a client in the run, ignoring its own ε limit."""
    limited: bool
    """Whether clients have ε limits of their own."""
    tells: Sent
    samples: int
    """Number of training samples of all clients."""
    records: float
    """Number of training samples of an average client, which is public."""
    labels: int
    """Number of blocks of an upload, one per label."""
    reach: float
    """Half the largest distance of two uploads that differ in one record; 0 where ε is a client's."""
    selection: Selection
    aggregator: Aggregator
    system: System | None
    rows: tuple[NoiseInSum, ...] = ()
    """Noise in the sum for each budget; empty where each client adds its own."""

    @property
    def size(self) -> int:
        """Number of weights of an upload."""
        return int(self.public.sent.stop - self.public.sent.start)

    @property
    def heard(self) -> int | None:
        """Smallest number of participants of a round; None where it is secret or depends on the seed."""
        count = self.public.clients
        if (size := self.selection.size(count)) is not None:
            return int(size)
        parts = self.selection.stretches(count, self.rounds)
        return min(of for _, _, of in parts) if parts else None

    def use(self, part: slice, round: int = 1) -> Use:
        return Use(int(part.stop - part.start), self.rounds, round, self.records, self.labels)

    @cached_property
    def layers(self) -> tuple[slice, ...]:
        """Slices of an upload, one for each layer that is sent."""
        sent = self.public.sent
        if self.public.target == "class_means":
            return (slice(0, self.size),)
        return tuple(
            slice(layer.start - sent.start, layer.stop - sent.start)
            for layer in self.public.layers
            if sent.start <= layer.start and layer.stop <= sent.stop
        )

    @cached_property
    def first_use(self) -> Use:
        """Use of the mechanism as asked in round 1: on a whole upload, or on its first layer."""
        layered = self.public.mechanism.scope == "layer"
        return self.use(self.layers[0] if layered else slice(0, self.size))

    @property
    def _parts(self) -> tuple[slice, ...]:
        return self.layers if self.mechanism.scope == "layer" else (slice(0, self.size),)

    @cached_property
    def changes(self) -> bool:
        """Whether the mechanism changes over the rounds."""
        if self.rounds == 1:
            return False
        first, second = (self.mechanism.fitted(self.use(self._parts[0], round)) for round in (1, 2))
        return first != second

    def pieces(self, round: int = 1) -> tuple[Piece, ...]:
        """Slices of an upload that are perturbed separately: one, or one per layer for such a mechanism."""
        number = round if self.changes else 1
        if number not in self._known:
            made = [Piece(part, self.mechanism.fitted(self.use(part, number))) for part in self._parts]
            self._known[number] = tuple(made)
        return self._known[number]

    @cached_property
    def _known(self) -> dict[int, tuple[Piece, ...]]:
        return {}

    def released(self, round: int = 1) -> Release:
        pieces = self.pieces(round)
        first = pieces[0].mechanism
        each = {"coordinate": math.ceil(self.tells.perturbed - 1e-9), "layer": len(pieces), "upload": 1}
        return Release(first, each[first.scope], self.tells)

    @cached_property
    def releases(self) -> Releases:
        """Releases of the run with the number of rounds of each, in order; equal ones are merged."""
        if not self.changes:
            return ((self.rounds, self.released()),)
        return tuple((1, self.released(number)) for number in range(1, self.rounds + 1))


class Trust(Component):
    """A trust model: who sees the clients' uploads, and where the noise is added.

    `problems`, `agreed` and `per_use` take the terms as asked, other methods those that `agreed` returned.
    """

    against: ClassVar[Against]
    """What the adversary sees that ε holds against."""
    sees: ClassVar[str]
    """Who sees what, in one sentence."""
    breaks: ClassVar[str]
    """What voids the guarantee, in one sentence."""
    unseen: ClassVar[str] = ""
    """Why no attack is simulated, as a sentence; "" where one is."""
    own_noise: ClassVar[bool] = False
    """Whether noise in the sum replaces the mechanism's."""

    def problems(self, terms: Terms) -> Iterator[Problem]:
        """Fields of the experiment that cannot be combined with this trust."""
        yield from ()

    def agreed(self, terms: Terms) -> Terms:
        """The terms on which clients send under this trust; raises `InvalidInput` if no ε keeps to them."""
        asked = terms.people
        epsilon = self.per_use(terms, asked.epsilon, asked.low, asked.high)
        return replace(terms, people=replace(asked, epsilon=epsilon))

    def per_use(self, terms: Terms, asked: Floats, low: Floats, high: Floats) -> Floats:
        """ε of one use for each of the `asked` ones, with safe ranges of the same shape. A budget per upload
        is divided evenly over the uses, unless the mechanism spends it at once. For a budget per run, ε of a
        use is the largest whose worst-case composition stays within it.
        """
        if terms.scope != "run" or terms.mechanism.role == "identity":
            return asked / (terms.released().uses if terms.scope == "upload" else 1)
        return budgets_of_uses(terms.releases, terms.uploads, asked, low, high)

    def attacked(self) -> Trust:
        """Trust whose uploads are what an attacker can observe of each client under this trust."""
        return self

    def measures(self, terms: Terms) -> bool:
        """Whether attacked uploads have all the randomness that ε relies on, so that bounds on them apply."""
        return True

    def sums(self, terms: Terms) -> tuple[NDArray[np.int64], Floats] | None:
        """The sum that hides each client's uploads, and its probability of being in that of a round, (K,)
        each; None if there is no sum.
        """
        return None

    def heaps(self, terms: Terms) -> tuple[NDArray[np.int64], NDArray[np.int64], bool] | None:
        """The heap that each client's message is mixed in, and messages in it in a round, (K,) each, and
        whether each weight is mixed by itself; None if there is no heap.
        """
        return None

    @property
    def helps(self) -> tuple[str, ...]:
        """Facts that an attacker knows beyond the usual ones, as noun phrases."""
        return ()

    def prices(self, terms: Terms) -> Spending:
        """Rules that give the ε of a client's uploads under this trust."""
        return Spending(terms.releases)

    def answering(
        self, terms: Terms, clients: NDArray[np.int64], draw: np.random.Generator | None
    ) -> NDArray[np.bool_]:
        """Mask of a round's `clients` that answer, (n,); without `draw` the first ones do, where not all."""
        return np.ones(len(clients), dtype=bool)

    def contributed(
        self, terms: Terms, values: NDArray[np.float32], clients: NDArray[np.int64], number: int
    ) -> NDArray[np.float32]:
        """`values` (k, m), before clipping, as they enter a round: 0 for a client left out of the sum."""
        return values

    def handed_on(
        self, uploads: NDArray[np.float32], terms: tuple[Floats, ...], generator: np.random.Generator
    ) -> NDArray[np.float32]:
        """Perturbed uploads (k, m) as the aggregator receives them, for example permuted among clients of
        equal `terms`, columns (k, 1).
        """
        return uploads


def common_problems(trust: Trust, terms: Terms) -> Iterator[Problem]:
    """Fields of the experiment that cannot be combined with any trust except `local`."""
    name, aggregator = trust.label, terms.aggregator
    if terms.system is not None:
        whose = f"{terms.system.label}, whose server hears each client"
        yield Problem("trust", f"{name} is not part of {whose}; choose no system")
    sees = isinstance(aggregator, SeesUploads)
    if sees or aggregator.draws or aggregator.weighs_by_size:
        why = "draws who is heard" if aggregator.draws else "weighs a client by its samples"
        why = "must see each upload, which its server does not" if sees else why
        message = f"must not tell clients apart with {name}, and {aggregator.label} {why}; choose mean"
        yield Problem("aggregator", message)
    if terms.heard is None:
        kind = terms.selection.name
        message = f"must be all, fraction or once with {name}: {kind} leaves to chance how many take part"
        yield Problem("selection", message)
    if terms.limited:
        message = f"must be null with {name}: who stops would leave too few to hide among"
        yield Problem("clients.run_limit", message)
