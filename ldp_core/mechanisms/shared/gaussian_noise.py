"""Base of mechanisms with Gaussian noise: everything except σ.

Its guarantee is a curve δ(ε) given by μ = sensitivity / σ. The sensitivity always follows from the safe
range, whatever a paper's formula for σ assumes; or from the length C that uploads are scaled to: 2C; or from
what one record moves.
"""

from abc import abstractmethod
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from ldp_core.errors import InvalidInput
from ldp_core.fields import Checked, Choice, Number
from ldp_core.limits import DELTA, NORM, REACH, SENSITIVITY
from ldp_core.mechanisms.base import Region, Scope, Sized, Use
from ldp_core.mechanisms.shared.ball import shortened
from ldp_core.mechanisms.shared.blocks import GRID, Blocks, broadcast, floats_of, step_of
from ldp_core.mechanisms.shared.gaussian_privacy import delta_of
from ldp_core.mechanisms.shared.law import Floating, Floats, Law, as_floats
from ldp_core.mechanisms.shared.scale_free import normalised

PER = {"weight": "weight", "upload": "whole upload"}
FARTHEST = 60
"""Standard deviations that no draw exceeds."""


class GaussianLaw(Law["GaussianNoise"]):
    by_value = True

    @cached_property
    def sensitivity(self) -> Floats:
        """Largest distance between two inputs in the safe range (or ball), in the mechanism's scope."""
        own, width = self.mechanism, self.high - self.low
        if own.norm is not None:
            return np.full(width.shape, 2 * (own.reach or own.norm))
        d = own.size if own.scope == "upload" else 1
        if d > 1 and width.shape[-1:] == (d,):  # a range for each weight
            return np.asarray(np.sqrt((width**2).sum(axis=-1, keepdims=True)))
        return width * np.sqrt(d)

    @cached_property
    def sigma(self) -> Floats:
        """Standard deviation of the noise on each weight."""
        return self.mechanism.sigma_of(self.epsilon, self.mechanism.stated(self.sensitivity))

    def perturb(self, values: NDArray[Any], generator: np.random.Generator) -> NDArray[Any]:
        own = self.mechanism
        if own.scope == "upload":
            shape = broadcast(np.shape(values), self.low.shape)
            length = shape[-1] if shape else 1
            if own.dimension is None:
                sized = own.model_copy(update={"dimension": max(1, length)})
                return GaussianLaw(sized, self.epsilon, self.low, self.high).perturb(values, generator)
            if length not in (0, own.dimension):
                raise InvalidInput(
                    f"{own.name} must be given uploads of {own.dimension} weights; got {length}"
                )
        if own.norm is not None:
            values = own.clip(floats_of(values, generator), -1.0, 1.0)
        return self._blocks.perturb(_add, values, generator, normal=True)

    @cached_property
    def _blocks(self) -> Blocks:
        half = (self.high - self.low) / 2
        coefficients = {"spread": self.sigma / half}
        if self.mechanism.scope == "upload":  # an answer that tells a weight would tell it whatever ε is
            coefficients[GRID] = step_of(np.abs(self.low + half) + half + FARTHEST * self.sigma)
        return Blocks(coefficients, self.low, self.high)

    def mean(self, value: ArrayLike) -> Any:
        v, centre, half = normalised(value, self.low, self.high)
        return (centre + half * v + np.zeros_like(self.epsilon))[()]

    def moments(self, value: ArrayLike) -> tuple[Any, Any]:
        mean, variance = self.mean(value), self.max_variance
        return mean, np.broadcast_to(variance, np.broadcast_shapes(np.shape(value), np.shape(variance)))[()]

    def summed(self, values: Floating, shares: Floats, rows: slice = slice(None)) -> tuple[Floats, Floats]:
        none = np.zeros(values.shape[1])
        return none, shares**2 @ (self.sigma[rows] ** 2) + none

    @property
    def max_variance(self) -> Any:
        return (self.sigma**2)[()]

    def marginal_log_prob(self, output: ArrayLike, value: ArrayLike) -> Any:
        z = as_floats(output, "output") - self.mean(value)
        z /= self.sigma
        log_prob = -(z**2)
        log_prob /= 2
        log_prob -= np.log(self.sigma)
        log_prob -= np.log(2 * np.pi) / 2
        return log_prob[()]

    def log_prob(self, output: ArrayLike, value: ArrayLike) -> Any:
        each = self.marginal_log_prob(output, value)
        return each if self.mechanism.scope == "coordinate" else np.sum(each, axis=-1)[()]

    def log_affinity(self, value: ArrayLike, other: ArrayLike) -> Any:
        apart = self.mean(value) - self.mean(other)
        return (-(apart**2) / (8 * self.max_variance))[()]

    @property
    def loss(self) -> Any:
        return (np.full_like(self.epsilon, np.inf) + np.zeros_like(self.low))[()]

    @property
    def mu(self) -> Any:
        return (self.sensitivity / self.sigma)[()]

    def delta(self, target: ArrayLike) -> Any:
        return delta_of(as_floats(target, "target"), self.mu)[()]

    def atoms(self, value: float) -> Floats:
        return np.empty(0)

    def edges(self, value: float) -> Floats:
        return np.array([-np.inf, np.inf])


