"""Laws of whole uploads that name labels and a direction for each, at a pure ε: PrivUnit and LabelUnit.

An upload has a block for each of C labels (PrivUnit: a single one). The base law is a uniform set T of m
labels and N(0, I) in the block of each. The cap of (label y, direction z) is {y ∈ T and ⟨V_y, z⟩ ≥ g}; all
caps have measure q = (m/C)·Φ(−g). The output is drawn from the base law given the cap with probability p,
else given its complement, where logit p − logit q = ε. So likelihood ratios between any two inputs are at
most (p/q)·((1−q)/(1−p)) = e^ε. Divided by a = p/q·(1 − e^−ε)·(m/C)·φ(g) the output is unbiased; other blocks
have mean 0. p maximises a, m minimises m/a².

Outputs are computed in float64 and rounded to a public grid. In float32 a weight of exactly 0 could produce
scaled float32 normals only, so any other output would reveal that it is not 0. Below, lengths are in units of
the ball's radius.
"""

from abc import abstractmethod
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, log_expit, log_ndtr, ndtri_exp

from ldp_core.errors import InvalidInput
from ldp_core.mechanisms.shared.ball import BallLaw, BallMechanism
from ldp_core.mechanisms.shared.blocks import checked
from ldp_core.mechanisms.shared.law import Floats, as_floats

NARROWINGS = 50
"""Steps of the golden-section search for logit p, down to 1e-10 of its interval."""
LEAST = 1e-30
"""Length below which a vector has no direction."""
BLOCK = 2**20
"""Number of values perturbed at a time."""
MOST_CAPS = 2**17
"""Number of budgets whose constants are cached."""
GRID_BITS = 18
"""Outputs are multiples of the standard deviation's power of two, divided by 2 to this power: too fine to
change a figure, shared by thousands of float64 draws each, and exact in float32 up to 64 deviations.
"""
M = TypeVar("M", bound="CapMechanism")


class Caps(NamedTuple):
    """Constants of the law that depend on ε and C, shaped like ε."""

    labels: Floats
    """Number m of reported labels."""
    log_p: Floats
    log_not_p: Floats
    log_q: Floats
    log_not_q: Floats
    log_beyond: Floats
    """ln Φ(−g): log-probability of a normal number beyond the cap's edge."""
    cut: Floats
    """Edge g of the cap."""
    scale: Floats
    """Factor a that makes the output unbiased."""
    named: Floats
    """Probability that the reported labels contain the client's own."""
    square: Floats
    """E[α²; y ∈ T] for α = ⟨V_y, z⟩."""


