"""The plain mean: every client counts the same."""

import numpy as np

from ldp_core.aggregators.base import Aggregator, Generator
from ldp_core.mechanisms.base import Floats


class Mean(Aggregator):
    """Equal weights; the noisiest clients dominate the aggregate's noise."""

    label = "mean"
    order = 1
    summary = "Every client counts the same, so the noisiest clients set the noise."
    formula = r"\bar w=\frac1K\sum_i\tilde w_i"
    reference = "Federated averaging; paper 001's A"

    def raw_weights(self, variances: Floats, sizes: Floats, between: float, generator: Generator) -> Floats:
        return np.ones_like(variances)
