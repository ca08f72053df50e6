"""How well the global model does on the held-out test set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from ldp_core.engines.base import BATCH
from ldp_core.federated.federation import Federation
from ldp_core.mechanisms.base import Floats


@dataclass(frozen=True)
class Score:
    """Accuracy in [0, 1], overall and for each class, and mean cross-entropy in nats."""

    accuracy: float
    per_class: list[float]
    loss: float
    right: NDArray[np.bool_]
    """Which of the held-out samples it names right, (n,)."""


def evaluate(federation: Federation, weights: torch.Tensor) -> Score:
    """Score the global model `weights` (d,)."""
    scores = federation.engine.scores(federation.recipe, weights, federation.samples)
    right, loss = [], 0.0
    for logits, y in zip(torch.split(scores, BATCH), torch.split(federation.test_y, BATCH), strict=True):
        right.append(logits.argmax(1) == y)
        loss += float(torch.nn.functional.cross_entropy(logits, y, reduction="sum"))
    hits = torch.cat(right).cpu().numpy()
    labels = federation.test_y.cpu().numpy()
    counts = np.bincount(labels, minlength=federation.classes)
    per_class = np.bincount(labels[hits], minlength=federation.classes) / np.maximum(counts, 1)
    return Score(float(hits.mean()), per_class.tolist(), loss / len(labels), hits)


def per_group(federation: Federation, score: Score) -> dict[str, float | None]:
    """The accuracy that each group of clients sees: classes weighted as the group holds them."""
    return {
        name: float(mix @ np.array(score.per_class)) if (mix := _mix(federation, members)).any() else None
        for name, members in groups(federation).items()
    }


def groups(federation: Federation) -> dict[str, np.ndarray]:
    """The clients that ask for at most the median budget, and the others; bool (K,) each."""
    return {"strict": federation.strict, "permissive": ~federation.strict}


def _mix(federation: Federation, members: np.ndarray) -> Floats:
    """The share of each class among the samples of some clients; all zero if there are none."""
    shards = [federation.shards[i] for i in np.flatnonzero(members)]
    if not shards:
        return np.zeros(federation.classes)
    labels = federation.train_y.cpu().numpy()[np.concatenate(shards)]
    return np.bincount(labels, minlength=federation.classes) / len(labels)
