"""Federated class means in one message: each client sends the mean of its features, in the block of its
label.

Without training: with features z of length 1 and their mean M_c in each class c, an image is assigned to the
class with the largest z·A·M_c − ½·M_c·A·M_c. A is the identity (nearest mean) or, where the uploads' law
allows, the inverse of the second moments of z, estimated from the same uploads. The means' deviations from
the common mean are shrunk by the share of their squared length that noise explains (James and Stein 1961).
Classes are assumed equally frequent, unless uploads report labels that clearly show other shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from ldp_core.mechanisms.base import Floats
from ldp_core.mechanisms.shared import ball
from ldp_core.partitions.base import Indices

if TYPE_CHECKING:
    from ldp_core.federated.federation import Federation

KEPT = 0.01
"""Smallest factor on deviations: all 0 would assign every image to one class."""
SURE = 4.0
"""Factor on the noise of estimated class shares, below which classes are taken as equally frequent."""
LEAST = 0.2
"""Smallest share of a class that is assumed, as a multiple of equal shares."""
RIDGE = 2.0
"""Factor on √(numbers): how far noise of deviation 1 moves an eigenvalue of a symmetric matrix."""


def messages_of(federation: Federation, shards: Sequence[Indices]) -> torch.Tensor:
    """Messages (k, d) of clients that hold these training samples; used in place of trained weights."""
    held = torch.from_numpy(np.concatenate(shards)).to(federation.device)
    sizes = np.array([len(shard) for shard in shards])
    return messages(federation, federation.train_x[held], federation.train_y[held], sizes)


def messages(federation: Federation, x: torch.Tensor, y: torch.Tensor, sizes: Indices) -> torch.Tensor:
    """Messages (k, d): the mean of each client's features, scaled to length 1, in the block of its label,
    with biases 0. Samples x and y come client after client, `sizes` (k,) of each.
    """
    x, own = x.flatten(1), radius(federation)
    owner = torch.from_numpy(np.repeat(np.arange(len(sizes)), sizes)).to(y)
    share = torch.from_numpy(own / np.repeat(sizes, sizes)).to(x)
    z = x / x.norm(dim=1, keepdim=True).clamp_min(1e-12) * share[:, None]
    found = x.new_zeros(len(sizes) * federation.classes, x.shape[1])
    found.index_add_(0, owner * federation.classes + y, z)
    sent = found.view(len(sizes), -1)
    return torch.cat([sent, sent.new_zeros(len(sizes), federation.classes)], dim=1)


def radius(federation: Federation) -> float:
    return ball.radius(federation.plan.randomiser, federation.hull[1])


class Decoder:
    """Server-side decoding of one round's messages into a linear model."""

    def __init__(self, federation: Federation, chosen: NDArray[np.int64], shares: Floats) -> None:
        self._federation, self._shares = federation, shares
        self._shape = federation.classes, federation.plan.uploaded // federation.classes
        self._noise = float(shares**2 @ federation.weighing.worst(1)[chosen])
        self._moments = np.zeros((self._shape[1],) * 2)
        piece = federation.plan.pieces(1)[0]
        epsilon, low, high = federation.population.columns(chosen)
        law = piece.mechanism.at(epsilon, low, high)
        self._second = getattr(law, "second_moments", None)
        self._naming = getattr(law, "naming", None)
        self._named = np.zeros(federation.classes)

    def hear(self, uploads: NDArray[np.float32], shares: Floats) -> None:
        if self._second is not None:
            blocks = uploads.reshape(-1, self._shape[1])
            weights = np.repeat(shares, self._shape[0]).astype(np.float32)
            self._moments += (blocks * weights[:, None]).T @ blocks
        if self._naming is not None:
            self._named += shares @ uploads.reshape(len(uploads), *self._shape).any(axis=2)

    def decoded(self, aggregate: Floats, noisy: bool = True) -> NDArray[np.float32]:
        """Linear model (d,) for the mean message (m,); nearest-mean classification if `noisy` is False."""
        scale = 1 / (radius(self._federation) * self._class_shares())
        means = aggregate.reshape(self._shape) * scale[:, None]
        noise = float((scale**2).sum()) * self._noise if noisy else 0.0
        metric = self._metric() if noisy else np.eye(self._shape[1])
        common = aggregate.reshape(self._shape).sum(axis=0) / radius(self._federation)
        apart = means - common
        energy = float(np.einsum("cf,fg,cg", apart, metric, apart))
        kept = max(KEPT, 1 - noise * float(np.trace(metric)) / max(energy, 1e-300))
        means = common + kept * apart
        turned = means @ metric
        bias = -(turned * means).sum(1) / 2
        model = np.concatenate([(turned / np.sqrt(self._shape[1])).ravel(), bias])
        return model.astype(np.float32)

    def _class_shares(self) -> Floats:
        equal = np.full(self._shape[0], 1 / self._shape[0])
        if self._naming is None:
            return equal
        own, other = (np.broadcast_to(one, (len(self._shares), 1))[:, 0] for one in self._naming)
        gain = max(float(self._shares @ (own - other)), 1e-9)
        apart = (self._named - float(self._shares @ other)) / gain - equal
        noise = float((self._shares**2).sum() * (self._named * (1 - self._named)).sum()) / gain**2
        kept = max(0.0, 1 - SURE * noise / max(float(apart @ apart), 1e-300))
        return np.maximum(equal + kept * apart, LEAST * equal)

    def _metric(self) -> Floats:
        """Inverse of the features' estimated second moments, regularised by the estimate's noise; or the
        identity.
        """
        if self._second is None:
            return np.eye(self._shape[1])
        plain, along, spread = (np.broadcast_to(one, (len(self._shares), 1))[:, 0] for one in self._second)
        leaning = float(self._shares @ along)
        noise = np.eye(len(self._moments)) * (self._shares @ plain)
        size, turn = np.linalg.eigh((self._moments + self._moments.T) / 2 - noise)
        ridge = RIDGE * np.sqrt(self._shape[1] * float(self._shares**2 @ spread**2)) / leaning
        found: Floats = (turn * (ridge / (np.maximum(size / leaning, 0) + ridge))) @ turn.T
        return found
