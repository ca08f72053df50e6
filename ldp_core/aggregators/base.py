"""Base class of aggregators: weights from public facts, then a weighted sum of uploads."""

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from ldp_core.component import Component
from ldp_core.errors import InvalidInput, shown
from ldp_core.fields import Number
from ldp_core.limits import BETWEEN
from ldp_core.mechanisms.base import Floats, Values, as_floats

Mask = NDArray[np.bool_]
Moments: TypeAlias = tuple[Floats, Floats, float]
Noise: TypeAlias = tuple[Floats, Floats]
Generator: TypeAlias = np.random.Generator | None
Combine: TypeAlias = Callable[[Floats], Floats]


class NoiseMoments(NamedTuple):
    """Error of the clients' uploads per weight: variance and bias."""

    variance: Floats
    bias: Floats


class Aggregator(Component):
    """Turns uploads of shape (K, d) into one aggregate of shape (d,)."""

    reads_in_clear: ClassVar[str] = ""
    """What clients send in clear besides their budgets and ranges; "" if nothing."""
    weighs_by_size: ClassVar[bool] = False
    """Whether weights depend on the clients' numbers of samples."""
    unpredicted: ClassVar[str] = ""
    """Why the aggregate's noise cannot be predicted, as in “as …”; "" if `noise` predicts it."""

    @property
    def draws(self) -> bool:
        """Whether the aggregator draws at random which of a round's uploads it uses."""
        return False

    @property
    def between(self) -> float:
        """Variance between the clients' true weights that the aggregation weights assume."""
        return 0.0

    def weights(
        self,
        variances: ArrayLike,
        sizes: ArrayLike | None = None,
        between: float = 0.0,
        generator: np.random.Generator | None = None,
    ) -> Floats:
        """Weight of each of K uploads; non-negative, with sum 1.

        Args:
            variances: worst-case noise variance per weight of each client, (K,), finite and ≥ 0.
            sizes: number of training samples of each client, (K,).
            between: variance between the clients' true weights, ≥ 0; 0 for the aggregator's own.
            generator: for aggregators that draw their weights.
        """
        noise = as_floats(variances, "variances")
        if noise.ndim != 1 or noise.size == 0:
            raise InvalidInput(f"variances must be a list of at least one number; got shape {noise.shape}")
        if not (np.isfinite(noise).all() and (noise >= 0).all()):
            raise InvalidInput("variances must be finite and not negative")
        counts = np.ones_like(noise) if sizes is None else as_floats(sizes, "sizes")
        if counts.shape != noise.shape or not (np.isfinite(counts) & (counts >= 0)).all() or not counts.any():
            raise InvalidInput(
                f"sizes must be {len(noise)} numbers of samples, one a client; got {shown(sizes)}"
            )
        if not isinstance(between, int | float) or not (math.isfinite(between) and between >= 0):
            raise InvalidInput(f"between must be a finite variance of at least 0; got {shown(between)}")
        between = between or self.between
        raw = self.raw_weights(noise, counts, between, generator)
        total = raw.sum()
        return raw / total if total > 0 else raw  # an aggregator may draw none at all

    @abstractmethod
    def raw_weights(self, variances: Floats, sizes: Floats, between: float, generator: Generator) -> Floats:
        """Weights up to a common factor, for clients along the last axis."""

    def moments(self, variances: ArrayLike, sizes: ArrayLike | None = None, between: float = 0.0) -> Moments:
        """Mean and mean square of each client's weight, and the probability that no client is drawn."""
        weights = self.weights(variances, sizes, between)
        return weights, weights**2, 0.0

    def noise(
        self, drawn: NoiseMoments, worst: Floats, sizes: Floats, here: Mask, between: float = 0.0
    ) -> Noise:
        """Noise of the aggregate: mean square error per weight, Σ w²·variance + (Σ w·bias)², 0 without
        participants; and the probability of an empty round; (…,) each. Arguments are (…, K): the clients'
        noise, their worst-case variances for the weights, their samples, and a mask of the participants.
        """
        raw = np.where(here, self.raw_weights(worst, sizes, between or self.between, None), 0.0)
        total = raw.sum(axis=-1, keepdims=True)
        weights = raw / np.where(total > 0, total, 1.0)
        spread = (weights**2 * drawn.variance).sum(axis=-1) + (weights * drawn.bias).sum(axis=-1) ** 2
        return spread, np.where(total[..., 0] > 0, 0.0, 1.0)

    def combine(self, uploads: Values, weights: ArrayLike) -> Values:
        """Weighted sum of uploads (K, d) → (d,), in their own array type and precision."""
        w: Any = np.asarray(weights, dtype=np.float64)
        if isinstance(uploads, np.ndarray):
            floats = uploads if np.issubdtype(uploads.dtype, np.floating) else uploads.astype(np.float64)
            return w.astype(floats.dtype) @ floats
        import torch

        tensor = uploads if uploads.is_floating_point() else uploads.double()
        return torch.as_tensor(w, dtype=tensor.dtype, device=tensor.device) @ tensor

    def finish(self, total: Values) -> Values:
        """Post-process the weighted sum (d,), for example by its signs after a vote; identity by default."""
        return total

    def aggregate(self, uploads: Values, weights: ArrayLike) -> Values:
        """Aggregate uploads (K, d) with weights (K,) into (d,)."""
        return self.finish(self.combine(uploads, weights))


