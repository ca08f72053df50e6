"""Weights by the number of samples of a client, whatever its noise."""

from ldp_core.aggregators.base import Aggregator, Generator
from ldp_core.mechanisms.base import Floats


class DataWeighted(Aggregator):
    """Weights of federated averaging; the number of samples is sent in clear."""

    label = "by data"
    order = 4
    summary = "A client with twice the images counts twice, however noisy it is; it must say how many it has."
    formula = r"\bar w=\sum_i\frac{|D_i|}{\sum_j|D_j|}\,\tilde w_i"
    reference = "McMahan et al. 2017, algorithm 1; paper 000, eq. 3"
    reads_in_clear = "how many samples each client has, |D_i|"
    weighs_by_size = True

    def raw_weights(self, variances: Floats, sizes: Floats, between: float, generator: Generator) -> Floats:
        return sizes
