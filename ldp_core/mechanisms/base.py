"""Base class of mechanisms: parameters, and the output distribution at given budgets and safe ranges."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldp_core.component import Component
from ldp_core.errors import InvalidInput
from ldp_core.fields import Checked, Whole
from ldp_core.limits import DIMENSION
from ldp_core.mechanisms.shared.law import Floating, Floats, Law, as_floats, check_budget, check_range
from ldp_core.streams import keyed

if TYPE_CHECKING:
    import torch

__all__ = ["Correction", "Floating", "Floats", "Form", "InClear", "Mechanism", "Use", "Values", "as_floats"]

AnyGenerator: TypeAlias = "np.random.Generator | torch.Generator"
Values = TypeVar("Values", "NDArray[Any]", "torch.Tensor")
Form = Literal["corrected", "as_printed"]
Scope = Literal["coordinate", "layer", "upload"]
Region = Literal["box", "ball"]
Role = Literal["estimate", "vote", "identity"]


@dataclass(frozen=True)
class Use:
    """Public facts about a mechanism's use in an experiment, which some mechanisms need."""

    dimension: int
    """Number of values of the perturbed vector: a layer or a whole upload."""
    rounds: int = 1
    """Number of rounds of the run."""
    round: int = 1
    """Number of the round, from 1."""
    samples: float = 1.0
    """Number of training samples of an average client."""
    labels: int = 1
    """Number of equal blocks of an upload, one per label; 1 without blocks."""


@dataclass(frozen=True)
class Correction:
    """A paper's figure and the correct one; infinity stands for no bound."""

    what: str
    printed: float
    corrected: float
    why: str


@dataclass(frozen=True)
class InClear:
    """A value sent without noise, which no ε covers."""

    what: str
    by: str
    why: str


Corrections: TypeAlias = tuple[Correction, ...]


