"""How often the server tells which image an upload was made of, over all rounds and clients of a run.

Of every client, in every round, a few images are each trained on alone, in one step, and what that would
send is held against what each of M candidates would have sent. So the models are those of the run itself,
and the trials many; which clients the selection had called does not matter, as each of them sends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ldp_core.attacks.findings.metrics import wilson
from ldp_core.datasets import Data
from ldp_core.errors import InvalidInput
from ldp_core.experiment import Experiment
from ldp_core.experiment.threat_model import readable
from ldp_core.federated.federation import Federation, assemble, choose_device, taking_part
from ldp_core.federated.state import State
from ldp_core.leakage.candidates import line_up
from ldp_core.leakage.identification import Rows, identify
from ldp_core.leakage.observe import begun
from ldp_core.limits import CANDIDATES
from ldp_core.streams import stream


@dataclass(frozen=True)
class Share:
    """Right picks among equally likely candidates; a tie in front is shared."""

    hits: float
    trials: int
    candidates: int

    @property
    def value(self) -> float:
        """Share in [0, 1]; guessing gives 1/candidates."""
        return self.hits / self.trials

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval for independent trials; it leaves out the luck of the run's models, which trials
        share.
        """
        return wilson(self.hits, self.trials)


def picked(
    experiment: Experiment,
    data: Data,
    states: Sequence[State],
    images: int = 1,
    candidates: int = int(CANDIDATES.default),
    device: torch.device | None = None,
) -> dict[str | None, Share]:
    """The share under each control (None: as sent), over a whole run.

    Args:
        states: before each round, in order.
        images: of each client in each round; a client with fewer is asked about some again.
        candidates: M, the right one included.
        device: where; by default a GPU where there is one.

    Raises:
        InvalidInput: what an upload of such a run would be is unknown.
    """
    if not readable(experiment):
        raise InvalidInput("the law of such uploads is not known to the server; choose another mechanism")
    federation = assemble(experiment, data, device or choose_device())
    clients = np.repeat(np.arange(experiment.clients.count), images)
    found: dict[str | None, list[float]] = {}
    for state in states:
        for control, rows in _round(federation, state, clients, candidates).items():
            found.setdefault(control, []).extend(row["identification_credit"] for row in rows)
    return {control: Share(float(np.sum(ones)), len(ones), candidates) for control, ones in found.items()}


def _round(federation: Federation, state: State, clients: np.ndarray, candidates: int) -> Rows:
    experiment, number, count = federation.experiment, state.round + 1, len(clients)
    draws = stream(experiment.seed, "attack images", number).random(count)
    shards = [federation.shards[client] for client in clients]
    samples = [int(shard[int(u * len(shard))]) for u, shard in zip(draws, shards, strict=True)]
    keys = [number * count + place for place in range(count)]
    weights = federation.placed(state.weights)
    return identify(
        federation,
        line_up(federation, samples, keys, candidates),
        weights,
        experiment.pieces(number),
        federation.population.columns(clients),
        keys,
        stream(experiment.seed, "identification noise", number),
        begun=begun(clients, weights, taking_part(federation, state.arrays)),
    )
