"""Identification rate over all rounds and clients of a run.

In every round, a few images of each client are trained on in one step each, and the uploads are matched
against M candidates. So the models are the run's own, and trials are many; clients count whether or not
selected.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldp_core.datasets import Data
from ldp_core.errors import InvalidInput
from ldp_core.experiment import Plan
from ldp_core.federated.federation import Federation, assemble, choose_device
from ldp_core.federated.state import State
from ldp_core.inference import wilson
from ldp_core.leakage.candidates import line_up
from ldp_core.leakage.identification import Rows, identify
from ldp_core.leakage.observe import attacked, begun
from ldp_core.limits import CANDIDATES
from ldp_core.streams import stream

MANY = int(CANDIDATES.default)
"""Number of candidates, the true one included."""


@dataclass(frozen=True)
class RecoveredShare:
    hits: float
    trials: int

    @property
    def value(self) -> float:
        """Identification rate in [0, 1]; guessing has 1/MANY."""
        return self.hits / self.trials

    @property
    def interval(self) -> tuple[float, float]:
        """95 % Wilson interval, as if trials were independent, though they share the run's models."""
        return wilson(self.hits, self.trials)


def picked(
    plan: Plan, data: Data, states: Sequence[State], images: int = 1
) -> dict[str | None, RecoveredShare]:
    """Identification rate over a whole run under each control (None: as sent), from the states before each
    round, for so many images per client and round; a client with fewer reuses some. Raises `InvalidInput` if
    the uploads' likelihood is unknown.
    """
    if not plan.readable:
        raise InvalidInput("the law of such uploads is not known to the server; choose another mechanism")
    federation = attacked(assemble(plan, data, choose_device()))
    clients = np.repeat(np.arange(plan.experiment.clients.count), images)
    found: dict[str | None, list[float]] = {}
    for state in states:
        for control, rows in _round(federation, state, clients).items():
            found.setdefault(control, []).extend(row["identification_credit"] for row in rows)
    return {control: RecoveredShare(float(np.sum(ones)), len(ones)) for control, ones in found.items()}


def _round(federation: Federation, state: State, clients: np.ndarray) -> Rows:
    experiment, number, count = federation.experiment, state.round + 1, len(clients)
    draws = stream(experiment.seed, "attack images", number).random(count)
    shards = [federation.shards[client] for client in clients]
    samples = [int(shard[int(u * len(shard))]) for u, shard in zip(draws, shards, strict=True)]
    keys = [number * count + place for place in range(count)]
    start, noise = begun(federation, clients, state), stream(experiment.seed, "identification noise", number)
    return identify(start, line_up(federation, samples, keys, MANY), keys, noise)
