"""Empirical audit: a lower bound on ε from samples of a mechanism at both ends of its safe range.

For an event S the likelihood ratio bounds ε from below: ε ≥ ln((P(S) − δ)/Q(S)), with Clopper–Pearson bounds
for both probabilities and thus a stated error rate. A lower bound cannot prove a guarantee, only refute it.

In float64 the event comes from the exact law. That law ignores float32 rounding, so for float32 the event
also contains every output that the other input cannot produce (`floats.can_give`). The event is fixed before
counting: a bad choice lowers the bound and keeps it valid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import betaincinv

from ldp_core.accounting.floats import Client, can_give, countable
from ldp_core.mechanisms import Mechanism
from ldp_core.mechanisms.base import Floats

Precision = Literal["float64", "float32"]
ALPHA = 1e-6
"""The probability that any of an audit's intervals misses."""
VECTOR = 8
"""Weights in a layer that stands for all layers, where the budget is for a layer."""
MOST = 2_500_000
"""Values drawn at most: of whole uploads there are fewer samples, and the bound is looser."""


@dataclass(frozen=True)
class Audit:
    """Claimed ε, exact ε, and the lower bound from samples, for one use at one δ."""

    claimed: float
    exact: float
    measured: float
    """A lower bound; wrong with probability at most `alpha`."""
    delta: float
    samples: int
    alpha: float = ALPHA
    given_away: float | None = None
    """The share of answers that only one of the inputs can have caused; None if it was not looked for."""


def audit(
    mechanism: Mechanism,
    epsilon: float,
    low: float,
    high: float,
    generator: np.random.Generator,
    samples: int = 100_000,
    precision: Precision = "float64",
) -> Audit:
    """Audit a mechanism at one ε.

    Half of a tenth of the samples choose the event, the rest count it.

    Args:
        mechanism: fitted to the vectors it perturbs, unless its scope is a coordinate.
        epsilon, low, high: ε and the safe range.
        generator: a random stream of the audit's own.
        samples: number of runs on each of the two inputs.
        precision: of the perturbed values, and so of the arithmetic; training uses float32.
    """
    law = mechanism.at(epsilon, low, high)
    delta = float(getattr(mechanism, "delta_", 0.0)) if law.mu is not None else 0.0
    length = () if mechanism.scope == "coordinate" else (getattr(mechanism, "dimension", None) or VECTOR,)
    samples = max(200, min(samples, MOST // math.prod(length)))
    shape = (samples, *length)
    ends = [law.perturb(np.full(shape, end, precision), generator) for end in (low, high)]
    inputs = [np.full(length, end) if length else np.float64(end) for end in (low, high)]
    likely = [[law.log_prob(y, x) for x in inputs] for y in ends]
    first = samples // 10
    looked = precision == "float32" and countable(mechanism)
    bounds, alone = [], []
    for one, other in ((0, 1), (1, 0)):
        ratios = [log_ratio(likely[i][one], likely[i][other]) for i in (one, other)]
        if looked:
            elsewhere = Client(mechanism, (low, high)[other], epsilon, low, high)
            possible = can_give(elsewhere, np.concatenate([ends[one], ends[other]]))
            ratios = [np.where(p, r, np.inf) for p, r in zip(np.split(possible, 2), ratios, strict=True)]
            alone.append(1 - float(possible[:samples].mean()))
        threshold = _event(ratios[0][:first], ratios[1][:first], delta)
        hits, false = (int((r[first:] >= threshold).sum()) for r in ratios)
        runs = samples - first
        bounds.append(epsilon_bound(hits, runs, false, runs, delta=delta))  # of two directions
    exact = exact_epsilon(mechanism, epsilon, low, high)
    return Audit(epsilon, exact, max(bounds), delta, samples, given_away=max(alone, default=None))


def exact_epsilon(mechanism: Mechanism, epsilon: float, low: float, high: float) -> float:
    """Exact pure ε, or the exact ε at the mechanism's own δ if it has no pure ε."""
    law = mechanism.at(epsilon, low, high)
    if law.mu is None:
        return float(law.loss)
    from ldp_core.normal import epsilon_of

    return float(epsilon_of(mechanism.delta_, law.mu))  # type: ignore[attr-defined]


def log_ratio(top: Any, bottom: Any) -> Floats:
    """Log-likelihood ratio; infinite for outputs that only one of the inputs can produce."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.asarray(top - bottom), nan=0.0, posinf=np.inf, neginf=-np.inf)


def _event(hits: Floats, misses: Floats, delta: float) -> float:
    """Threshold on the likelihood ratio with the largest expected bound, by a normal approximation."""
    runs = len(hits)
    steps = np.unique(np.sort(hits)[np.linspace(0, 0.995 * (runs - 1), 60).astype(int)])
    finite = np.isfinite(steps)
    steps[finite] -= 1e-9 * (1 + np.abs(steps[finite]))
    p, q = (1 - np.searchsorted(np.sort(r), steps) / runs for r in (hits, misses))
    lower = p - 5 * np.sqrt(p * (1 - p) / runs) - delta
    upper = q + 5 * np.sqrt(q * (1 - q) / runs) + 12 / runs
    return float(steps[np.argmax(lower / upper)])


def epsilon_bound(
    hits: int, runs: int, false: int, among: int, alpha: float = ALPHA / 2, delta: float = 0.0
) -> float:
    """ln((P − δ)/Q) with P at the lower and Q at the upper end of its Clopper–Pearson interval, at least 0.

    Args:
        hits, runs: occurrences of the event and number of runs, for the input that makes it likely.
        false, among: the same for the other input.
        alpha: probability that one of the two intervals fails.
    """
    lower = float(betaincinv(hits, runs - hits + 1, alpha / 2)) if hits else 0.0
    upper = float(betaincinv(false + 1, among - false, 1 - alpha / 2)) if false < among else 1.0
    return math.log((lower - delta) / upper) if lower - delta > upper else 0.0


def runs_needed(epsilon: float, alpha: float, delta: float = 0.0) -> int:
    """Least number of runs on each input with which the bound can exceed `epsilon`, if the event occurs
    always and never.
    """
    needed = math.log(alpha / 2) / math.log1p(-(1 - delta) / (1 + math.exp(epsilon)))
    return math.floor(min(needed, 1e18)) + 1
