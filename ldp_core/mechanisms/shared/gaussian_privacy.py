"""Exact privacy of Gaussian noise.

A Gaussian mechanism is characterised by μ = sensitivity / σ. Its δ at ε is δ(ε; μ) = Φ(μ/2 − ε/μ) − e^ε
Φ(−μ/2 − ε/μ) (Balle and Wang 2018, theorem 8); T uses equal one use with the root of the sum of squared μ
(Dong, Roth and Su 2022, corollary 3.3). All functions are float64 and broadcast; they need scipy.special
only.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erfcx, ndtr, ndtri

Floats = NDArray[np.float64]
ROOT_2 = np.sqrt(2.0)


def delta_of(epsilon: ArrayLike, mu: ArrayLike) -> Floats:
    """δ of Gaussian noise with `mu` > 0 at `epsilon` ≥ 0."""
    e, m = np.asarray(epsilon, np.float64), np.asarray(mu, np.float64)
    upper, lower = m / 2 - e / m, -m / 2 - e / m
    # ε − lower²/2 = −upper²/2, so both terms share a factor and their difference keeps its digits
    tail = 0.5 * np.exp(-(upper**2) / 2)
    beyond = erfcx(-lower / ROOT_2)
    with np.errstate(over="ignore", invalid="ignore"):
        small = tail * (erfcx(-upper / ROOT_2) - beyond)
    return np.clip(np.where(upper < 0, small, ndtr(upper) - tail * beyond), 0.0, 1.0)


def epsilon_of(delta: ArrayLike, mu: ArrayLike) -> Floats:
    """Smallest ε such that Gaussian noise with `mu` > 0 is (ε, `delta`)-private; δ in (0, 1)."""
    goal, m = np.broadcast_arrays(np.asarray(delta, np.float64), np.asarray(mu, np.float64))
    # δ ≤ Φ(μ/2 − ε/μ), so at ε = μ²/2 + μ·√(2 ln(1/δ)) the goal is met
    high = m**2 / 2 + m * np.sqrt(2 * np.log(1 / goal))
    low, epsilon, wanted = np.zeros_like(high), np.zeros_like(high), np.log(goal)
    done = delta_of(0.0, m) <= goal
    # ln δ falls and is concave in ε, so Newton's steps on it arrive in a handful; a bracket guards them
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for _ in range(90):
            now = delta_of(epsilon, m)
            over = now > goal
            low, high = np.where(over, epsilon, low), np.where(over, high, epsilon)
            # −∂δ/∂ε is the second term of δ
            slope = (
                -0.5 * np.exp(-((m / 2 - epsilon / m) ** 2) / 2) * erfcx((m / 2 + epsilon / m) / ROOT_2) / now
            )
            following = epsilon - (np.log(now) - wanted) / slope
            inside = (following > low) & (following < high)
            following = np.where(inside, following, (low + high) / 2)
            moved, epsilon = np.abs(following - epsilon), following
            if (done | (moved <= 1e-15 * (1 + epsilon)) | (high - low <= 1e-15 * (1 + high))).all():
                break
    return np.where(done, 0.0, epsilon)


def mu_of(epsilon: ArrayLike, delta: ArrayLike) -> Floats:
    """Largest μ that is (`epsilon`, `delta`)-private: the least noise for this guarantee.

    In terms of a = ε/μ − μ/2 the guarantee is δ ≈ Φ(−a), so √(−2 ln δ) is almost linear in a, and Newton's
    method converges in a few steps, safeguarded by a bracket.
    """
    e, goal = np.broadcast_arrays(np.asarray(epsilon, np.float64), np.asarray(delta, np.float64))
    shape, e, goal = e.shape, e.ravel(), goal.ravel()
    a = -ndtri(goal)  # δ ≤ Φ(−a): from here the answer lies below
    low, high = np.full_like(a, -np.inf), a.copy()
    open_ = np.arange(a.size)
    for turn in range(100):
        following, gap = _newton(a[open_], e[open_], goal[open_])
        here = a[open_]
        low[open_] = np.where(gap < 0, np.maximum(low[open_], here), low[open_])
        high[open_] = np.where(gap > 0, np.minimum(high[open_], here), high[open_])
        bottom, top = low[open_], high[open_]
        bisected = np.where(np.isfinite(bottom), (bottom + top) / 2, top - 2 * (1 + np.abs(top)))
        inside = (following > bottom) & (following < top)
        # tiny budgets can make Newton swing from side to side: halving every other time ends that
        following = np.where(inside & (turn < 6 or turn % 2 == 0), following, bisected)
        there = np.abs(gap) < 1e-13
        a[open_] = np.where(there, here, following)
        settled = there | (np.abs(following - here) < 1e-15 * (1 + np.abs(here)))
        open_ = open_[~settled]
        if not open_.size:
            break
    return _mu_at(a, e).reshape(shape)


def _newton(a: Floats, epsilon: Floats, goal: Floats) -> tuple[Floats, Floats]:
    """Newton step: the next a, and the error in √(−2 ln δ)."""
    mu = _mu_at(a, epsilon)
    now = np.maximum(delta_of(epsilon, mu), 1e-320)
    with np.errstate(divide="ignore", invalid="ignore"):
        reached = np.sqrt(-2 * np.log(now))
        gap = reached - np.sqrt(-2 * np.log(goal))
        # ∂δ/∂μ is the normal density at a
        density = np.exp(-(a**2) / 2) / np.sqrt(2 * np.pi)
        slope = density * mu / (np.hypot(a, np.sqrt(2 * epsilon)) * now * reached)
        return a - gap / slope, gap


def _mu_at(a: Floats, epsilon: Floats) -> Floats:
    """The positive root of ε/μ − μ/2 = a."""
    root = np.hypot(a, np.sqrt(2 * epsilon))
    return np.where(a > 0, 2 * epsilon / (np.abs(a) + root), root - a)
