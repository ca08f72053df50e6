"""The server's observation: what an attacker may use.

An observation consists of uploads, the server's own model, the public experiment, and held-out images that no
client has. No training sample can be reached from it (tests/attacks/test_boundary.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ldp_core.mechanisms.base import Floats, Mechanism
from ldp_core.models.base import Model, Shape
from ldp_core.optimizers import Optimizer

if TYPE_CHECKING:
    import torch

Image = NDArray[np.float64]
Part = tuple[slice, Mechanism]
"""A slice of the upload, and the mechanism that perturbed it."""
T = TypeVar("T")


@dataclass(frozen=True)
class Public:
    """Labelled public images: (n, *shape) in [0, 1] and (n,)."""

    x: NDArray[np.float32]
    y: NDArray[np.int64]
    _found: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, what: Callable[..., T], *of: Any) -> T:
        """Cached result of what(self, *of): public images do not change between rounds."""
        key = (what, *of)
        if key not in self._found:
            self._found[key] = what(self, *of)
        found: T = self._found[key]
        return found


@dataclass(frozen=True)
class Observation:
    """The server's view of V victims after T uploads each from one model.

    An audit upload is one image and one step, which the attacker knows; of a real upload it knows the public
    batch size and number of epochs.
    """

    uploads: NDArray[np.float32]
    """Received uploads, (T, V, d): the same values perturbed T times."""
    previous: NDArray[np.float32]
    """Global model (d,) that the clients started from."""
    target: str
    """Whether uploads are weights or updates."""
    optimizer: Optimizer
    """Optimiser whose first step made an audit upload."""
    nominal_rate: float
    """The experiment's learning rate, which some optimisers ignore."""
    model: Model
    shape: Shape
    """Shape of one sample."""
    classes: int
    parts: tuple[Part, ...]
    """Slices with their mechanisms; together they cover the upload."""
    epsilon: Floats
    """ε in the mechanism's scope, (V,)."""
    low: Floats
    """Lower ends of the safe ranges, (V,); or (V, d) if each weight has a public range of its own."""
    high: Floats
    batch_size: int = 1
    epochs: int = 1
    public: Public | None = None
    noted: Mapping[str, Floats] = field(default_factory=dict)
    """The server's notes from the victims' earlier uploads, by name, one row per victim."""
    device: str = "cpu"
    """Device to compute on."""
    clear: float = 0.0
    """Share of an upload's weights that a system sends without noise, without telling which."""
    unsent: NDArray[np.bool_] | None = None
    """Mask (T, V, d) of weights that were not sent, whatever the data; the server keeps its own values."""
    white: float = 1.0
    """Factor by which pixels in [0, 1] were multiplied before training."""
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
    def base(self) -> Floats:
        """Upload (d,) of a client that has learnt nothing."""
        previous = self.previous.astype(np.float64)
        return previous if self.target == "weights" else np.zeros_like(previous)

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

    def last_bias(self) -> Floats:
        """Gradient of the last layer's bias, (V, classes), negative at the label of a single image."""
        last = self.model.slices(self.shape, self.classes)[-1]
        return self.gradients[:, last.start : last.stop]

    def gradients_of(self, x: NDArray[np.float32], y: NDArray[np.int64]) -> Floats:
        """Gradients (n, d) at the global model of n labelled images."""
        import torch

        parts = [part.flatten(1) for part in self._gradients_of(x, y).values()]
        return torch.cat(parts, 1).numpy().astype(np.float64)

    def reactions_of(self, x: NDArray[np.float32], y: NDArray[np.int64]) -> Floats:
        """Gradients (n, units) of the first bias for n labelled images: how strongly each unit reacts."""
        _, bias = self.model.slices(self.shape, self.classes)[:2]
        return self._gradients_of(x, y)[bias.name].numpy().astype(np.float64)

    def _gradients_of(self, x: NDArray[np.float32], y: NDArray[np.int64]) -> dict[str, torch.Tensor]:
        """Gradients of n labelled images at the global model, by parameter, in upload order."""
        import torch

        weights = torch.from_numpy(self.previous).expand(len(x), -1)
        views = self.model.views(weights, self.shape, self.classes)
        labels = torch.from_numpy(np.asarray(y, dtype=np.int64)).unsqueeze(1)
        samples = torch.from_numpy(np.asarray(x, dtype=np.float32) * np.float32(self.white)).unsqueeze(1)
        found = self.model.gradients(views, samples, labels, torch.ones_like(labels, dtype=samples.dtype))
        return {name: found[name] for name in views}

    def parameters(self, like: torch.Tensor) -> dict[str, torch.Tensor]:
        """Parameters of the global model, in the precision and on the device of `like`."""
        import torch

        weights = torch.from_numpy(self.previous).to(like).unsqueeze(0)
        return {name: p[0] for name, p in self.model.views(weights, self.shape, self.classes).items()}

    def labels(self) -> NDArray[np.int64]:
        """Label of a single image, (V,): where the gradient of the last bias is lowest."""
        return self.last_bias().argmin(axis=1)

    def moved(self, gradients: Floats) -> Floats:
        """Weight change by one optimiser step along given gradients, of equal shape."""
        import torch

        step = self.optimizer.first_step(torch.from_numpy(gradients), self.nominal_rate)
        return np.asarray(step.numpy(), dtype=np.float64)

    def uploads_of(self, x: NDArray[np.float32], y: NDArray[np.int64]) -> Floats:
        """Uploads (n, d) without noise of one step on each of n labelled images.

        The server has the model and the optimiser, so it can compute them for any image.
        """
        return self.base + self.moved(self.gradients_of(x, y))

    def of(self, victims: slice | NDArray[np.int64]) -> Observation:
        return replace(
            self,
            uploads=self.uploads[:, victims],
            epsilon=self.epsilon[victims],
            low=self.low[victims],
            high=self.high[victims],
            noted={name: rows[victims] for name, rows in self.noted.items()},
            unsent=None if self.unsent is None else self.unsent[:, victims],
        )

    def beside(self, other: Observation) -> Observation | None:
        """Observation of both victims' sets together; None if the observations differ in more than victims,
        have noise (whose products depend on their size in the last bits), or need all uploads to find weights
        in clear.
        """
        alike = (self.parts, self.clear, self.shortened_by, self.rounds, self.low.shape, self.batch_size)
        theirs = (
            other.parts,
            other.clear,
            other.shortened_by,
            other.rounds,
            other.low.shape,
            other.batch_size,
        )
        exact = self.mechanism.role == "identity" == other.mechanism.role
        if self.clear or not exact or alike != theirs or self.previous is not other.previous:
            return None
        if (self.unsent is None) != (other.unsent is None):
            return None
        unsent = None
        if self.unsent is not None and other.unsent is not None:
            unsent = np.concatenate([self.unsent, other.unsent], axis=1)
        return replace(
            self,
            uploads=np.concatenate([self.uploads, other.uploads], axis=1),
            epsilon=np.concatenate([self.epsilon, other.epsilon]),
            low=np.concatenate([self.low, other.low]),
            high=np.concatenate([self.high, other.high]),
            noted={name: np.concatenate([rows, other.noted[name]]) for name, rows in self.noted.items()},
            unsent=unsent,
        )
