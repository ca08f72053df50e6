"""What mechanisms with Gaussian noise share: everything but the size of the noise.

Gaussian noise has no pure loss; its promise is a curve δ(ε) that one number tells, μ = the true
sensitivity over σ. The true sensitivity always follows from the safe range, whatever a paper's
formula for σ assumed; or, where whole uploads are shortened to a length C, from that: 2C, however many
weights there are.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from ldp_core.errors import InvalidInput
from ldp_core.fields import Checked, Choice, Number, Whole
from ldp_core.limits import DELTA, DIMENSION, NORM, SENSITIVITY
from ldp_core.mechanisms.base import (
    Floating,
    Floats,
    Mechanism,
    Region,
    Scope,
    Use,
    Values,
    as_floats,
    check_budget,
    check_range,
)
from ldp_core.mechanisms.shared.ball import shortened
from ldp_core.mechanisms.shared.blocks import GRID, broadcast, perturb_blocks, step_of
from ldp_core.mechanisms.shared.scale_free import normalised
from ldp_core.normal import delta_of

if TYPE_CHECKING:
    import torch

PER = {"weight": "weight", "upload": "whole upload"}
FARTHEST = 60
"""Standard deviations that no draw reaches."""


class GaussianNoise(Mechanism):
    """Adds normal noise to the clipped values; subclasses say how much."""

    known_from_use: ClassVar[tuple[str, ...]] = ("dimension",)

    delta_: Annotated[float, Number(DELTA)] = Field(DELTA.default, alias="delta", description="δ of one use")
    per: Annotated[str, Choice(tuple(PER))] = Field("weight", description="the budget is for a")
    sensitivity: Annotated[float | None, Number(SENSITIVITY, optional=True)] = Field(
        None, description="sensitivity, if not that of the safe range"
    )
    norm: Annotated[float | None, Number(NORM, optional=True)] = Field(
        None, description="length that whole uploads are shortened to, instead of a range for each weight"
    )
    dimension: Annotated[int | None, Checked(Whole(DIMENSION, optional=True).check)] = None

    @property
    def scope(self) -> Scope:
        whole = self.per == "upload" or self.dimension is not None or self.norm is not None
        return "upload" if whole else "coordinate"

    @property
    def region(self) -> Region:
        return "box" if self.norm is None else "ball"

    @property
    def separable(self) -> bool:
        return True

    def parameters(self) -> dict[str, Any]:
        values = super().parameters()
        return {name: value for name, value in values.items() if name != "norm" or value is not None}

    def fitted(self, use: Use) -> Self:
        return self.model_copy(update={"dimension": use.dimension}) if self.scope == "upload" else self

    def for_uploads(self) -> Self:
        # uses add up as the root of the sum of squares: a d-th of ε for each weight would waste most of it
        return self if self.scope == "upload" else self.model_copy(update={"per": "upload"})

    @abstractmethod
    def sigma(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        """The standard deviation of the noise on each weight."""

    def true_sensitivity(self, low: ArrayLike, high: ArrayLike) -> Floats:
        """How far two inputs in the safe range, or in the ball, can lie apart, in the mechanism's scope."""
        lows, highs = check_range(low, high)
        if self.norm is not None:
            return np.full(lows.shape, 2 * self.norm)
        width = highs - lows
        d = self.dimension or 1
        if self.dimension is None and self.scope == "upload":
            raise InvalidInput(
                f"{self.name} must know how many weights an upload has; give it as dimension=…"
            )
        if d > 1 and width.shape[-1:] == (d,):  # a range for each weight
            return np.asarray(np.sqrt((width**2).sum(axis=-1, keepdims=True)))
        return width * np.sqrt(d)

    def _stated_sensitivity(self, low: ArrayLike, high: ArrayLike) -> Floats:
        true = self.true_sensitivity(low, high)
        return true if self.sensitivity is None else np.full_like(true, self.sensitivity)

    def project(self, values: Floating, low: ArrayLike, high: ArrayLike) -> Floating:
        return super().project(values, low, high) if self.norm is None else shortened(values, self.norm)

    def _ends(self, low: ArrayLike, high: ArrayLike) -> tuple[Floats, Floats]:
        """Where a single weight may lie: in its range, or within the ball's radius of 0."""
        lows, highs = check_range(low, high)
        if self.norm is None:
            return lows, highs
        return np.full(lows.shape, -self.norm), np.full(highs.shape, self.norm)

    def perturb(
        self,
        values: Values,
        epsilon: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        generator: np.random.Generator | torch.Generator,
    ) -> Values:
        lows, highs = self._ends(low, high)
        if self.scope == "upload":
            shape = broadcast(tuple(np.shape(values)), lows.shape)
            length = shape[-1] if shape else 1
            if self.dimension is None:
                sized = self.model_copy(update={"dimension": max(1, length)})
                return sized.perturb(values, epsilon, low, high, generator)
            if length not in (0, self.dimension):
                raise InvalidInput(
                    f"{self.name} must be given uploads of {self.dimension} weights; got {length}"
                )
        if self.norm is not None:
            values = self._shortened(values)
        sigma, half = self.sigma(epsilon, lows, highs), (highs - lows) / 2
        coefficients = {"spread": sigma / half}
        if self.scope == "upload":  # one answer that tells a weight would tell it whatever the upload's ε
            coefficients[GRID] = step_of(np.abs(lows + half) + half + FARTHEST * sigma)
        return perturb_blocks(_add, coefficients, values, lows, highs, generator, normal=True)

    def _shortened(self, values: Values) -> Values:
        """The same kind of array with its vectors no longer than the ball allows."""
        if isinstance(values, np.ndarray):
            floats = values if np.issubdtype(values.dtype, np.floating) else values.astype(np.float64)
            return cast("Values", self.project(floats, -1.0, 1.0))
        length = values.double().norm(dim=-1, keepdim=True)
        return cast("Values", values * (self.norm / length.clamp(min=self.norm)).to(values.dtype))

    def mean(self, value: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        v, centre, half = normalised(value, *self._ends(low, high))
        return (centre + half * v + np.zeros_like(check_budget(epsilon)))[()]

    def variance(self, value: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        return (self.max_variance(epsilon, low, high) + np.zeros_like(as_floats(value, "value")))[()]

    def moments(
        self, value: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike
    ) -> tuple[Any, Any]:
        mean, variance = self.mean(value, epsilon, low, high), self.max_variance(epsilon, low, high)
        return mean, np.broadcast_to(variance, np.broadcast_shapes(np.shape(value), np.shape(variance)))[()]

    def max_variance(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        return (self.sigma(check_budget(epsilon), low, high) ** 2)[()]

    def marginal_log_prob(
        self,
        output: ArrayLike,
        value: ArrayLike,
        epsilon: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
    ) -> Any:
        sigma = self.sigma(check_budget(epsilon), low, high)
        z = as_floats(output, "output") - self.mean(value, epsilon, low, high)
        z /= sigma
        log_prob = -(z**2)
        log_prob /= 2
        log_prob -= np.log(sigma)
        log_prob -= np.log(2 * np.pi) / 2
        return log_prob[()]

    def log_prob(
        self,
        output: ArrayLike,
        value: ArrayLike,
        epsilon: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
    ) -> Any:
        each = self.marginal_log_prob(output, value, epsilon, low, high)
        return each if self.scope == "coordinate" else np.sum(each, axis=-1)[()]

    def log_affinity(
        self, value: ArrayLike, other: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike
    ) -> Any:
        apart = self.mean(value, epsilon, low, high) - self.mean(other, epsilon, low, high)
        return (-(apart**2) / (8 * self.max_variance(epsilon, low, high)))[()]

    def privacy_loss(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        lows, _ = check_range(low, high)
        return (np.full_like(check_budget(epsilon), np.inf) + np.zeros_like(lows))[()]

    def mu(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        return (self.true_sensitivity(low, high) / self.sigma(check_budget(epsilon), low, high))[()]

    def delta(self, target: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        return delta_of(as_floats(target, "target"), self.mu(epsilon, low, high))[()]

    def atoms(self, value: float, epsilon: float, low: float, high: float) -> Floats:
        return np.empty(0)

    def edges(self, value: float, epsilon: float, low: float, high: float) -> Floats:
        return np.array([-np.inf, np.inf])


def _add(xp: Any, v: Any, z: Any, k: Any) -> Any:
    return v + k["spread"] * z


def classical(epsilon: Floats, delta: float) -> Floats:
    """σ over sensitivity by Dwork and Roth 2014, theorem A.1: √(2 ln(1.25/δ))/ε."""
    return np.sqrt(2 * np.log(1.25 / delta)) / epsilon
