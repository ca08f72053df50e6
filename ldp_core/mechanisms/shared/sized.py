"""Mechanisms of whole layers or uploads, which must know how many weights these have."""

from typing import Annotated, ClassVar, Self

from ldp_core.errors import InvalidInput
from ldp_core.fields import Checked, Whole
from ldp_core.limits import DIMENSION
from ldp_core.mechanisms.base import Mechanism, Use


class Sized(Mechanism):
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
