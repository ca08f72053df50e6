"""A network with two hidden layers."""

from typing import Annotated

from pydantic import Field

from ldp_core.fields import Whole
from ldp_core.limits import HIDDEN
from ldp_core.models.dense import Dense


class MLP2(Dense):
    """features → hidden (ReLU) → second (ReLU) → classes."""

    label = "Network, two hidden layers"
    order = 3
    summary = "A fully connected network with two hidden layers of ReLU units."
    formula = r"\operatorname{softmax}\big(W_3\max(0,W_2\max(0,W_1x+b_1)+b_2)+b_3\big)"
    reference = "Paper 003, its fully connected model (sizes are not printed there)"

    hidden: Annotated[int, Whole(HIDDEN)] = Field(64, description="units in the first hidden layer")
    second: Annotated[int, Whole(HIDDEN)] = Field(32, description="units in the second hidden layer")

    def hidden_widths(self) -> tuple[int, ...]:
        return (self.hidden, self.second)