class RoundClients(NamedTuple):
    """Public facts about the clients of a round, (K,) each, in the order of their uploads."""

    epsilon: Floats
    """Of one use of the mechanism."""
    variances: Floats
    """Worst-case noise variance per weight."""
    sizes: Floats
    """Numbers of training samples; 1 each unless `weighs_by_size`."""


class Decision(NamedTuple):
    """What an aggregator made of a round's uploads."""

    weights: Floats
    """Weight of each client, (K,): at least the share of its own upload that is in the aggregate."""
    combine: Combine | None = None
    """Linear map of rows (K, m), one a client, to their aggregate (m,); None for their weighted sum."""


class SeesUploads(Aggregator):
    """Base of aggregators that decide when they have all uploads of a round, so only where the server
    receives each. A decision made of noisy uploads is applied to those without noise as well, so that both
    have the same clients with the same weights.
    """

    unpredicted = "its weights depend on what is uploaded"
    copies: ClassVar[int] = 2
    """Number of matrices of all uploads that `decide` holds at once, for the estimate of memory."""

    @abstractmethod
    def decide(self, uploads: Floats, clients: RoundClients) -> Decision:
        """Decision on noisy uploads (K, m) of at least one client; weights up to a common factor, unless
        `combine` is given.
        """

    def decided(self, uploads: Floats, clients: RoundClients) -> tuple[Floats, Combine]:
        """Weights with sum 1 or all 0, and the combination; InvalidInput if it decided otherwise."""
        weights, combine = self.decide(uploads, clients)
        total = float(weights.sum())
        if combine is None:
            weights = weights / total if total > 0 else weights
            combine = weights.__matmul__
        known = weights.shape == (len(uploads),) and bool((weights >= 0).all())
        if not (known and (math.isclose(weights.sum(), 1) or not weights.any())):
            raise InvalidInput(f"{self.name} must weigh {len(uploads)} uploads by shares; got {weights}")
        return weights, combine

    def raw_weights(self, variances: Floats, sizes: Floats, between: float, generator: Generator) -> Floats:
        return np.ones_like(variances)  # before anything is uploaded


class WeighsByNoise(Aggregator):
    """Base of aggregators with weights by noise variance, and an assumed variance between clients."""

    between_: Annotated[float, Number(BETWEEN)] = Field(
        BETWEEN.default, alias="between", description="variance between clients' true weights, κ²"
    )

    @property
    def between(self) -> float:
        return self.between_


def power_of_inverse(variances: Floats, power: float) -> Floats:
    """variances^−power along the last axis; clients without noise, if any, share all the weight."""
    exact = variances == 0
    least = variances.min(axis=-1, keepdims=True)
    found = (least / np.where(exact, 1.0, variances)) ** power
    return np.where(exact.any(axis=-1, keepdims=True), exact.astype(np.float64), found)
