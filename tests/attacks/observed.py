"""What the server sees of a few images' uploads, one image and one step each; and what comes back of them."""

from dataclasses import replace
from typing import Any

import numpy as np
import torch

from ldp_core.attacks import Observation
from ldp_core.attacks.findings.metrics import clamped, psnr
from ldp_core.attacks.shared.search import Search
from ldp_core.experiment import parse, plan
from ldp_core.federated.federation import Federation, assemble
from ldp_core.leakage.observe import (
    ControlKind,
    Victims,
    VictimStart,
    audit_values,
    begun,
    observe,
    public_images,
)
from ldp_core.streams import stream

CPU = torch.device("cpu")


def observed(
    data: Any, count: int, experiment: dict[str, Any], epsilon: float = 1.0, control: str | None = "clean"
) -> tuple[Observation, np.ndarray]:
    """What the server sees of one upload of each of the first client's first images; and the images."""
    ready = assemble(plan(parse({"local": {"learning_rate": 0.1}, **experiment})), data, CPU)
    samples, start = ready.shards[0][:count], at_budget(ready, count, epsilon)
    noise, public = stream(0, "attack noise"), public_images(ready)
    seen = observe(start, audit_values(start, samples), noise, public=public)
    return seen[control], data.train_x[samples].astype(np.float64)  # type: ignore[index]


def at_budget(federation: Federation, count: int, epsilon: float) -> VictimStart:
    """The first client, so many times, in its range and with this budget."""
    start = begun(federation, np.zeros(count, np.int64))
    low, high = federation.experiment.clients.bounds()
    columns = np.full((count, 1), epsilon), np.full((count, 1), low[0]), np.full((count, 1), high[0])
    return replace(start, columns=columns)


def back(who: Search, seen: Observation, truth: np.ndarray) -> np.ndarray:
    guesses = who.reconstruct(seen, generator=stream(0, "reconstruction"))
    return psnr(clamped(guesses[:, 0]), truth)


def audit_uploads(federation: Federation, victims: Victims) -> dict[ControlKind | None, Observation]:
    """What the server observes of each victim's audit upload in the first round, for each control."""
    start, noise = begun(federation, victims.clients), stream(federation.experiment.seed, "attack noise", 1)
    return observe(start, audit_values(start, victims.samples), noise, public=public_images(federation))
