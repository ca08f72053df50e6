"""The contract of a law: a mechanism at given budgets and safe ranges.

Values, budgets and ranges broadcast against each other: a matrix of K clients by d coordinates
takes budgets and ranges of shape (K, 1). Everything exact (mean, variance, log_prob, …) is float64
and takes numbers or numpy arrays; `perturb` takes numpy arrays or torch tensors and keeps their
type. A value outside its safe range is clipped to it first, in every method: unclipped, it would
void the guarantee without a sign.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldp_core.errors import InvalidInput, shown

if TYPE_CHECKING:
    import torch

Floats: TypeAlias = NDArray[np.float64]
Floating: TypeAlias = NDArray[np.floating[Any]]
Values = TypeVar("Values", "NDArray[Any]", "torch.Tensor")
M = TypeVar("M")


class Law(ABC, Generic[M]):
    """A mechanism at checked terms, made by `Mechanism.at`. It may cache constants, never values."""

    def __init__(self, mechanism: M, epsilon: Floats, low: Floats, high: Floats) -> None:
        self.mechanism, self.epsilon, self.low, self.high = mechanism, epsilon, low, high

    @abstractmethod
    def perturb(self, values: Values, generator: np.random.Generator | torch.Generator) -> Values:
        """Project `values` (most often: clip them to the range) and randomise them.

        Args:
            values: floats, shape (..., d); integers are taken as float64.
            generator: a numpy Generator for numpy values, a torch.Generator for torch values.

        Returns:
            The same kind, floating dtype and (broadcast) shape as `values`.

        Raises:
            InvalidInput: a NaN value, a range that their type cannot resolve, or the wrong generator.
        """

    @abstractmethod
    def mean(self, value: ArrayLike) -> Any:
        """The exact expected output, in the units of the value.

        Where a whole layer or upload is perturbed at once, this and `variance` are of the marginal
        law of one of its coordinates.
        """

    @abstractmethod
    def variance(self, value: ArrayLike) -> Any:
        """Exact, in squared units."""

    def moments(self, value: ArrayLike) -> tuple[Any, Any]:
        """`mean` and `variance`, bit for bit; an override computes once what both need."""
        return self.mean(value), self.variance(value)

    @property
    @abstractmethod
    def max_variance(self) -> Any:
        """Largest variance over the safe range. Independent of data, so a server may weigh uploads by it."""

    @property
    def weighing_variance(self) -> Any:
        """Variance that uploads are weighted by; for a vote that of the noise before its sign is taken."""
        return self.max_variance

    @abstractmethod
    def log_prob(self, output: ArrayLike, value: ArrayLike) -> Any:
        """The log of the output's density, or of its probability where it is an atom.

        Per coordinate; in layer and upload scope one number per vector (the last axis).
        """

    def marginal_log_prob(self, output: ArrayLike, value: ArrayLike) -> Any:
        """Log law of one coordinate of the output, whatever the scope."""
        return self.log_prob(output, value)

    def likelihood(self, output: ArrayLike) -> Callable[[ArrayLike], Any]:
        """`marginal_log_prob` of one output as a function of the value, bit for bit: for many values."""
        return lambda value: self.marginal_log_prob(output, value)

    def log_affinity(self, value: ArrayLike, other: ArrayLike) -> Any:
        """The log of the Bhattacharyya coefficient ∫√(p·p′) between the laws of two inputs, per coordinate.

        0 where the outputs tell nothing; None without a closed form. Where one weight of a layer is
        answered, one number per vector (the last axis).
        """
        return None

    @property
    @abstractmethod
    def loss(self) -> Any:
        """The largest log likelihood ratio of any output under any two inputs in the range: of one use, in
        the mechanism's scope; inf where there is no bound.
        """

    @property
    def ledger_loss(self) -> Any:
        """Privacy loss in the ledger: the exact one, unless a paper's form states its own."""
        return self.loss

    @abstractmethod
    def delta(self, target: ArrayLike) -> Any:
        """The smallest δ for which one use is (target, δ)-private; 0 from the pure loss on."""

    @property
    def mu(self) -> Any:
        """Sensitivity over σ of Gaussian noise, in the mechanism's scope; None for all other noise."""
        return None

    @abstractmethod
    def atoms(self, value: float) -> Floats:
        """The outputs of a coordinate with a probability of their own, ascending (empty if none)."""

    @abstractmethod
    def edges(self, value: float) -> Floats:
        """Ascending points where the density is not smooth, with lowest and highest output (−inf and inf if
        unbounded); empty if the law is discrete.

        Without a lowest or highest output the ends are −inf and inf; empty if all are atoms.
        """

    def outputs(self) -> Floats | None:
        """(n, d): every vector that can be sent, where a whole vector has few answers; None elsewhere."""
        return None


def check_budget(epsilon: ArrayLike) -> Floats:
    """`epsilon` as float64.

    Raises:
        InvalidInput: a budget that is not a positive, finite number.
    """
    array = as_floats(epsilon, "epsilon")
    wrong = ~(np.isfinite(array) & (array > 0))
    if wrong.any():
        raise InvalidInput(f"epsilon must be a positive, finite number; got {shown(float(array[wrong][0]))}")
    return array


def check_range(low: ArrayLike, high: ArrayLike) -> tuple[Floats, Floats]:
    """The ends of the safe ranges as float64.

    Raises:
        InvalidInput: an end that is not finite, or a low end that is not below its high end.
    """
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
    """`value` as a float64 array.

    Raises:
        InvalidInput: it is no number.
    """
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
