"""Base class of a mechanism's law: its output distribution at given budgets and safe ranges.

Values, budgets and ranges broadcast: a matrix of K clients by d coordinates takes budgets and ranges of shape
(K, 1). Exact quantities (mean, variance, log_prob, …) are float64 and take numbers or numpy arrays; `perturb`
keeps the values' type. Every method first clips values to their safe range: unclipped values would silently
void the guarantee.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldp_core.errors import InvalidInput, shown

Floats: TypeAlias = NDArray[np.float64]
Floating: TypeAlias = NDArray[np.floating[Any]]
M = TypeVar("M")


class Law(ABC, Generic[M]):
    """A mechanism at validated budgets and ranges, made by `Mechanism.at`; caches constants, never values."""

    by_value: ClassVar[bool] = False
    """Whether `perturb` draws at most one number for each value, in row-major order, and rows are
    independent; a class with a `perturb` of its own must say so itself.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "perturb" in vars(cls):
            cls.by_value = vars(cls).get("by_value", False)

    def __init__(self, mechanism: M, epsilon: Floats, low: Floats, high: Floats) -> None:
        self.mechanism, self.epsilon, self.low, self.high = mechanism, epsilon, low, high

    @abstractmethod
    def perturb(self, values: NDArray[Any], generator: np.random.Generator) -> NDArray[Any]:
        """Project `values` (..., d) (usually: clip to the range) and randomise them; same floating dtype
        (float64 for integers) and broadcast shape. Raises `InvalidInput` for NaN, a range too narrow for the
        values' type, or the wrong generator.
        """

    @abstractmethod
    def moments(self, value: ArrayLike) -> tuple[Any, Any]:
        """Exact mean and variance of the output; on a layer or upload, of one coordinate's marginal law."""

    def mean(self, value: ArrayLike) -> Any:
        return self.moments(value)[0]

    def variance(self, value: ArrayLike) -> Any:
        return self.moments(value)[1]

    def summed(self, values: Floating, shares: Floats, rows: slice = slice(None)) -> tuple[Floats, Floats]:
        """Bias and variance, (d,) each, of the sum by `shares` (k,) of outputs for clipped values (k, d)."""
        mean, variance = self.some(rows).moments(values)
        return shares @ (mean - values), shares**2 @ variance

    def some(self, rows: slice) -> Law[M]:
        """Law of the clients in `rows`."""
        return type(self)(self.mechanism, self.epsilon[rows], self.low[rows], self.high[rows])

    @property
    @abstractmethod
    def max_variance(self) -> Any:
        """Largest variance over the safe range: independent of data, so a server may use it for weights."""

    @property
    def weighing_variance(self) -> Any:
        """Variance for aggregation weights; for votes that of the noise before the sign is taken."""
        return self.max_variance

    @abstractmethod
    def log_prob(self, output: ArrayLike, value: ArrayLike) -> Any:
        """Log-density of an output, or log-probability of an atom; for a layer or upload one per vector."""

    def marginal_log_prob(self, output: ArrayLike, value: ArrayLike) -> Any:
        """Log-density of one coordinate of the output, whatever the scope."""
        return self.log_prob(output, value)

    def likelihood(self, output: ArrayLike) -> Callable[[ArrayLike], Any]:
        """`marginal_log_prob` of one output as a function of the value, same bits; faster for many values."""
        return lambda value: self.marginal_log_prob(output, value)

    def log_affinity(self, value: ArrayLike, other: ArrayLike) -> Any:
        """Log Bhattacharyya coefficient, log ∫√(p·p′), between the laws of two inputs, per coordinate (per
        vector where one weight of a layer is reported); None without a closed form.
        """
        return None

    @property
    @abstractmethod
    def loss(self) -> Any:
        """Pure ε of one use, in the mechanism's scope: the largest log-likelihood ratio; may be infinite."""

    @property
    def ledger_loss(self) -> Any:
        """Privacy loss that the ledger counts: the exact one, unless an as-printed form states another."""
        return self.loss

    @abstractmethod
    def delta(self, target: ArrayLike) -> Any:
        """Smallest δ for which one use is (target, δ)-private; 0 from the pure ε on."""

    @property
    def mu(self) -> Any:
        """Sensitivity over σ of Gaussian noise, in the mechanism's scope; None for other noise."""
        return None

    @abstractmethod
    def atoms(self, value: float) -> Floats:
        """Outputs of a coordinate with positive probability, ascending; empty if there are none."""

    def edges(self, value: float) -> Floats:
        """Ascending points where the density is not smooth, with the least and greatest output at the ends
        (−inf and inf if unbounded); empty for a discrete law.
        """
        return np.empty(0)

    def outputs(self) -> Floats | None:
        """All possible output vectors, (n, d), if there are few; else None."""
        return None


def check_budget(epsilon: ArrayLike) -> Floats:
    """`epsilon` as float64; raises `InvalidInput` unless positive and finite."""
    array = as_floats(epsilon, "epsilon")
    wrong = ~(np.isfinite(array) & (array > 0))
    if wrong.any():
        raise InvalidInput(f"epsilon must be a positive, finite number; got {shown(float(array[wrong][0]))}")
    return array


def check_range(low: ArrayLike, high: ArrayLike) -> tuple[Floats, Floats]:
    """Ends of the safe ranges as float64; raises `InvalidInput` unless finite, and low below high."""
    lows, highs = as_floats(low, "low"), as_floats(high, "high")
    if lows.shape != highs.shape:
        lows, highs = np.broadcast_arrays(lows, highs)
    right = (lows < highs) & (lows > -np.inf) & (highs < np.inf)
    if not right.all():
        wrong = ~right
        raise InvalidInput(
            "low must be below high and both finite; "
            f"got low {shown(float(lows[wrong][0]))} and high {shown(float(highs[wrong][0]))}"
        )
    return lows, highs


def as_floats(value: ArrayLike, what: str) -> Floats:
    """`value` as a float64 array; raises `InvalidInput` if it is not numeric, or NaN."""
    try:
        if isinstance(value, str | bool | None):
            raise TypeError
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = None
    # the least of some numbers is none where one of them is: asked in one pass, as large grids are given here
    if array is None or (array.size and np.isnan(np.minimum.reduce(array, axis=None))):
        raise InvalidInput(f"{what} must be a number or an array of numbers; got {shown(value)}")
    return array
