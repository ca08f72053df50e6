"""The contract of a mechanism.

Values, budgets and ranges broadcast against each other: a matrix of K clients by d coordinates
takes budgets and ranges of shape (K, 1). Everything exact (mean, variance, log_prob, …) is float64
and takes numbers or numpy arrays; `perturb` takes numpy arrays or torch tensors and keeps their
type. A value outside its safe range is clipped to it first, in every method: unclipped, it would
void the guarantee without a sign.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldp_core.component import Component
from ldp_core.errors import InvalidInput, shown

if TYPE_CHECKING:
    import torch

Form = Literal["corrected", "as_printed"]
Scope = Literal["coordinate", "layer", "upload"]
Floats: TypeAlias = NDArray[np.float64]
Values = TypeVar("Values", "NDArray[Any]", "torch.Tensor")


class Mechanism(Component):
    """A randomiser of values in a safe range [low, high] with budget epsilon."""

    scope: ClassVar[Scope] = "coordinate"
    """What epsilon and privacy_loss cover: one coordinate, one layer, or a whole upload."""
    forms: ClassVar[tuple[Form, ...]] = ("corrected", "as_printed")
    """The forms it exists in; where the paper's own form is right, both are the same object."""
    as_printed: ClassVar[str] = ""
    """What the paper's own form does differently, in one sentence ("" if nothing)."""

    form: Form = "corrected"

    def parameters(self) -> dict[str, Any]:
        """Its own parameters as JSON values (the form belongs to the experiment)."""
        return self.model_dump(mode="json", exclude={"form"})

    @abstractmethod
    def perturb(
        self,
        values: Values,
        epsilon: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        generator: np.random.Generator | torch.Generator,
    ) -> Values:
        """Clip `values` to [low, high] and randomise them.

        Args:
            values: floats, shape (..., d); integers are taken as float64.
            epsilon: budgets in the mechanism's scope, > 0, broadcast against values.
            low, high: ends of the safe ranges, low < high, broadcast against values.
            generator: a numpy Generator for numpy values, a torch.Generator for torch values.

        Returns:
            The same kind, floating dtype and (broadcast) shape as `values`.

        Raises:
            InvalidInput: a budget, a range, a NaN value or a generator of the wrong kind.
        """

    @abstractmethod
    def mean(self, value: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        """The exact expected output for an input `value`, in the units of the value."""

    @abstractmethod
    def variance(self, value: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        """The exact variance of the output for an input `value`, in squared units."""

    @abstractmethod
    def max_variance(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        """The largest variance over the safe range.

        It depends on nobody's data, so it is the one that a server may weight uploads by.
        """

    @abstractmethod
    def log_prob(
        self,
        output: ArrayLike,
        value: ArrayLike,
        epsilon: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
    ) -> Any:
        """The log of the output's density, or of its probability where it is an atom."""

    @abstractmethod
    def privacy_loss(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        """The largest log likelihood ratio of any output under any two inputs in the range.

        It is for one use, in the mechanism's scope; inf where there is no bound.
        """

    @abstractmethod
    def delta(self, target: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        """The smallest δ for which one use is (target, δ)-private; 0 from the pure loss on."""

    @abstractmethod
    def atoms(self, value: float, epsilon: float, low: float, high: float) -> Floats:
        """The outputs that have a probability of their own, ascending (empty if there are none)."""

    @abstractmethod
    def edges(self, value: float, epsilon: float, low: float, high: float) -> Floats:
        """Where the density is not smooth, ascending, from its lowest output to its highest.

        Without a lowest or highest output the ends are −inf and inf; empty if all are atoms.
        """


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
    lows, highs = np.broadcast_arrays(lows, highs)
    wrong = ~(np.isfinite(lows) & np.isfinite(highs) & (lows < highs))
    if wrong.any():
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
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{what} must be a number or an array of numbers; got {shown(value)}") from None
