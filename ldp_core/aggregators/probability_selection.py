"""Probability-based selection (paper 001, eq. 14 and 15): one draw decides which clients count.

Client i has P_i ∝ 1/σ_i with sum 1. One ω, uniform in [0, 1), is drawn for the round; clients with P_i > ω
have equal weights, the others 0. So the chosen are always those with most ε, and none is chosen with
probability 1 − max P: the paper then divides by zero. Here the model stays unchanged in such a round.
"""

import numpy as np
from numpy.typing import ArrayLike

from ldp_core.aggregators.base import (
    Generator,
    Mask,
    Moments,
    Noise,
    NoiseMoments,
    WeighsByNoise,
    power_of_inverse,
)
from ldp_core.errors import InvalidInput
from ldp_core.mechanisms.base import Floats


class ProbabilitySelection(WeighsByNoise):
    """A lottery: the more alike clients are, the more rounds are empty."""

    label = "lottery"
    order = 5
    summary = (
        "One draw a round: the more permissive a client, the likelier it is heard. It may be nobody (in most "
        "rounds, where many clients are alike), and then the server keeps its model."
    )
    formula = r"\bar w=\frac1m\sum_{i:\,P_i>\omega}\tilde w_i,\quad P_i=\frac{1/\sigma_i}{\sum_j 1/\sigma_j}"
    reference = "Paper 001 (Personalized LDP-FL), probability-based selection C, eq. 14 and 15"

    @property
    def draws(self) -> bool:
        return True

    def raw_weights(self, variances: Floats, sizes: Floats, between: float, generator: Generator) -> Floats:
        if generator is None:
            raise InvalidInput("probability_selection draws its weights and needs a generator")
        return (self.probabilities(variances, between) > generator.random()).astype(np.float64)

    def probabilities(self, variances: Floats, between: float = 0.0) -> Floats:
        raw = power_of_inverse(variances + between, 0.5)
        return raw / raw.sum()

    def moments(self, variances: ArrayLike, sizes: ArrayLike | None = None, between: float = 0.0) -> Moments:
        p = self.probabilities(np.asarray(variances, dtype=np.float64), between or self.between)
        order = np.argsort(-p, kind="stable")
        falling = p[order]
        # the m likeliest are heard alone with probability P(m) − P(m+1)
        exactly = falling - np.append(falling[1:], 0.0)
        heard = np.arange(1, len(p) + 1)
        mean, square = np.empty_like(p), np.empty_like(p)
        mean[order] = np.cumsum((exactly / heard)[::-1])[::-1]
        square[order] = np.cumsum((exactly / heard**2)[::-1])[::-1]
        return mean, square, float(1 - falling[0])

    def noise(
        self, drawn: NoiseMoments, worst: Floats, sizes: Floats, here: Mask, between: float = 0.0
    ) -> Noise:
        raw = np.where(here, power_of_inverse(worst + (between or self.between), 0.5), 0.0)
        total = raw.sum(axis=-1, keepdims=True)
        p = raw / np.where(total > 0, total, 1.0)
        order = np.argsort(-p, axis=-1, kind="stable")
        falling, variance, bias = (np.take_along_axis(part, order, -1) for part in (p, *drawn))
        heard = np.arange(1, p.shape[-1] + 1)
        exactly = falling - np.concatenate([falling[..., 1:], np.zeros_like(falling[..., :1])], axis=-1)
        # the m likeliest are heard, alike, with probability P(m) − P(m+1)
        left = variance.cumsum(axis=-1) / heard**2 + (bias.cumsum(axis=-1) / heard) ** 2
        return (exactly * left).sum(axis=-1), 1 - falling[..., 0]
