"""The contract of a trust: what is seen of uploads, what that promises, and what breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ldp_core.component import Component
from ldp_core.mechanisms.base import Floats, Mechanism

if TYPE_CHECKING:
    from ldp_core.accounting.spending import Spending

Against = Literal["server", "shuffled heap", "sum", "model"]
Conflict = tuple[tuple[str, ...], Any, str]
"""Field, what was given, what is wrong."""


class Trust(Component):
    """Methods take the experiment that the trust is part of."""

    against: ClassVar[Against]
    """What an attacker sees of whom a promise holds against."""
    sees: ClassVar[str]
    """Who sees what, as one sentence."""
    breaks: ClassVar[str]
    """What ends the promise, as one sentence."""
    own_noise: ClassVar[bool] = False
    """Whether noise in the sum takes the place of the mechanism's."""

    def problems(self, experiment: Any) -> Iterator[Conflict]:
        """Fields that this trust cannot have."""
        yield from ()

    def made(self, mechanism: Mechanism, experiment: Any) -> Mechanism:
        """What perturbs uploads, where the experiment's mechanism is `mechanism`."""
        return mechanism

    def ranges(self, experiment: Any, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Safe ranges of all clients, (K,) each, given those asked for."""
        return low, high

    def per_use(self, experiment: Any, asked: Floats, low: Floats, high: Floats) -> Floats:
        """The ε of one use of what perturbs, for budgets of a whole run, all of the same shape.

        Raises:
            InvalidInput: no ε keeps to a budget.
        """
        from ldp_core.accounting.backwards import budgets_of_uses  # its package's face stands on this

        return budgets_of_uses(experiment.releases, experiment.most_uploads, asked, low, high)

    def prices(self, experiment: Any) -> Spending:
        """What uploads cost clients."""
        from ldp_core.accounting.spending import Spending

        return Spending(experiment.releases)

    def contributed(
        self, experiment: Any, values: NDArray[np.float32], clients: NDArray[np.int64], number: int
    ) -> NDArray[np.float32]:
        """What some clients, k of all, give to round `number` of their values (k, m), not yet clipped."""
        return values

    def handed_on(
        self, uploads: NDArray[np.float32], terms: tuple[Floats, ...], generator: np.random.Generator
    ) -> NDArray[np.float32]:
        """Uploads (k, m), as the aggregator has them; `terms` are columns (k, 1) that uploads can be told
        apart by."""
        return uploads


def heard(experiment: Any) -> int | None:
    """Participants of a round at least, where their number is public and the same for every seed."""
    count, rounds, selection = experiment.clients.count, experiment.rounds, experiment.selection
    if (size := selection.size(count)) is not None:
        return int(size)
    parts = selection.stretches(count, rounds)
    return min(of for _, _, of in parts) if parts else None


def common_problems(trust: Trust, experiment: Any) -> Iterator[Conflict]:
    """What no trust but the local one can have."""
    name, aggregator = trust.name, experiment.aggregator
    if experiment.system is not None:
        system = experiment.system.label
        yield (
            ("trust",),
            name,
            f"{name} is not part of {system}, whose server hears each client; choose no system",
        )
    if aggregator.draws or aggregator.weighs_by_size:
        why = "draws who is heard" if aggregator.draws else "weighs a client by its samples"
        message = (
            f"must not tell clients apart under the trust {name}, and {aggregator.name} {why}; choose mean"
        )
        yield ("aggregator",), aggregator.name, message
    if heard(experiment) is None:
        kind = experiment.selection.name
        message = f"must be all, fraction or once under {name}: {kind} leaves to chance how many take part"
        yield ("selection",), kind, message
    if experiment.clients.run_limit is not None:
        message = f"must be null under the trust {name}: who stops would leave too few to hide among"
        yield ("clients", "run_limit"), experiment.clients.run_limit, message
