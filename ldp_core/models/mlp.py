"""A network with one hidden layer."""

from typing import Annotated

from pydantic import Field

from ldp_core.fields import Whole
from ldp_core.limits import HIDDEN
from ldp_core.models.dense import Dense


class MLP(Dense):
    """features → hidden (ReLU) → classes."""

    label = "Network, one hidden layer"
    order = 2
    summary = "A fully connected network with one hidden layer of ReLU units."
    formula = r"\operatorname{softmax}\big(W_2\max(0,W_1x+b_1)+b_2\big)"

    hidden: Annotated[int, Whole(HIDDEN)] = Field(int(HIDDEN.default), description="hidden units")

    def hidden_widths(self) -> tuple[int, ...]:
        return (self.hidden,)
