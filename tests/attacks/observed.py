"""What the server sees of a few images' uploads, one image and one step each; and what comes back of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ldp_core.attacks import Observation
from ldp_core.attacks.findings.metrics import clamped, psnr
from ldp_core.attacks.shared.search import Search
from ldp_core.experiment import parse
from ldp_core.federated.federation import Federation, assemble, initial_weights, taking_part
from ldp_core.leakage.observe import Control, Victims, audit_values, begun, observe, public_images
from ldp_core.streams import stream

CPU = torch.device("cpu")


def observed(
    data: Any, count: int, experiment: dict[str, Any], epsilon: float = 1.0, control: str | None = "clean"
) -> tuple[Observation, np.ndarray]:
    """What the server sees of one upload of each of the first client's first images; and the images."""
    ready = assemble(parse({"local": {"learning_rate": 0.1}, **experiment}), data, CPU)
    samples, weights = ready.shards[0][:count], initial_weights(ready)
    low, high = (float(end[0]) for end in ready.experiment.clients.bounds())
    start = begun(np.zeros(count, np.int64), weights, taking_part(ready))
    columns = tuple(np.full((count, 1), value) for value in (epsilon, low, high))
    seen = observe(
        ready,
        audit_values(ready, samples, start.own),
        weights,
        ready.experiment.pieces(1),
        (columns[0], columns[1], columns[2]),
        stream(0, "attack noise"),
        public=public_images(ready),
        noted=start.noted,
    )
    return seen[control], data.train_x[samples].astype(np.float64)  # type: ignore[index]


def back(who: Search, seen: Observation, truth: np.ndarray) -> np.ndarray:
    guesses = who.reconstruct(seen, generator=stream(0, "reconstruction"))
    return psnr(clamped(guesses[:, 0]), truth)


def audit_uploads(
    federation: Federation, victims: Victims, weights: torch.Tensor, number: int
) -> dict[Control | None, Observation]:
    """What the server observes of each victim's audit upload in round `number`, for each control."""
    experiment = federation.experiment
    return observe(
        federation,
        audit_values(federation, victims.samples, weights),
        weights,
        experiment.pieces(number),
        federation.population.columns(victims.clients),
        stream(experiment.seed, "attack noise", number),
        times=experiment.attack.rounds_observed if experiment.attack else 1,
        public=public_images(federation),
    )
