"""Settings of the local training of a client in a round."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_serializer

from ldp_core import limits, optimizers
from ldp_core.component import Part
from ldp_core.fields import Number, Whole


class Local(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    optimizer: Annotated[optimizers.Optimizer, Part(optimizers.registry, "name", short=True)] = (
        optimizers.get("sgd")
    )
    epochs: Annotated[int, Whole(limits.EPOCHS)] = int(limits.EPOCHS.default)
    batch_size: Annotated[int, Whole(limits.BATCH_SIZE)] = int(limits.BATCH_SIZE.default)
    learning_rate: Annotated[float, Number(limits.LEARNING_RATE)] = limits.LEARNING_RATE.default
    clip: Annotated[float | None, Number(limits.NORM, optional=True)] = Field(
        None, description="length that the gradient of each record is shortened to, where ε is a record's"
    )

    @model_serializer(mode="wrap")
    def _unsaid(self, handler: Any) -> dict[str, Any]:
        return {name: value for name, value in handler(self).items() if name != "clip" or value is not None}