class GaussianNoise(Sized):
    """Adds Gaussian noise to the clipped values; subclasses set σ."""

    law = GaussianLaw

    delta_: Annotated[float, Number(DELTA)] = Field(DELTA.default, alias="delta", description="δ of one use")
    per: Annotated[str, Choice(tuple(PER))] = Field("weight", description="the budget is for a")
    sensitivity: Annotated[float | None, Number(SENSITIVITY, optional=True)] = Field(
        None, description="sensitivity, if not that of the safe range"
    )
    norm: Annotated[float | None, Number(NORM, optional=True)] = Field(
        None, description="length that whole uploads are shortened to, instead of a range for each weight"
    )

    reach: Annotated[float | None, Checked(Number(REACH, optional=True).check)] = None
    """Half the largest distance of two uploads that differ in one record, which the experiment sets and pages
    hide; None where uploads may differ in everything.
    """

    known_from_use: ClassVar[tuple[str, ...]] = ("dimension", "reach")

    def of_records(self, reach: float, records: int) -> Self:
        """Noise for uploads that are sums over some of so many records, of which each moves a sum by at most
        2 · reach: none is longer than that over all, so none is ever shortened.
        """
        return self.model_copy(update={"reach": reach, "norm": reach * records})

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
        omitted = ("norm", "reach")
        return {name: value for name, value in values.items() if name not in omitted or value is not None}

    def fitted(self, use: Use) -> Self:
        return super().fitted(use) if self.scope == "upload" else self

    def for_uploads(self) -> Self:
        # uses add up as the root of the sum of squares: a d-th of ε for each weight would waste most of it
        return self if self.scope == "upload" else self.model_copy(update={"per": "upload"})

    @abstractmethod
    def sigma_of(self, epsilon: Floats, sensitivity: Floats) -> Floats:
        """Standard deviation of the noise on each weight."""

    def stated(self, sensitivity: Floats) -> Floats:
        """Sensitivity that the σ formula uses, given the true one."""
        return sensitivity if self.sensitivity is None else np.full_like(sensitivity, self.sensitivity)

    def clip(self, values: Floating, low: ArrayLike, high: ArrayLike) -> Floating:
        return super().clip(values, low, high) if self.norm is None else shortened(values, self.norm)

    def checked(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> tuple[Floats, Floats, Floats]:
        budget, lows, highs = super().checked(epsilon, low, high)
        if self.norm is None:
            return budget, lows, highs
        return budget, np.full(lows.shape, -self.norm), np.full(highs.shape, self.norm)

    def at(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> GaussianLaw:
        return self.law(self, *self.checked(epsilon, low, high))


def _add(v: Any, z: Any, k: Any) -> Any:
    return v + k["spread"] * z


def classical(epsilon: Floats, delta: float) -> Floats:
    """σ over sensitivity, √(2 ln(1.25/δ))/ε (Dwork and Roth 2014, theorem A.1)."""
    return np.sqrt(2 * np.log(1.25 / delta)) / epsilon
