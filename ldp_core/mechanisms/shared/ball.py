"""Mechanisms on whole uploads of bounded length: vectors in a ball around 0."""

from typing import Annotated, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from ldp_core.fields import Number
from ldp_core.limits import NORM
from ldp_core.mechanisms.base import Floating, Mechanism, Region, Scope, Sized
from ldp_core.mechanisms.shared.blocks import broadcast
from ldp_core.mechanisms.shared.law import Floats, Law, as_floats, check_budget

INSIDE = 1 - 2**-20
"""Factor on the longest vector, so that float32 rounding does not make it longer than allowed."""
M = TypeVar("M", bound="BallMechanism")


class BallLaw(Law[M]):
    """Unbiased, exactly ε; the variance falls with the upload's squared length."""

    def moments(self, value: ArrayLike) -> tuple[Any, Any]:
        """The variance is E‖error‖²/d, the mean over the upload's weights; for a scalar, of the longest."""
        x, d = self._inside(value), self.mechanism.size
        vector = x.ndim > 0 and x.shape[-1] == d
        longest = np.full(x.shape, self.mechanism.norm**2)
        square = (x**2).sum(axis=-1, keepdims=True) if vector else longest
        mean = x + np.zeros(np.broadcast_shapes(self.epsilon.shape, self.low.shape))
        return mean[()], (self.max_variance - square / d + np.zeros_like(x))[()]

    @property
    def loss(self) -> Any:
        return (self.epsilon + np.zeros_like(self.low))[()]

    def edges(self, value: float) -> Floats:
        return np.array([-np.inf, np.inf])

    def _inside(self, value: ArrayLike) -> Floats:
        """Vectors scaled into the ball; scalars clipped to its radius."""
        x, own = as_floats(value, "value"), self.mechanism
        if x.ndim and x.shape[-1] == own.size:
            return np.asarray(own.clip(x, -1, 1), np.float64)
        return np.clip(x, -own.norm, own.norm)


class BallMechanism(Sized):
    """One ε for a whole upload in a ball; ranges are ignored."""

    norm: Annotated[float, Number(NORM)] = Field(
        NORM.default, description="length that an upload has at most; longer ones are shortened to it"
    )

    @property
    def scope(self) -> Scope:
        return "upload"

    @property
    def region(self) -> Region:
        return "ball"

    def parameters(self) -> dict[str, Any]:
        return {"norm": self.norm}

    def checked(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> tuple[Floats, Floats, Floats]:
        ends = np.full(broadcast(np.shape(low), np.shape(high)), self.norm)  # ranges have a shape, no more
        return check_budget(epsilon), -ends, ends


def radius(mechanism: Mechanism, high: float) -> float:
    """Largest length that a mechanism on a ball allows, given the upper end of the ranges; 1 for a box."""
    norm = getattr(mechanism, "norm", None) or high
    return float(norm) * INSIDE if mechanism.region == "ball" else INSIDE


def shortened(values: Floating, norm: float) -> Floating:
    """Vectors along the last axis scaled to length at most `norm`; shorter ones keep their bits."""
    length = np.asarray(lengths(values.astype(np.float64)))
    shorter, longer = values.copy(), length > norm
    shorter[longer] = values[longer] * (norm / length[longer])[..., None]
    return shorter


def lengths(vectors: Floats) -> Floats:
    """Euclidean lengths of vectors along the last axis."""
    return np.sqrt(np.square(vectors).sum(axis=-1))