class Mechanism(Component):
    """A randomiser of values in a safe range [low, high] with budget epsilon."""

    law: ClassVar[type[Law[Any]]]
    """Class of the mechanism's law at given budgets and ranges."""
    role: ClassVar[Role] = "estimate"
    """Meaning of an output: an estimate of the value, a vote (its sign), or the value itself."""
    form: ClassVar[Form] = "corrected"
    """Form of the law; a differing form as printed is a subclass in the same file."""
    labelled: ClassVar[bool] = False
    """Whether an output names a label, so that only uploads with a label can be perturbed."""
    known_from_use: ClassVar[tuple[str, ...]] = ()
    """Parameters that an experiment sets, and that JSON omits."""
    forms: ClassVar[tuple[Form, ...]] = ("corrected", "as_printed")
    """Available forms; if the paper's own form is right, both are the same class."""
    as_printed: ClassVar[str] = ""
    corrected: ClassVar[str] = ""
    """The difference of each form from the other in one sentence; "" if both agree."""

    @classmethod
    def lacking(cls) -> list[str]:
        law = sorted(cls.law.__abstractmethods__) if hasattr(cls, "law") else None
        return [*super().lacking(), *(["law"] if law is None else [f"law.{name}" for name in law])]

    @classmethod
    def in_form(cls, form: Form) -> type[Mechanism]:
        """Class of a form: the as-printed subclass, or the common class if both forms agree.

        An as-printed class is a direct subclass of the corrected one, without a label, so it is not listed.
        """
        if cls.form == form:
            return cls
        if form == "corrected":
            return cls.__bases__[0]
        return next((one for one in cls.__subclasses__() if vars(one).get("form") == form), cls)

    def formed(self, form: Form) -> Self:
        """The same parameters in a form; itself if both forms agree."""
        kind = type(self).in_form(form)
        return self if kind is type(self) else cast("Self", kind(**self.model_dump(by_alias=True)))

    @property
    def printed_otherwise(self) -> bool:
        """True if the paper's own form differs for these parameters."""
        return bool(self.as_printed)

    @property
    def scope(self) -> Scope:
        """Scope of epsilon and privacy_loss: "coordinate", "layer" or "upload"."""
        return "coordinate"

    @property
    def region(self) -> Region:
        """Input region: "box" (values in ranges), or "ball" (vectors up to a length, without ranges)."""
        return "box"

    @property
    def separable(self) -> bool:
        """Whether outputs of an upload's weights are independent, so that `marginal_log_prob` factorises."""
        return self.scope == "coordinate"

    def fitted(self, use: Use) -> Self:
        """Copy with the dimension, round and number of rounds of `use`; itself if the mechanism has none."""
        return self

    def for_uploads(self) -> Self:
        """Variant that spends one budget on a whole upload; itself if there is none."""
        return self

    def parameters(self) -> dict[str, Any]:
        """Own parameters as JSON values, without the form and those known from use."""
        values = self.model_dump(mode="json", by_alias=True)
        per = {"per": "upload"} if values.get("dimension") and "per" in values else {}
        return {k: v for k, v in (values | per).items() if k not in self.known_from_use}

    def read_off(self, uploads: NDArray[Any], epsilon: Floats) -> tuple[Mechanism, Floats, Floats] | None:
        """Law and range ends (V,) inferred from uploads (T, V, m), if ranges follow the data; else None."""
        return None

    def in_clear(self) -> tuple[InClear, ...]:
        """Values of an upload that this form sends without noise and that are not public."""
        return ()

    def clip(self, values: Floating, low: ArrayLike, high: ArrayLike) -> Floating:
        """Nearest input within the guarantee's region, for values (..., d); inner values keep their bits.

        By default each value is clipped to its range. Changed values count as clipped in a run.
        """
        with np.errstate(over="ignore"):  # an end that their type cannot hold clips none of them
            least, most = (np.asarray(end, values.dtype) for end in (low, high))  # rounding keeps their order
        return np.minimum(np.maximum(values, least), most)  # a third of the time of np.clip

    def at(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Law[Any]:
        """Law at these budgets (in the mechanism's scope) and safe ranges.

        Raises:
            InvalidInput: a budget or a range is invalid.
        """
        return self.law(self, *self.checked(epsilon, low, high))

    def checked(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """Validated budgets, and ends of a single weight's range, or of the ball."""
        return check_budget(epsilon), *check_range(low, high)

    def perturb(
        self, values: Values, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike, generator: AnyGenerator
    ) -> Values:
        """Randomised values: a torch tensor, with either kind of generator, is taken to numpy and back."""
        given, draws = cast("Any", values), cast("Any", generator)
        law, torch = self.at(epsilon, low, high), sys.modules.get("torch")
        if torch is None or not isinstance(values, torch.Tensor):
            return cast("Any", law.perturb(given, draws))
        if isinstance(generator, torch.Generator):
            words = torch.randint(2**63 - 1, (2,), generator=generator, device=generator.device)
            draws = keyed(int(words[0]) << 64 | int(words[1]))
        kind = torch.float32 if given.dtype == torch.float32 else torch.float64
        sent = law.perturb(given.detach().cpu().to(kind).numpy(), draws)
        return cast("Any", torch.from_numpy(np.asarray(sent)).to(given.device))

    def mean(self, value: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        return self.at(epsilon, low, high).mean(value)

    def variance(self, value: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        return self.at(epsilon, low, high).variance(value)

    def log_prob(
        self, output: ArrayLike, value: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike
    ) -> Any:
        return self.at(epsilon, low, high).log_prob(output, value)

    def privacy_loss(self, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        return self.at(epsilon, low, high).loss

    def delta(self, target: ArrayLike, epsilon: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
        return self.at(epsilon, low, high).delta(target)

    def differences(self, value: float, epsilon: float, low: float, high: float, use: Use) -> Corrections:
        """Figures of the printed formula that differ from the exact ones, for one weight of one client."""
        return ()


class Sized(Mechanism):
    """A mechanism of whole layers or uploads, which must know how many weights these have."""

    known_from_use: ClassVar[tuple[str, ...]] = ("dimension",)

    dimension: Annotated[int | None, Checked(Whole(DIMENSION, optional=True).check)] = None
    """Number of weights, which the experiment sets and pages hide."""

    def fitted(self, use: Use) -> Self:
        return self.model_copy(update={"dimension": use.dimension})

    @property
    def size(self) -> int:
        """`dimension`; raises `InvalidInput` if it is not known."""
        if self.dimension is None:
            of = "a layer" if self.scope == "layer" else "an upload"
            raise InvalidInput(f"{self.name} must know how many weights {of} has; give it as dimension=…")
        return self.dimension
