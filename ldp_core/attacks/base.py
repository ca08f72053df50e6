"""The contract of an attacker, and everything that it is told."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldp_core.component import Component
from ldp_core.mechanisms.base import Floats, Mechanism
from ldp_core.models.base import Model, Shape

Image = NDArray[np.float64]


@dataclass(frozen=True)
class Observation:
    """What the server holds after V uploads of one round.

    It knows that an audit upload is one image and one step; for a client's real upload it knows
    the public batch size and number of epochs instead.
    """

    uploads: NDArray[np.float32]
    """(V, d), as they arrived."""
    previous: NDArray[np.float32]
    """(d,), the global model that the clients started from."""
    target: str
    """Whether uploads are weights or updates."""
    learning_rate: float
    model: Model
    shape: Shape
    """Of one sample."""
    classes: int
    mechanism: Mechanism
    epsilon: Floats
    """(V,), in the mechanism's scope."""
    low: Floats
    high: Floats

    def gradients(self) -> Floats:
        """(V, d): the gradient that one step of SGD would have followed to make each upload."""
        uploads = self.uploads.astype(np.float64)
        step = self.previous - uploads if self.target == "weights" else -uploads
        return step / self.learning_rate

    def layer(self, name: str) -> Floats:
        """(V, …): the part of the gradients that belongs to one parameter."""
        part = next(s for s in self.model.slices(self.shape, self.classes) if s.name == name)
        return self.gradients()[:, part.start : part.stop].reshape(-1, *part.shape)


class Attacker(Component):
    """Turns uploads back into images."""

    @abstractmethod
    def reconstruct(self, seen: Observation) -> Image:
        """One image for each upload, (V, *shape); not clamped, possibly far outside [0, 1]."""
