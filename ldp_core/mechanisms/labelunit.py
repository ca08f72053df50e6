"""LabelUnit: one pure ε for a label and a vector together; PrivUnit on label × direction.

An upload has a block for each of C labels; a client's vector is in the block of its label. The base law is a
uniform set T of m labels and N(0, I) in the block of each. The cap of (label y, direction z) is {y ∈ T and
⟨V_y, z⟩ ≥ g}; all caps have measure q = (m/C)·Φ(−g). The output is drawn from the base law given the cap with
probability p, else given its complement, where logit p − logit q = ε. So likelihood ratios between any two
inputs are at most (p/q)·((1−q)/(1−p)) = e^ε. Divided by a = p/q·(1 − e^−ε)·(m/C)·φ(g) the output is unbiased;
other blocks have mean 0. p maximises a, m minimises m/a²; with one label, or m = C, it is PrivUnit.

A vector in several blocks, with total length below the ball's radius, is a mean of the blocks' directions and
of one direction with its opposite: one of them is drawn, which preserves mean and guarantee. Outputs are
rounded to a public grid, as for PrivUnit. Below, lengths are in units of the ball's radius.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, log_expit, log_ndtr, ndtr, ndtri_exp

from ldp_core.errors import InvalidInput
from ldp_core.fields import Checked, Whole
from ldp_core.limits import DIMENSION
from ldp_core.mechanisms.base import Use
from ldp_core.mechanisms.privunit import BLOCK, GRID_BITS, LEAST, NARROWINGS
from ldp_core.mechanisms.shared.ball import BallLaw, BallMechanism
from ldp_core.mechanisms.shared.blocks import checked, on_grid
from ldp_core.mechanisms.shared.law import Floating, Floats, Values, as_floats

if TYPE_CHECKING:
    import torch


DECIDE = 3
"""Number of normal draws per output besides its own values: opposite direction, cap, distance."""
Rows = NDArray[np.int64]


class Caps(NamedTuple):
    """Constants of the law that depend on ε and C, float64, shaped like ε."""

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


class LabelledLaw(BallLaw["LabelUnit"]):
    """Law of m labels with a direction each, biased towards the client's own."""

    @cached_property
    def _caps(self) -> Caps:
        return caps_at(self.epsilon, self.mechanism.labels)

    def perturb(self, values: Values, generator: np.random.Generator | torch.Generator) -> Values:
        shapes = self.epsilon.shape, self.low.shape
        xp, data = checked(values, generator, np.array(-1.0), np.array(1.0), *shapes)
        shape, own = tuple(data.shape), self.mechanism
        if not int(np.prod(shape)):
            return xp.empty_like(data)
        d = own.checked_size(shape)
        rows = int(np.prod(shape[:-1], dtype=np.int64))
        flat = data.reshape(rows, d)
        epsilon = np.broadcast_to(self.epsilon, shape)[..., 0].reshape(rows)
        sent, step = xp.empty_like(flat), max(1, BLOCK // (d + 2))
        for first in range(0, rows, step):
            some = slice(first, first + step)
            part = flat[some] if xp is np else flat[some].cpu().numpy()
            caps = caps_at(epsilon[some], own.labels)
            answers = np.empty(part.shape)
            for alike, drawn in _drawn(xp, generator, flat, caps.labels, own):
                theirs = Caps(*(one[alike] for one in caps))
                answers[alike] = _answered(part[alike].astype(np.float64), theirs, own, drawn)
            sent[some] = answers.astype(flat.dtype) if xp is np else xp.as_tensor(answers).to(flat)
        return sent.reshape(shape)

    @property
    def max_variance(self) -> Any:
        caps, own = self._caps, self.mechanism
        numbers = caps.labels * (own.size // own.labels) + caps.square - caps.named
        return (own.norm**2 * numbers / caps.scale**2 / own.size + np.zeros_like(self.low))[()]

    @property
    def second_moments(self) -> tuple[Any, Any, Any]:
        """(b, c, s): over the blocks of an output, E Σ V Vᵀ = b·I + c·zzᵀ for direction z, with entries of
        standard deviation s; in squared units of the output.
        """
        caps, unit = self._caps, (self.mechanism.norm / self._caps.scale) ** 2
        return caps.labels * unit, (caps.square - caps.named) * unit, np.sqrt(caps.labels) * unit

    def log_prob(self, output: ArrayLike, value: ArrayLike) -> Any:
        """Log-density of the reported labels and the numbers in their blocks."""
        own = self.mechanism
        x, y = self._inside(value) / own.norm, as_floats(output, "output") / own.norm
        shape = np.broadcast_shapes(x.shape, y.shape)
        own.checked_size(shape)
        blocks = (own.labels, own.size // own.labels)
        caps = Caps(*(part[..., 0] if part.ndim else part for part in self._caps))
        v = (y * caps.scale[..., None]).reshape(*y.shape[:-1], *blocks)
        named = (v != 0).any(axis=-1)
        chances, directions = _ends(x.reshape(*x.shape[:-1], *blocks))
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
        m, c = caps.labels, own.labels
        choice = gammaln(m + 1) + gammaln(c - m + 1) - gammaln(c + 1)
        each = blocks[1] * (np.log(caps.scale / own.norm) - np.log(2 * np.pi) / 2)
        base = choice + m * each - (v**2).sum(axis=(-2, -1)) / 2
        return np.where(named.sum(axis=-1) == m, base + leaning, -np.inf)[()]

    def marginal_log_prob(self, output: ArrayLike, value: ArrayLike) -> Any:
        """Marginal law of one weight in the label's block, for an upload of the largest length."""
        caps, norm, c = self._caps, self.mechanism.norm, self.mechanism.labels
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
        return np.zeros(1) if (self._caps.labels < self.mechanism.labels).all() else np.empty(0)


class LabelUnit(BallMechanism):
    """A label and a direction; exactly ε for both together, attained by opposite directions."""

    law = LabelledLaw
    label = "LabelUnit"
    order = 13
    summary = (
        "Names a few labels and a random direction for each, its own label more often and leaning the true "
        "way: label and vector for one ε. For class means only, as other uploads have no label."
    )
    formula = (
        r"\Pr[y\in T,\ \langle V_y,z\rangle\ge g]=p,\quad \tfrac{p\,(1-q)}{q\,(1-p)}=e^{\varepsilon},\quad "
        r"q=\tfrac mC\Phi(-g),\quad \tilde w_c=\tfrac{\tau}{a}V_c\,1[c\in T]"
    )
    reference = "honest-frontier, section 2; after Asi, Feldman and Talwar 2022"
    labelled = True
    known_from_use: ClassVar[tuple[str, ...]] = ("dimension", "labels")

    labels: Annotated[int, Checked(Whole(DIMENSION).check)] = 1

    def fitted(self, use: Use) -> Self:
        return self.model_copy(update={"dimension": use.dimension, "labels": use.labels})

    def project(self, values: Floating, low: ArrayLike, high: ArrayLike) -> Floating:
        """Scale vectors (last axis) so that their blocks' lengths sum to at most the radius."""
        blocks = values.astype(np.float64).reshape(*values.shape[:-1], self.labels, -1)
        length = np.linalg.norm(blocks, axis=-1).sum(axis=-1)[..., None]
        shorter = values * (self.norm / np.maximum(length, self.norm))
        projected: Floating = np.where(length > self.norm, shorter, values).astype(values.dtype)
        return projected

    def checked_size(self, shape: tuple[int, ...]) -> int:
        """Number of weights of uploads of this shape.

        Raises:
            InvalidInput: the shape does not fit the labels or the dimension.
        """
        found = shape[-1] if shape else 0
        if not shape or (self.dimension or found) != found or found % self.labels:
            raise InvalidInput(
                f"labelunit must be given uploads of {self.dimension or 'some'} weights in {self.labels} "
                f"equal blocks; got shape {shape}"
            )
        return found


def _drawn(xp: Any, generator: Any, like: Any, labels: Floats, own: LabelUnit) -> list[tuple[Rows, Floats]]:
    """Normal random numbers for rows with these numbers of labels, as (rows, numbers), drawn row by row, so
    that grouping changes nothing. Three numbers decide, one per label sorts, the rest form the output.
    """
    ends = np.flatnonzero(np.diff(labels, append=np.nan))
    found: dict[int, list[tuple[Rows, Floats]]] = {}
    first = 0
    for end in ends + 1:
        m = int(labels[first])
        shape = (int(end) - first, DECIDE + own.labels + m * (own.checked_size(like.shape) // own.labels))
        if xp is np:
            numbers: Floats = generator.standard_normal(shape)
        else:
            of = {"generator": generator, "dtype": xp.float64, "device": like.device}
            numbers = xp.randn(shape, **of).cpu().numpy()
        found.setdefault(m, []).append((np.arange(first, end), numbers))
        first = int(end)
    alike = (zip(*parts, strict=True) for parts in found.values())
    return [(np.concatenate(rows), np.concatenate(numbers)) for rows, numbers in alike]


def _ends(blocks: Floats) -> tuple[tuple[Floats, Floats], Floats]:
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


def _answered(x: Floats, caps: Caps, own: LabelUnit, drawn: Floats) -> Floats:
    """Outputs, on the public grid, for rows with equal numbers of labels."""
    k, labels, m = len(x), own.labels, int(caps.labels[0])
    inside = np.asarray(own.project(x, -1, 1), np.float64) / own.norm
    (along, against), directions = _ends(inside.reshape(k, labels, -1))
    chances = np.cumsum(np.concatenate([along, against], axis=1), axis=1)
    pick, cap = ndtr(drawn[:, :2]).T
    picked = (pick[:, None] * chances[:, -1:] >= chances).sum(axis=1).clip(max=2 * labels - 1)
    label, rows = picked % labels, np.arange(k)
    z = directions[rows, label] * np.where(picked < labels, 1.0, -1.0)[:, None]
    # in its cap; else in the set and short of the cut; else not in the set
    p, short = np.exp(caps.log_p), np.log1p(-np.exp(caps.log_beyond))
    capped = cap < p
    rest = np.exp(np.log(m / labels) + short - caps.log_not_q)
    named = capped | (cap - p < np.exp(caps.log_not_p) * rest)
    far = log_ndtr(drawn[:, 2])
    leaning = np.where(capped, -ndtri_exp(far + caps.log_beyond), ndtri_exp(far + short))
    keys = drawn[:, DECIDE : DECIDE + labels].copy()
    keys[rows, label] = np.where(named, -np.inf, np.inf)  # its own label comes first, or not at all
    v = drawn[:, DECIDE + labels :].reshape(k, m, -1).copy()
    further = np.where(named, leaning - np.einsum("kf,kf->k", v[:, 0], z), 0.0)
    v[:, 0] += further[:, None] * z
    spread = own.norm / caps.scale
    grid = 2.0 ** (np.floor(np.log2(spread)) - GRID_BITS)
    sent = np.zeros((k, labels, z.shape[1]))
    answers = on_grid(np, v * spread[:, None, None], grid[:, None, None])
    sent[rows[:, None], keys.argsort(axis=1)[:, :m]] = answers
    return sent.reshape(k, -1)


def caps_at(epsilon: Floats, labels: int) -> Caps:
    """Constants for each budget, with the best p and m."""
    budgets, places = np.unique(epsilon, return_inverse=True)
    found = _best(tuple(budgets.tolist()), labels)
    return Caps(*(part[places].reshape(np.shape(epsilon)) for part in found))


@lru_cache(maxsize=8)
def _best(budgets: tuple[float, ...], labels: int) -> Caps:
    tried = [_with(np.array(budgets), m, labels) for m in range(1, labels + 1)]
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
    found: Floats = _log_phi(cut) + log_expit(t) - log_q + np.log(-np.expm1(-epsilon)) + np.log(share)
    return found


def _log_phi(g: Floats) -> Floats:
    return np.asarray(-(g**2) / 2 - np.log(2 * np.pi) / 2)
