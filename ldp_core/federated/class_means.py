"""Class means, one message: each person sends its vector in the block of its label, and the server decodes.

No training: with features z of length 1 and their mean of each class M_c, an image belongs to the class whose
z·A·M_c − ½·M_c·A·M_c is largest. A is the identity (the nearest mean), or, where an upload's law allows, the
inverse of the second moments of z, which the same uploads give. What noise adds to M_c·A·M_c on average is
known and taken out; how much of what is left between classes can be noise is known, too, and so much of it is
not believed. Everything is post-processing of the uploads. Classes are taken to have equal shares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from ldp_core.mechanisms.base import Floats

if TYPE_CHECKING:
    from ldp_core.federated.federation import Federation

INSIDE = 1 - 2**-20
"""Of the longest message: float32 rounds none of it to longer than that."""
RIDGE = 2.0
"""Times √(numbers): how far noise moves an eigenvalue of a symmetric matrix whose entries vary by 1."""


def messages(federation: Federation, clients: NDArray[np.int64]) -> torch.Tensor:
    """(k, d): the mean over each client's images of its features, of length 1, in the block of its label; in
    the place of trained weights, whose biases are 0.
    """
    shards = [federation.shards[i] for i in clients]
    held = torch.from_numpy(np.concatenate(shards)).to(federation.device)
    sizes = np.array([len(shard) for shard in shards])
    owner = torch.from_numpy(np.repeat(np.arange(len(shards)), sizes)).to(held)
    x = federation.train_x[held].flatten(1)
    width, own = x.shape[1], radius(federation)
    share = torch.from_numpy(own / np.repeat(sizes, sizes)).to(x)
    z = x / x.norm(dim=1, keepdim=True).clamp_min(1e-12) * share[:, None]
    found = x.new_zeros(len(shards) * federation.classes, width)
    found.index_add_(0, owner * federation.classes + federation.train_y[held], z)
    sent = found.view(len(shards), -1)
    return torch.cat([sent, sent.new_zeros(len(shards), federation.classes)], dim=1)


def radius(federation: Federation) -> float:
    """Length of a message: all that a mechanism of a ball allows."""
    mechanism = federation.experiment.mechanism
    return float(getattr(mechanism, "norm", 1.0)) * INSIDE if mechanism.region == "ball" else INSIDE


class Decoder:
    """What the server makes of one round's messages."""

    def __init__(self, federation: Federation, chosen: NDArray[np.int64], shares: Floats) -> None:
        self._federation, self._shares = federation, shares
        self._shape = federation.classes, federation.experiment.uploaded // federation.classes
        self._noise = float(shares**2 @ federation.terms.worst(1)[chosen])
        self._moments = np.zeros((self._shape[1],) * 2)
        piece = federation.experiment.pieces(1)[0]
        epsilon, low, high = federation.population.columns(chosen)
        law = piece.mechanism.at(epsilon, low, high)
        self._second = getattr(law, "second_moments", None)

    def hear(self, uploads: NDArray[np.float32], shares: Floats) -> None:
        if self._second is not None:
            blocks = uploads.reshape(-1, self._shape[1])
            weights = np.repeat(shares, self._shape[0]).astype(np.float32)
            self._moments += (blocks * weights[:, None]).T @ blocks

    def decoded(self, aggregate: Floats, noisy: bool = True) -> torch.Tensor:
        """The linear model (d,) for the mean message (m,); without noise, the nearest mean as it is."""
        length = radius(self._federation)
        means = self._federation.classes * aggregate.reshape(self._shape) / length
        noise = (self._federation.classes / length) ** 2 * self._noise if noisy else 0.0
        metric = self._metric() if noisy else np.eye(self._shape[1])
        turned = means @ metric
        size = (turned * means).sum(1) - noise * np.trace(metric)
        doubt = 4 * noise * (turned**2).sum(1).mean() + 2 * noise**2 * (metric**2).sum()
        believed = max(0.0, 1 - doubt / max(float(size.var(ddof=1)), 1e-300))
        bias = -(believed * size + (1 - believed) * size.mean()) / 2
        model = np.concatenate([(turned / np.sqrt(self._shape[1])).ravel(), bias])
        return torch.from_numpy(model.astype(np.float32)).to(self._federation.device)

    def _metric(self) -> Floats:
        """The inverse of the features' second moments and of what noise may have made of them; scaled so that
        it is the identity where noise drowns them."""
        if self._second is None:
            return np.eye(self._shape[1])
        plain, along, spread = (np.broadcast_to(one, (len(self._shares), 1))[:, 0] for one in self._second)
        leaning = float(self._shares @ along)
        noise = np.eye(len(self._moments)) * (self._shares @ plain)
        size, turn = np.linalg.eigh((self._moments + self._moments.T) / 2 - noise)
        ridge = RIDGE * np.sqrt(self._shape[1] * float(self._shares**2 @ spread**2)) / leaning
        found: Floats = (turn * (ridge / (np.maximum(size / leaning, 0) + ridge))) @ turn.T
        return found
