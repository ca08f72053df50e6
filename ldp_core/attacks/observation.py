"""The server's observation: uploads, its own model, the public experiment, and held-out images that no client
has. No training sample can be reached from it (tests/attacks/test_in_clear.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ldp_core.mechanisms.base import Floats, Mechanism
from ldp_core.models.base import Model, Shape
from ldp_core.models.record_clipping import RecordClipping, clipped_gradients
from ldp_core.optimizers import Optimizer

if TYPE_CHECKING:
    import torch

Image = NDArray[np.float64]
LayerNoise = tuple[slice, Mechanism]
"""A slice of the upload, and the mechanism that perturbed it."""


@dataclass(frozen=True, eq=False)
class PublicImages:
    """Labelled public images: (n, *shape) in [0, 1] and (n,); hashed by identity, as none changes."""

    x: NDArray[np.float32]
    y: NDArray[np.int64]


@dataclass(frozen=True)
class Observation:
    """The server's view of V victims after T uploads each from one model."""

    uploads: NDArray[np.float32]
    """Received uploads, (T, V, d): the same values perturbed T times."""
    previous: NDArray[np.float32]
    """Global model (d,) that the clients started from; or models (k, d), each that of as many in turn."""
    target: str
    """Whether uploads are weights or updates."""
    optimizer: Optimizer
    """Optimiser whose first step made an audit upload."""
    nominal_rate: float
    """The experiment's learning rate, which some optimisers ignore."""
    model: Model
    shape: Shape
    classes: int
    parts: tuple[LayerNoise, ...]
    """Slices with their mechanisms; together they cover the upload."""
    epsilon: Floats
    """ε in the mechanism's scope, (V,)."""
    low: Floats
    """Lower ends of the safe ranges, (V,); or (V, d) if each weight has a public range of its own."""
    high: Floats
    batch_size: int = 1
    epochs: int = 1
    public: PublicImages | None = None
    noted: Mapping[str, Floats] = field(default_factory=dict)
    """The server's notes from the victims' earlier uploads, by name, one row per victim."""
    device: str = "cpu"
    clear: float = 0.0
    """Share of an upload's weights that a system sends without noise, without telling which."""
    unsent: NDArray[np.bool_] | None = None
    """Mask (T, V, d) of weights that were not sent, whatever the data; the server keeps its own values."""
    white: float = 1.0
    """Factor by which pixels in [0, 1] were multiplied before training."""
    middle: float = 0.0
    """Pixel value that becomes 0 in training."""
    record_clipping: RecordClipping | None = None
    """Bound on a record's gradient, of which an audit upload is then the share; None without one."""
    shortened_by: Mechanism | None = None
    """Mechanism whose ball uploads were scaled into; None where weights are clipped one by one."""

    @property
    def mechanism(self) -> Mechanism:
        return self.parts[0][1]

    @property
    def rounds(self) -> int:
        """Number of uploads per victim, T."""
        return len(self.uploads)

    @property
    def learning_rate(self) -> float:
        """Size of the first step; for SGD the factor of the gradient."""
        return self.optimizer.rate(1, self.nominal_rate)

    @property
    def models(self) -> int:
        """Number of global models, k."""
        return 1 if self.previous.ndim == 1 else len(self.previous)

    @cached_property
    def base(self) -> Floats:
        """Upload of a client that has learnt nothing, (d,) or (V, d)."""
        return self.bases(len(self.epsilon)) if self.models > 1 else self.bases(1)[0]

    def bases(self, count: int) -> Floats:
        """`base` of so many victims or images, (count, d)."""
        previous = self.previous.astype(np.float64)
        base = previous if self.target == "weights" else np.zeros_like(previous)
        return np.repeat(np.atleast_2d(base), count // self.models, axis=0)

    @cached_property
    def gradients(self) -> Floats:
        """Gradients (V, d) of one SGD step, averaged over the T uploads."""
        return self.steps[0] / self.learning_rate

    @property
    def first(self) -> tuple[slice, int]:
        """Slice of the first layer (weights, then biases) and its number of units."""
        weight, bias = self.model.slices(self.shape, self.classes)[:2]
        return slice(weight.start, bias.stop), weight.shape[0]

    @property
    def first_ends(self) -> tuple[Floats, Floats]:
        """Ends of the safe range of the first layer's weights, (V,) each."""
        if self.low.ndim == 1:
            return self.low, self.high
        start = self.first[0].start
        return self.low[:, start], self.high[:, start]

    def ends(self, where: slice) -> tuple[Floats, Floats]:
        """Ends of the safe ranges of a slice of weights, (V, 1), or (V, weights) where they differ."""
        if self.low.ndim == 1:
            return self.low[:, None], self.high[:, None]
        return self.low[:, where], self.high[:, where]

    @cached_property
    def steps(self) -> tuple[Floats, NDArray[np.bool_]]:
        """Change (V, d) of the sent weights against the gradient, averaged over the T uploads; and mask of
        the weights sent at least once.
        """
        if self.unsent is None:
            steps = self.base - self.uploads.mean(axis=0, dtype=np.float64)
            return steps, np.ones(steps.shape, dtype=bool)
        sent = ~self.unsent
        count = sent.sum(axis=0)
        return ((self.base - self.uploads) * sent).sum(axis=0) / np.maximum(count, 1), count > 0

    def with_ranges_read(self) -> Observation:
        """Copy with the range that the uploads reveal, for mechanisms whose range follows the data."""
        if (found := self.mechanism.read_off(self.uploads, self.epsilon)) is None:
            return self
        mechanism, low, high = found
        return replace(self, parts=tuple((w, mechanism) for w, _ in self.parts), low=low, high=high)

    def first_layer(self, flat: NDArray[Any]) -> NDArray[Any]:
        """Weight vectors (…, d) as (…, units, features + 1): each unit's weights, then its bias."""
        where, units = self.first
        part = flat[..., where]
        weight, bias = part[..., :-units], part[..., -units:]
        return np.concatenate([weight.reshape(*part.shape[:-1], units, -1), bias[..., None]], axis=-1)

    def gradients_of(
        self, x: NDArray[np.float32], y: NDArray[np.int64], layers: slice = slice(None)
    ) -> Floats:
        """Gradients (n, d) of n labelled images, as many at each global model in turn; of some layers'
        weights or biases.
        """
        import torch

        weights = torch.from_numpy(self.previous).view(self.models, 1, -1)
        weights = weights.expand(-1, len(x) // self.models, -1).reshape(len(x), -1)
        views = self.model.views(weights, self.shape, self.classes)
        labels = torch.from_numpy(np.asarray(y, dtype=np.int64)).unsqueeze(1)
        placed = (np.asarray(x, dtype=np.float32) - np.float32(self.middle)) * np.float32(self.white)
        samples = torch.from_numpy(placed).unsqueeze(1)
        weight = torch.ones_like(labels, dtype=samples.dtype)
        if self.record_clipping is None:
            found = self.model.gradients(views, samples, labels, weight)
        else:
            found = clipped_gradients(self.model, views, samples, labels, weight, self.record_clipping)
        return torch.cat([found[name].flatten(1) for name in [*views][layers]], 1).numpy().astype(np.float64)

    def parameters(self, like: torch.Tensor) -> dict[str, torch.Tensor]:
        """Parameters of the global model, in the precision and on the device of `like`."""
        import torch

        weights = torch.from_numpy(self.previous).to(like).unsqueeze(0)
        return {name: p[0] for name, p in self.model.views(weights, self.shape, self.classes).items()}

    def labels(self) -> NDArray[np.int64]:
        """Label of a single image, (V,): where the gradient of the last bias is lowest."""
        last = self.model.slices(self.shape, self.classes)[-1]
        return self.gradients[:, last.start : last.stop].argmin(axis=1)

    def moved(self, gradients: Floats) -> Floats:
        """Weight change by one optimiser step along given gradients, of equal shape."""
        import torch

        step = self.optimizer.first_step(torch.from_numpy(gradients), self.nominal_rate)
        return np.asarray(step.numpy(), dtype=np.float64)

    def uploads_of(self, x: NDArray[np.float32], y: NDArray[np.int64]) -> Floats:
        """Uploads (n, d) without noise of one step on each of n labelled images, as for `gradients_of`."""
        return self.bases(len(x)) + self.moved(self.gradients_of(x, y))

    def public_uploads(self, x: NDArray[np.float32], y: NDArray[np.int64]) -> Floats:
        """`uploads_of` the same m images at each global model, (k, m, d)."""
        return self.uploads_of(*self._for_each(x, y)).reshape(self.models, len(x), -1)

    def public_gradients(self, x: NDArray[np.float32], y: NDArray[np.int64], layers: slice) -> Floats:
        """`gradients_of` the same m images at each global model, (k, m, …)."""
        each_x, each_y = self._for_each(x, y)
        return self.gradients_of(each_x, each_y, layers).reshape(self.models, len(x), -1)

    def _for_each(self, *arrays: NDArray[Any]) -> Iterator[NDArray[Any]]:
        return (np.concatenate([one] * self.models) for one in arrays)

    def of_victims(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Rows of each global model, (k, …), as rows of each victim, (V, …)."""
        return np.repeat(rows, len(self.epsilon) // len(rows), axis=0)

    def of(self, victims: slice | NDArray[np.int64]) -> Observation:
        count = len(self.epsilon)
        if isinstance(victims, slice) and victims.indices(count) == (0, count, 1):
            return self
        return replace(
            self,
            uploads=self.uploads[:, victims],
            previous=self.previous if self.models == 1 else self.of_victims(self.previous)[victims],
            epsilon=self.epsilon[victims],
            low=self.low[victims],
            high=self.high[victims],
            noted={name: rows[victims] for name, rows in self.noted.items()},
            unsent=None if self.unsent is None else self.unsent[:, victims],
        )
