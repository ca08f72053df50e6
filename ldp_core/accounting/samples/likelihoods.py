"""Lower bound on ε from samples of two known distributions: the outputs for two neighbouring inputs.

A trial is the log-likelihood ratio of one output. Some trials choose a threshold on the ratio, the others are
counted, so the bound is that of a likelihood-ratio test (Neyman and Pearson), with exact confidence
(Clopper–Pearson).
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, expit, ndtr, ndtri

from ldp_core.accounting.samples.events import LEAST, wilson
from ldp_core.limits import spelled
from ldp_core.mechanisms.base import Floats

CHOOSING = 10
"""One trial in so many chooses the threshold."""
THRESHOLDS = 60
NEARLY = 0.9
"""Share of the largest possible bound that fewer trials must keep."""


@dataclass(frozen=True)
class LowerBound:
    epsilon: float
    """The lower bound, at least 0."""
    counted: int
    """Trials that were counted, of both worlds …"""
    right: int
    """… of which so many were likelier in their own world; of those that are as likely in both, half."""
    most: float
    """The bound, had all counted trials been on their own world's side of the threshold."""


def likelihood_bound(one: Floats, other: Floats, alpha: float, delta: float = 0.0) -> LowerBound:
    """Lower bound on ε, wrong with probability at most `alpha`, from log-likelihood ratios (first input over
    second), (n,) each, of outputs for the first and for the second input; `delta` of the guarantee under
    test.
    """
    first = len(one) // CHOOSING
    runs = len(one) - first
    choosing = np.concatenate([one[:first], other[:first]])
    sides = (one, other, choosing), (-other, -one, -choosing)
    options = [_threshold(ratio, runs, alpha, delta) for *_, ratio in sides]
    (likely, unlikely, _), (threshold, _) = max(zip(sides, options, strict=True), key=lambda each: each[1][1])
    hits, false = (int((ratio[first:] >= threshold).sum()) for ratio in (likely, unlikely))
    right = int((1 + np.sign(one[first:])).sum() + (1 - np.sign(other[first:])).sum()) // 2
    bounds = [epsilon_bound(a, runs, b, runs, alpha, delta) for a, b in ((hits, false), (runs, 0))]
    return LowerBound(bounds[0], 2 * runs, right, bounds[1])


def _threshold(ratios: Floats, runs: int, alpha: float, delta: float) -> tuple[float, float]:
    """Threshold on the ratio with the largest expected ln(P/Q) in `runs` trials of each input, and that
    value; a trial counts for both inputs, as it belongs to the first with probability 1/(1 + e^−ratio).
    """
    if not len(ratios):
        return 0.0, 0.0
    line = np.sort(ratios)
    steps = np.unique([0.0, *line[np.linspace(0, len(line) - 1, THRESHOLDS).astype(int)]])
    finite = np.isfinite(steps)
    steps[finite] -= 1e-9 * (1 + np.abs(steps[finite]))  # equal ratios may differ by rounding
    above, z = np.searchsorted(line, steps), -float(ndtri(alpha / 2))
    shares = (np.append(np.cumsum(2 * expit(side * line[::-1]))[::-1], 0.0) for side in (1, -1))
    p, q = (share[above] / len(line) for share in shares)
    lower, upper = (wilson(np.minimum(share, 1.0), runs, side) for share, side in ((p, -z), (q, z)))
    scores = np.log(np.maximum(lower - delta, LEAST)) - np.log(upper)
    best = int(np.argmax(scores))
    return float(steps[best]), float(scores[best])


def epsilon_bound(hits: int, runs: int, false: int, among: int, alpha: float, delta: float = 0.0) -> float:
    """ln((P − δ)/Q) with P at the lower and Q at the upper end of its Clopper–Pearson interval, at least 0:
    `hits` in `runs` of the input that makes the event likely, `false` ones `among` those of the other.
    """
    lower = float(betaincinv(hits, runs - hits + 1, alpha / 2)) if hits else 0.0
    upper = float(betaincinv(false + 1, among - false, 1 - alpha / 2)) if false < among else 1.0
    return math.log((lower - delta) / upper) if lower - delta > upper else 0.0


def runs_needed(epsilon: float, alpha: float, delta: float = 0.0) -> int:
    """Least number of runs on each input, of an event that occurs always and never, to exceed `epsilon`."""
    needed = math.log(alpha / 2) / math.log1p(-(1 - delta) / (1 + math.exp(epsilon)))
    return math.floor(min(needed, 1e18)) + 1


def fewest_trials(trials: int, alpha: float, delta: float = 0.0) -> int:
    """Least number of trials of each input, of at most `trials`, whose largest possible bound
    (`LowerBound.most`) is at least `NEARLY` that of all.
    """
    counted = trials - trials // CHOOSING
    if not (most := epsilon_bound(counted, counted, 0, counted, alpha, delta)):
        return trials
    return min(trials, math.ceil(runs_needed(NEARLY * most, alpha, delta) * CHOOSING / (CHOOSING - 1)))


def log_ratio(top: Any, bottom: Any) -> Floats:
    """Log-likelihood ratio; infinite for outputs that only one of the inputs can produce."""
    with np.errstate(invalid="ignore"):
        found: Floats = np.asarray(top - bottom)
    found[np.isnan(found)] = 0.0
    return found


def trials_needed(separation: float, alpha: float) -> float:
    """Approximate number of trials, of both inputs together, that show an ε above 0 for outputs so many
    standard deviations apart, as if normal; infinite if the two have the same distribution.
    """
    gap = 2 * float(ndtr(separation / 2)) - 1
    if gap <= 0:
        return math.inf
    z = -float(ndtri(alpha / 2))
    least = math.log(alpha / 2) / math.log(0.5)
    runs = max(least, 4 * (1 - gap**2) * (z / gap) ** 2)  # a quarter would be an even chance
    return math.ceil(2 * runs * CHOOSING / (CHOOSING - 1))


def expected_bound(separation: ArrayLike, runs: ArrayLike, alpha: float) -> Floats:
    """Approximate lower bound on ε that `runs` trials of each of two inputs show, whose outputs are
    `separation` standard deviations apart; below 0 if they show none.
    """
    apart, many = np.asarray(separation)[..., None], np.asarray(runs)[..., None]
    threshold, z = np.linspace(-2.0, 4.0, 25), -float(ndtri(alpha / 2))
    p, q = (wilson(ndtr(side * apart / 2 - threshold), many, side * -z) for side in (1, -1))
    return np.asarray(np.log(np.maximum(p, LEAST) / q).max(axis=-1))


def cannot_tell(found: LowerBound, needed: float) -> str:
    """Why a bound of 0 says nothing: `cannot tell yet: 0 of 12; 60 trials would do`."""
    needed = max(needed, 3 * found.counted)
    so_far = f"cannot tell yet: {spelled(found.right)} of {spelled(found.counted)}"
    if math.isinf(needed):
        return f"{so_far}; both worlds send the same"
    digits = 10.0 ** max(0, math.floor(math.log10(needed)) - 1)
    return f"{so_far}; {spelled(math.ceil(needed / digits) * digits)} trials would do"