class CapLaw(BallLaw[M]):
    """Law of m labels with a direction each, biased towards the client's own."""

    @cached_property
    def _caps(self) -> Caps:
        return caps_at(self.epsilon, self.mechanism.blocks)

    def perturb(self, values: NDArray[Any], generator: np.random.Generator) -> NDArray[Any]:
        shapes = self.epsilon.shape, self.low.shape
        data = checked(values, generator, np.array(-1.0), np.array(1.0), *shapes)
        shape, own = data.shape, self.mechanism
        if not data.size:
            return np.empty_like(data)
        d = own.checked_size(shape)
        rows = int(np.prod(shape[:-1], dtype=np.int64))
        flat = data.reshape(rows, d)
        caps = caps_at(np.broadcast_to(self.epsilon, shape)[..., 0].reshape(rows), own.blocks)
        sent, step = np.empty_like(flat), max(1, BLOCK // (d + 2))
        for first in range(0, rows, step):
            some = slice(first, first + step)
            sent[some] = self.answers(
                flat[some].astype(np.float64), Caps(*(part[some] for part in caps)), generator
            )
        return sent.reshape(shape)

    @abstractmethod
    def answers(self, flat: Floats, caps: Caps, generator: np.random.Generator) -> Floats:
        """Outputs for rows (k, d), on the public grid of `grid_of`."""

    @property
    def max_variance(self) -> Any:
        caps, own = self._caps, self.mechanism
        numbers = caps.labels * (own.size // own.blocks) + caps.square - caps.named
        return (own.norm**2 * numbers / caps.scale**2 / own.size + np.zeros_like(self.low))[()]

    def log_prob(self, output: ArrayLike, value: ArrayLike) -> Any:
        """Log-density of the reported labels and the numbers in their blocks; a reported block that was
        rounded to zeros may be any of those that are zero.
        """
        own = self.mechanism
        x, y = self._inside(value) / own.norm, as_floats(output, "output") / own.norm
        shape = np.broadcast_shapes(x.shape, y.shape)
        own.checked_size(shape)
        blocks = (own.blocks, own.size // own.blocks)
        caps = Caps(*(part[..., 0] if part.ndim else part for part in self._caps))
        v = (y * caps.scale[..., None]).reshape(*y.shape[:-1], *blocks)
        named = (v != 0).any(axis=-1) | (caps.labels == own.blocks)[..., None]
        chances, directions = ends(x.reshape(*x.shape[:-1], *blocks))
        along = np.einsum("...cf,...cf->...c", v, directions)
        within = along >= caps.cut[..., None]
        other = -along >= caps.cut[..., None]
        more, less = (caps.log_p - caps.log_q)[..., None], (caps.log_not_p - caps.log_not_q)[..., None]
        with np.errstate(divide="ignore"):
            sides = [
                np.log(chance) + np.where(named & beyond, more, less)
                for chance, beyond in ((chances[0], within), (chances[1], other))
            ]
        leaning = np.logaddexp.reduce(np.concatenate(np.broadcast_arrays(*sides), axis=-1), axis=-1)
        m, c = caps.labels, own.blocks
        choice = gammaln(m + 1) + gammaln(c - m + 1) - gammaln(c + 1)
        each = blocks[1] * (np.log(caps.scale / own.norm) - np.log(2 * np.pi) / 2)
        base = choice + m * each - (v**2).sum(axis=(-2, -1)) / 2
        seen = named.sum(axis=-1)
        zeros = gammaln(c - seen + 1) - gammaln(np.maximum(m - seen, 0) + 1) - gammaln(c - m + 1)
        return np.where(seen <= m, base + leaning + zeros, -np.inf)[()]

    def marginal_log_prob(self, output: ArrayLike, value: ArrayLike) -> Any:
        """Marginal law of one weight in the label's block, for an upload of the largest length."""
        caps, norm, c = self._caps, self.mechanism.norm, self.mechanism.blocks
        u = np.clip(as_floats(value, "value") / norm, -1, 1)
        v = as_floats(output, "output") / norm * caps.scale
        with np.errstate(divide="ignore", invalid="ignore"):
            beyond = (u * v - caps.cut) / np.sqrt(1 - u**2)
            silent = np.log1p(-np.minimum(caps.named, 1.0))
        beyond = np.where(np.isnan(beyond), np.inf, beyond)
        side = np.logaddexp(
            log_ndtr(beyond) + caps.log_p - caps.log_q, log_ndtr(-beyond) + caps.log_not_p - caps.log_not_q
        )
        density = -(v**2) / 2 - np.log(2 * np.pi) / 2 + np.log(caps.scale / norm * caps.labels / c) + side
        return np.where((v == 0) & (caps.labels < c), silent, density)[()]

    def delta(self, target: ArrayLike) -> Any:
        goal = as_floats(target, "target")
        # opposite directions of one label: the caps are disjoint, as g ≥ 0
        excess = -np.exp(self._caps.log_p) * np.expm1(np.minimum(goal - self.epsilon, 0.0))
        return (excess + np.zeros_like(self.low))[()]

    def atoms(self, value: float) -> Floats:
        return np.zeros(1) if (self._caps.labels < self.mechanism.blocks).all() else np.empty(0)


class CapMechanism(BallMechanism):
    """Whole uploads of equal blocks, one per label."""

    @property
    def blocks(self) -> int:
        """Number C of labels."""
        return 1

    def checked_size(self, shape: tuple[int, ...]) -> int:
        """Number of weights of uploads of this shape; raises `InvalidInput` if it does not fit."""
        found = shape[-1] if shape else 0
        if not shape or (self.dimension or found) != found or found % self.blocks:
            blocks = f" in {self.blocks} equal blocks" if self.blocks > 1 else ""
            raise InvalidInput(
                f"{self.name} must be given uploads of {self.dimension or 'some'} weights{blocks}; got "
                f"shape {shape}"
            )
        return found


def ends(blocks: Floats) -> tuple[tuple[Floats, Floats], Floats]:
    """Vectors (…, C, f) of the unit ball as random mixtures of directions: for each block the probabilities
    of its direction and of the opposite one, (…, C) each, and the directions (…, C, f).
    """
    lengths = np.linalg.norm(blocks, axis=-1)
    nothing = (lengths < LEAST)[..., None]
    first = np.eye(1, blocks.shape[-1])[0]
    directions = np.where(nothing, first, blocks / np.where(nothing, 1.0, lengths[..., None]))
    longest = np.arange(blocks.shape[-2]) == lengths.argmax(axis=-1)[..., None]
    rest = np.maximum(0.0, 1 - lengths.sum(axis=-1, keepdims=True)) / 2 * longest
    return (lengths + rest, rest), directions


def grid_of(spread: Floats) -> Floats:
    """Step of the public grid, for outputs of these standard deviations."""
    return 2.0 ** (np.floor(np.log2(spread)) - GRID_BITS)


_known: dict[tuple[float, int], Floats] = {}
"""Cached constants in the order of `Caps`, by budget and number of labels."""


def caps_at(epsilon: Floats, labels: int) -> Caps:
    """Constants for each budget, with the best p and m."""
    budgets, places = np.unique(epsilon, return_inverse=True)
    keys = [(one, labels) for one in budgets.tolist()]
    known = _known if len(_known) < MOST_CAPS else {}
    if new := [one for one in keys if one not in known]:
        found = _best(np.array([budget for budget, _ in new]), labels)
        known |= zip(new, np.stack(found, axis=-1), strict=True)
    rows = np.reshape([known[one] for one in keys], (-1, len(Caps._fields)))
    return Caps(*(rows[places.reshape(epsilon.shape)][..., i] for i in range(len(Caps._fields))))


def _best(budgets: Floats, labels: int) -> Caps:
    """Constants for budgets (n,), each by itself: others beside it change no bit."""
    tried = [_with(budgets, m, labels) for m in range(1, labels + 1)]
    best = np.array([np.log(one.labels) - 2 * np.log(one.scale) for one in tried]).argmin(axis=0)
    each = np.arange(len(budgets))
    return Caps(*(np.array([one[i] for one in tried])[best, each] for i in range(len(Caps._fields))))


def _with(budgets: Floats, m: int, labels: int) -> Caps:
    """Constants with the best p for sets of m labels, by golden-section search; q ≤ m/2C keeps g ≥ 0."""
    golden, share = (np.sqrt(5) - 1) / 2, m / labels
    least = np.full_like(budgets, np.log(share / 2) - np.log1p(-share / 2))
    left, right = least, least + budgets
    for _ in range(NARROWINGS):
        a, b = right - golden * (right - left), left + golden * (right - left)
        lower = _log_scale(a, budgets, share) < _log_scale(b, budgets, share)
        left, right = np.where(lower, a, left), np.where(lower, right, b)
    t = (left + right) / 2
    log_p, log_not_p = log_expit(t), log_expit(-t)
    log_q, log_not_q = log_expit(t - budgets), log_expit(budgets - t)
    log_beyond = log_q - np.log(share)
    cut = -ndtri_exp(log_beyond)
    off, hazard = np.exp(log_not_p - log_not_q), np.exp(_log_phi(cut) - log_beyond)
    before = -np.expm1(log_beyond)
    named = np.exp(log_p) + share * off * before
    square = np.exp(log_p) * (1 + cut * hazard) + share * off * (before - cut * np.exp(_log_phi(cut)))
    scale = np.exp(_log_scale(t, budgets, share))
    many = np.full_like(budgets, m)
    return Caps(many, log_p, log_not_p, log_q, log_not_q, log_beyond, cut, scale, named, square)


def _log_scale(t: Floats, epsilon: Floats, share: float) -> Floats:
    """ln a for logit p = t."""
    log_q = log_expit(t - epsilon)
    cut = ndtri_exp(log_q - np.log(share))
    return _log_phi(cut) + log_expit(t) - log_q + np.log(-np.expm1(-epsilon)) + np.log(share)


def _log_phi(g: Floats) -> Floats:
    return np.asarray(-(g**2) / 2 - np.log(2 * np.pi) / 2)
