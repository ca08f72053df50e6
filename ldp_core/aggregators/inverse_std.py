"""Weights by one over the standard deviation of a client's noise (paper 001, eq. 12–13)."""

from ldp_core.aggregators.base import Generator, WeighsByNoise, power_of_inverse
from ldp_core.mechanisms.base import Floats


class InverseStd(WeighsByNoise):
    """In the worst case never noisier than the plain mean, and never less noisy than inverse variance."""

    label = "1/σ"
    order = 2
    summary = (
        "A client with twice the noise σ (for its worst weight) counts half: in the worst case between the "
        "plain mean and 1/σ² in what noise is left of estimates."
    )
    formula = r"\bar w=\sum_i\frac{1/\sigma_i}{\sum_j 1/\sigma_j}\,\tilde w_i"
    reference = "Paper 001 (Personalized LDP-FL), weighted average B"

    def raw_weights(self, variances: Floats, sizes: Floats, between: float, generator: Generator) -> Floats:
        return power_of_inverse(variances + between, 0.5)
