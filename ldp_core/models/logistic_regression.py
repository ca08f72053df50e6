"""Multinomial logistic regression: one linear layer."""

from __future__ import annotations

from ldp_core.models.dense import Dense


class LogisticRegression(Dense):
    """d = classes × (features + 1): 650 weights on digits, 7 850 on MNIST."""

    label = "Logistic regression"
    order = 1
    summary = "One linear layer: small, convex, and easy to attack."
    formula = r"\Pr[y=k\mid x]\propto\exp(w_k^\top x+b_k)"
    reference = "Paper 001, its model for every data set"

    def hidden_widths(self) -> tuple[int, ...]:
        return ()
