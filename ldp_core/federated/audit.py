"""Audit uploads: what the server would get from one image and one step, the worst case.

For a few clients, one image each, the same in every round and whatever the mechanism. Each upload
comes in three versions: as sent, clipped only, and neither clipped nor perturbed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from ldp_core.attacks import Observation
from ldp_core.federated.federation import Federation
from ldp_core.federated.upload import perturbed
from ldp_core.streams import stream

Control = Literal["clean", "clipped"]


@dataclass(frozen=True)
class Victims:
    """The clients under attack and one training sample of each, all of length V."""

    clients: NDArray[np.int64]
    samples: NDArray[np.int64]


def choose_victims(federation: Federation) -> Victims:
    """The clients that the experiment names, or the strictest, the median and the most permissive."""
    experiment = federation.experiment
    named = experiment.attack.clients if experiment.attack else None
    clients = np.array(named, dtype=np.int64) if named is not None else spread_by_budget(federation)
    # one draw for every client, so that a victim's image does not depend on who else is attacked
    draws = stream(experiment.seed, "attack images").random(experiment.clients.count)
    samples = [federation.shards[i][int(draws[i] * len(federation.shards[i]))] for i in clients]
    return Victims(clients, np.array(samples))


def spread_by_budget(federation: Federation) -> NDArray[np.int64]:
    """The strictest, the median and the most permissive client; fewer if there are fewer."""
    by_budget = np.argsort(federation.population.epsilon, kind="stable")
    last = len(by_budget) - 1
    return by_budget[list(dict.fromkeys([0, last // 2, last]))]


def audit_uploads(
    federation: Federation, victims: Victims, weights: torch.Tensor, number: int
) -> dict[Control | None, Observation]:
    """What the server observes of each victim in round `number`, for each control."""
    experiment = federation.experiment
    columns = federation.population.columns(victims.clients)
    samples = torch.from_numpy(victims.samples).to(federation.device)
    rows = len(victims.clients)
    views = experiment.model.views(
        weights.expand(rows, -1).contiguous(), federation.shape, federation.classes
    )
    x, y = federation.train_x[samples].unsqueeze(1), federation.train_y[samples].unsqueeze(1)
    gradients = experiment.model.gradients(views, x, y, torch.ones_like(y, dtype=x.dtype))
    local = experiment.local
    step = local.optimizer.first_step(
        torch.cat([g.flatten(1) for g in gradients_in_order(gradients, views)], 1), local.learning_rate
    )
    clean = (step + weights if experiment.target == "weights" else step).cpu().numpy()

    noise = stream(experiment.seed, "attack noise", number)
    versions: dict[Control | None, NDArray[np.float32]] = {
        None: perturbed(experiment.pieces(number), clean, columns, noise),
        "clean": clean,
        "clipped": np.clip(clean, *columns[1:]).astype(np.float32),
    }
    epsilon, low, high = (column[:, 0] for column in columns)
    return {
        control: Observation(
            uploads=uploads,
            previous=weights.cpu().numpy(),
            target=experiment.target,
            learning_rate=local.optimizer.rate(1, local.learning_rate),
            model=experiment.model,
            shape=federation.shape,
            classes=federation.classes,
            mechanism=experiment.randomiser,
            epsilon=epsilon,
            low=low,
            high=high,
        )
        for control, uploads in versions.items()
    }


def gradients_in_order(
    gradients: dict[str, torch.Tensor], views: dict[str, torch.Tensor]
) -> list[torch.Tensor]:
    """The gradients in the order of the flat vector."""
    return [gradients[name] for name in views]
