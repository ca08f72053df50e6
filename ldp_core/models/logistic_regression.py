"""Multinomial logistic regression: one linear layer."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ldp_core.fields import Choice
from ldp_core.models.base import Shape
from ldp_core.models.dense import Dense


class LogisticRegression(Dense):
    """d = classes × (features + 1): 650 weights on digits, 7 850 on MNIST."""

    label = "Logistic regression"
    order = 1
    summary = "One linear layer: small, convex, and easy to attack."
    formula = r"\Pr[y=k\mid x]\propto\exp(w_k^\top x+b_k)"
    reference = "Paper 001, its model for every data set"

    begin: Annotated[str, Choice(("open", "zero", "random"))] = Field(
        "open", description="first weights: zero if a budget allows few rounds, zero, or random"
    )

    def initial(self, shape: Shape, classes: int, generator: np.random.Generator) -> NDArray[np.float32]:
        found = super().initial(shape, classes, generator)
        return np.zeros_like(found) if self.begin == "zero" else found

    def hidden_widths(self) -> tuple[int, ...]:
        return ()
