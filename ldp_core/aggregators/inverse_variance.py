"""Weights by one over the variance of a client's noise: the least noisy unbiased combination."""

from ldp_core.aggregators.base import Generator, WeighsByNoise, power_of_inverse
from ldp_core.mechanisms.base import Floats


class InverseVariance(WeighsByNoise):
    """The weighted mean of least variance when all clients estimate the same weights."""

    label = "1/σ²"
    order = 3
    summary = (
        "A client with twice the noise σ (for its worst weight) counts a quarter: with κ 0 no weighted mean "
        "of unbiased estimates has a smaller worst case."
    )
    formula = r"\bar w=\sum_i\frac{1/(\sigma_i^2+\kappa^2)}{\sum_j 1/(\sigma_j^2+\kappa^2)}\,\tilde w_i"
    reference = "Best linear unbiased estimate (Gauss–Markov); mathematics, section 2"

    def raw_weights(self, variances: Floats, sizes: Floats, between: float, generator: Generator) -> Floats:
        return power_of_inverse(variances + between, 1.0)
