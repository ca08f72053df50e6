"""The contract of a mechanism.

Values, budgets and ranges broadcast against each other: a matrix of K clients by d coordinates
takes budgets and ranges of shape (K, 1). Everything exact (mean, variance, log_prob, …) is float64
and takes numbers or numpy arrays; `perturb` takes numpy arrays or torch tensors and keeps their
type. A value outside its safe range is clipped to it first, in every method: unclipped, it would
void the guarantee without a sign.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldp_core.component import Component
from ldp_core.errors import InvalidInput, shown
from ldp_core.mechanisms.shared.law import Law

if TYPE_CHECKING:
    import torch

Form = Literal["corrected", "as_printed"]
Scope = Literal["coordinate", "layer", "upload"]
Region = Literal["box", "ball"]
Role = Literal["estimate", "vote", "identity"]
Floats: TypeAlias = NDArray[np.float64]
Floating: TypeAlias = NDArray[np.floating[Any]]
Values = TypeVar("Values", "NDArray[Any]", "torch.Tensor")


@dataclass(frozen=True)
class Use:
    """Where a mechanism is put to use: what some of them need to know, and all of it public."""

    dimension: int
    """Values in the vector it is given: a layer's, or a whole upload's."""
    rounds: int = 1
    """Rounds of the run."""
    round: int = 1
    """The round at hand, from 1."""
    samples: float = 1.0
    """Training samples of an average client."""


@dataclass(frozen=True)
class Difference:
    """One figure of a paper beside the right one; infinity stands for no bound at all."""

    what: str
    printed: float
    corrected: float
    why: str


@dataclass(frozen=True)
class InClear:
    """Something that the server is told without noise, so that no ε covers it."""

    what: str
    by: str
    why: str


class Mechanism(Component):
    """A randomiser of values in a safe range [low, high] with budget epsilon."""

    role: ClassVar[Role] = "estimate"
    """What an answer is: an estimate of the value, a vote (its sign, good for counting only), or the value
    itself."""
    form: ClassVar[Form] = "corrected"
    """Of the law. Where a paper's own differs, it is a subclass in the same file, which sets this."""
    known_from_use: ClassVar[tuple[str, ...]] = ()
    """Parameters that an experiment fills in, and that its JSON does not hold."""
    forms: ClassVar[tuple[Form, ...]] = ("corrected", "as_printed")
    """The forms it exists in; where the paper's own form is right, both are the same object."""
    as_printed: ClassVar[str] = ""
    """What the paper's own form does differently, in one sentence ("" if nothing)."""

    @classmethod
    def in_form(cls, form: Form) -> type[Mechanism]:
        """The class of a form: the subclass that is the paper's own, or the one class of both.

        A printed class is a direct subclass of the corrected one; it has no label, so it is not listed.
        """
        if cls.form == form:
            return cls
        if form == "corrected":
            return cls.__bases__[0]
        return next((one for one in cls.__subclasses__() if vars(one).get("form") == form), cls)

    def formed(self, form: Form) -> Self:
        """The same parameters in a form; itself, where both forms are the same."""
        kind = type(self).in_form(form)
        return self if kind is type(self) else cast("Self", kind(**self.model_dump(by_alias=True)))

    @property
    def printed_otherwise(self) -> bool:
        """True where the paper's own form differs, as its parameters stand."""
        return bool(self.as_printed)

    @property
    def scope(self) -> Scope:
        """What epsilon and privacy_loss cover: one coordinate, one layer, or a whole upload."""
        return "coordinate"

    @property
    def region(self) -> Region:
        """Where its inputs lie: each value in its range; or a whole vector in a ball around 0, whose radius
        is a parameter, and the ranges are ignored."""
        return "box"

    @property
    def separable(self) -> bool:
        """Whether the answers for an upload's weights are independent of each other, given the weights: then
        a part of an upload has a law of its own, the product of its `marginal_log_prob`.
        """
        return self.scope == "coordinate"

    def fitted(self, use: Use) -> Self:
        """A copy that knows where it is used; itself, if that makes no difference."""
        return self

    def for_uploads(self) -> Self:
        """The form that spends one budget on a whole upload; itself, if it can only spend it bit by bit."""
        return self

    def parameters(self) -> dict[str, Any]:
        """Its own parameters as JSON values (the form belongs to the experiment)."""
        values = self.model_dump(mode="json", by_alias=True)
        per = {"per": "upload"} if values.get("dimension") and "per" in values else {}
        return {k: v for k, v in (values | per).items() if k not in self.known_from_use}

    def bits(self) -> float | None:
        """That the answer for a whole vector takes, where it is less than an answer for each weight; None
        where there is one for each.
        """
        return None

    def in_clear(self) -> tuple[InClear, ...]:
        """What of an upload is sent in this form without any noise, besides what everybody knows."""
        return ()

    def project(self, values: Floating, low: ArrayLike, high: ArrayLike) -> Floating:
        """What an input is brought to before it is perturbed: the nearest one that the guarantee covers.

        Here each value is clipped to its range. What this changes is what a run counts as clipped.

        Args:
            values: floats, shape (..., d).
            low, high: ends of the safe ranges, broadcast against values.

        Returns:
            The same shape and type; values that are covered already stay as they are, bit for bit.
        """
        clipped: Floating = np.clip(values, low, high).astype(values.dtype)
        return clipped

    @abstractmethod
    def perturb(
        self,
        values: Values,
        epsilon: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        generator: np.random.Generator | torch.Generator,
    ) -> Values:
        """Project `values` (most often: clip them to [low, high]) and randomise them.

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
        """The exact expected output for an input `value`, in the units of the value.

        Where a whole layer or upload is perturbed at once, this and `variance` are of the marginal
        law of one of its coordinates.
        """

    @abstractmethod
    def variance(self, value: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        """The exact variance of the output for an input `value`, in squared units."""

    def moments(
        self, value: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike
    ) -> tuple[Any, Any]:
        """`mean` and `variance`, bit for bit; whoever overrides it computes once what both need."""
        return self.mean(value, epsilon, low, high), self.variance(value, epsilon, low, high)

    def at(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Law:
        """`perturb` and `moments` at these budgets and ranges, for whoever asks often.

        Raises:
            InvalidInput: a budget or a range; some mechanisms say so only when they are asked.
        """
        return Law(self, epsilon, low, high)

    @abstractmethod
    def max_variance(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        """The largest variance over the safe range.

        It depends on nobody's data, so it is the one that a server may weight uploads by.
        """

    def weighing_variance(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        """What a server weighs uploads by: the largest variance; for a vote, that of the noise whose sign is
        sent, as the votes themselves vary alike however noisy they are.
        """
        return self.max_variance(epsilon, low, high)

    @abstractmethod
    def log_prob(
        self,
        output: ArrayLike,
        value: ArrayLike,
        epsilon: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
    ) -> Any:
        """The log of the output's density, or of its probability where it is an atom.

        Per coordinate; in layer and upload scope one number per vector (the last axis).
        """

    def marginal_log_prob(
        self,
        output: ArrayLike,
        value: ArrayLike,
        epsilon: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
    ) -> Any:
        """The log law of one coordinate of the output, whatever the scope."""
        return self.log_prob(output, value, epsilon, low, high)

    def law_of(
        self, output: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike
    ) -> Callable[[ArrayLike], Any]:
        """`marginal_log_prob` of one output as a function of the value, bit for bit: for whoever tries many
        values, and would have it look at the output each time anew.
        """
        return lambda value: self.marginal_log_prob(output, value, epsilon, low, high)

    def log_affinity(
        self, value: ArrayLike, other: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike
    ) -> Any:
        """The log of the Bhattacharyya coefficient ∫√(p·p′) between the laws of two inputs, per coordinate.

        0 where the outputs tell nothing; None for a mechanism without a closed form. Where one weight of a
        layer is answered, one number per vector (the last axis).
        """
        return None

    @abstractmethod
    def privacy_loss(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        """The largest log likelihood ratio of any output under any two inputs in the range.

        It is for one use, in the mechanism's scope; inf where there is no bound.
        """

    @abstractmethod
    def delta(self, target: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        """The smallest δ for which one use is (target, δ)-private; 0 from the pure loss on."""

    def outputs(self, epsilon: float, low: float, high: float) -> Floats | None:
        """(n, d): every vector that can be sent, where a whole vector has few answers; None elsewhere."""
        return None

    def mu(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        """Sensitivity over σ of Gaussian noise, in the mechanism's scope; None for all other noise."""
        return None

    def ledger_loss(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        """What the ledger takes for the pure loss: the exact one, unless a paper's form has its own."""
        return self.privacy_loss(epsilon, low, high)

    def differences(
        self, value: float, epsilon: float, low: float, high: float, use: Use
    ) -> tuple[Difference, ...]:
        """What its paper prints beside what is right, in numbers, for one weight of one client."""
        return ()

    @abstractmethod
    def atoms(self, value: float, epsilon: float, low: float, high: float) -> Floats:
        """The outputs of a coordinate with a probability of their own, ascending (empty if none)."""

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
