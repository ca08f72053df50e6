"""Empirical audit: a lower bound on ε from samples of a mechanism at both ends of its safe range.

For an event S, fixed before counting, ε ≥ ln((P(S) − δ)/Q(S)), with Clopper–Pearson bounds for both
probabilities. The event comes from the exact law.
"""

import math
from dataclasses import dataclass

import numpy as np

from ldp_core.accounting.samples.likelihoods import likelihood_bound, log_ratio
from ldp_core.gaussian_privacy import epsilon_of
from ldp_core.mechanisms import Mechanism

ALPHA = 1e-6
"""Probability that some interval of an audit misses."""
VECTOR = 8
"""Number of weights of the layer that is sampled for a mechanism per layer."""
MOST = 2_500_000
"""Largest number of perturbed values; audits of whole uploads have fewer samples and a looser bound."""


@dataclass(frozen=True)
class Audit:
    """Claimed ε, exact ε, and the lower bound from samples, for one use at one δ."""

    claimed: float
    exact: float
    measured: float
    """Lower bound on ε; wrong with probability at most `alpha`."""
    delta: float
    samples: int
    alpha: float = ALPHA


def audit(
    mechanism: Mechanism,
    epsilon: float,
    low: float,
    high: float,
    generator: np.random.Generator,
    samples: int = 100_000,
) -> Audit:
    """Audit a mechanism, fitted to the vectors it perturbs, by so many samples of each of the two inputs (a
    tenth of them choose the event).
    """
    law = mechanism.at(epsilon, low, high)
    delta = float(getattr(mechanism, "delta_", 0.0)) if law.mu is not None else 0.0
    length = () if mechanism.scope == "coordinate" else (getattr(mechanism, "dimension", None) or VECTOR,)
    samples = max(200, min(samples, MOST // math.prod(length)))
    shape = (samples, *length)
    ends = [law.perturb(np.full(shape, end), generator) for end in (low, high)]
    inputs = [np.full(length, end) if length else np.float64(end) for end in (low, high)]
    likely = [[law.log_prob(y, x) for x in inputs] for y in ends]
    ratios = [log_ratio(own[0], own[1]) for own in likely]
    bound = likelihood_bound(ratios[0], ratios[1], ALPHA, delta)
    exact = exact_epsilon(mechanism, epsilon, low, high)
    return Audit(epsilon, exact, bound.epsilon, delta, samples)


def exact_epsilon(mechanism: Mechanism, epsilon: float, low: float, high: float) -> float:
    """Exact pure ε, or the exact ε at the mechanism's own δ if it has no pure ε."""
    law = mechanism.at(epsilon, low, high)
    if law.mu is None:
        return float(law.loss)
    return float(epsilon_of(mechanism.delta_, law.mu))  # type: ignore[attr-defined]
