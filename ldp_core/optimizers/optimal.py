"""SGD with the falling step that scikit-learn calls "optimal" (paper 001, section 5.2.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field, PrivateAttr

from ldp_core.fields import Choice, Number
from ldp_core.limits import PENALTY
from ldp_core.optimizers.base import Memory, Optimizer, Rate

if TYPE_CHECKING:
    from torch import Tensor


COUNTERS = ("round", "run")


class Optimal(Optimizer):
    """η_t = 1 / (α (t₀ + t − 1)), with t₀ such that η₁ = α^(−1/4): 10 at scikit-learn's α = 10⁻⁴.

    Bottou's heuristic, as SGDClassifier applies it to the logistic loss. There t counts samples, since
    batches hold one, and continues over calls; here t counts batches, and begins at 1 in every round, or in
    the run. The penalty α‖w‖² is not added.
    """

    label = "SGD, scikit-learn's “optimal” step"
    order = 3
    summary = (
        "SGD whose steps begin large and fall as 1/t; made for logistic regression, needs no learning rate."
    )
    formula = r"\eta_t=\frac{1}{\alpha(t_0+t-1)},\qquad t_0=\alpha^{-3/4}"
    reference = "Paper 001, section 5.2.1; sklearn.linear_model.SGDClassifier; Bottou 2012"

    alpha: Annotated[float, Number(PENALTY)] = Field(
        PENALTY.default, description="α: steps shrink as 1/(α · step)"
    )

    counter: Annotated[str, Choice(COUNTERS)] = Field(
        "round", description="steps are counted: anew in every round, or through the run"
    )
    _begun: int = PrivateAttr(0)

    has_own_rate = True

    def after(self, steps: int) -> Optimal:
        if self.counter == "round" or not steps:
            return self
        later = self.model_copy()
        later._begun = steps
        return later

    def rate(self, number: int, learning_rate: float) -> float:
        """η_t; the experiment's learning rate is ignored."""
        return 1 / (self.alpha * (self.alpha**-0.75 + self._begun + number - 1))

    def step(
        self, weights: Tensor, gradient: Tensor, memory: Memory, number: int, learning_rate: Rate
    ) -> None:
        weights.sub_(gradient, alpha=self.rate(number, 0.0))
