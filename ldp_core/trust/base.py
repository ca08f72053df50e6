"""The base class of trust models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ldp_core.component import Component
from ldp_core.composition.backwards import budgets_of_uses
from ldp_core.composition.spending import Spending
from ldp_core.errors import Problem
from ldp_core.mechanisms.base import Floats, Mechanism

Against = Literal["server", "shuffled heap", "sum", "model"]


class Trust(Component):
    """A trust model: who sees the clients' uploads, and where the noise is added.

    The argument `experiment` of every method is the experiment that has this trust.
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

    def problems(self, experiment: Any) -> Iterator[Problem]:
        """Fields of the experiment that cannot be combined with this trust."""
        yield from ()

    def attacked(self) -> Trust:
        """Trust whose uploads are what an attacker can observe of each client under this trust."""
        return self

    def measures(self, experiment: Any) -> bool:
        """Whether attacked uploads have all the randomness that ε relies on, so that bounds on them apply."""
        return True

    def sums(self, experiment: Any) -> tuple[NDArray[np.int64], Floats] | None:
        """The sum that hides each client's uploads, and its probability of being in that of a round, (K,)
        each; None if there is no sum.
        """
        return None

    def heaps(self, experiment: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], bool] | None:
        """The heap that each client's message is mixed in, and messages in it in a round, (K,) each, and
        whether each weight is mixed by itself; None if there is no heap.
        """
        return None

    @property
    def helps(self) -> tuple[str, ...]:
        """Facts that an attacker knows beyond the usual ones, as noun phrases."""
        return ()

    def made(self, mechanism: Mechanism, experiment: Any) -> Mechanism:
        """The mechanism that perturbs uploads under this trust; `mechanism` is the experiment's own."""
        return mechanism

    def ranges(self, experiment: Any, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Safe ranges (low, high) of all K clients under this trust, (K,) each, from the experiment's own."""
        return low, high

    def per_use(self, experiment: Any, asked: Floats, low: Floats, high: Floats) -> Floats:
        """ε of one use for each budget of a whole run in `asked`; raises `InvalidInput` if there is none."""
        return budgets_of_uses(experiment.releases, experiment.most_uploads, asked, low, high)

    def prices(self, experiment: Any) -> Spending:
        """Rules that give the ε of a client's uploads under this trust."""
        return Spending(experiment.releases)

    def answering(
        self, experiment: Any, clients: NDArray[np.int64], draw: np.random.Generator | None
    ) -> NDArray[np.bool_]:
        """Mask of a round's `clients` that answer, (n,); without `draw` the first ones do, where not all."""
        return np.ones(len(clients), dtype=bool)

    def contributed(
        self, experiment: Any, values: NDArray[np.float32], clients: NDArray[np.int64], number: int
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


def heard(experiment: Any) -> int | None:
    """Smallest number of participants of a round; None where it is secret or depends on the seed."""
    count, rounds, selection = experiment.clients.count, experiment.rounds, experiment.selection
    if (size := selection.size(count)) is not None:
        return int(size)
    parts = selection.stretches(count, rounds)
    return min(of for _, _, of in parts) if parts else None


def common_problems(trust: Trust, experiment: Any) -> Iterator[Problem]:
    """Fields of the experiment that cannot be combined with any trust except `local`."""
    name, aggregator = trust.label, experiment.aggregator
    if experiment.system is not None:
        whose = f"{experiment.system.label}, whose server hears each client"
        yield Problem("trust", f"{name} is not part of {whose}; choose no system")
    if aggregator.draws or aggregator.weighs_by_size:
        why = "draws who is heard" if aggregator.draws else "weighs a client by its samples"
        message = f"must not tell clients apart with {name}, and {aggregator.label} {why}; choose mean"
        yield Problem("aggregator", message)
    if heard(experiment) is None:
        kind = experiment.selection.name
        message = f"must be all, fraction or once with {name}: {kind} leaves to chance how many take part"
        yield Problem("selection", message)
    if experiment.clients.run_limit is not None:
        message = f"must be null with {name}: who stops would leave too few to hide among"
        yield Problem("clients.run_limit", message)
