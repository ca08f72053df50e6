"""PrivUnitG: one ε for a whole upload of any size (Asi, Feldman and Talwar 2022).

For a direction x on the unit sphere, V ~ N(0, I/d) is drawn with the half-space ⟨V, x⟩ ≥ γ made likelier by a
factor e^ε, and divided by m, which makes it unbiased. Likelihoods under any two directions differ by at most
e^ε, whatever d. A vector inside the ball is a mean of the two opposite directions along it: one is drawn,
which preserves mean and guarantee. Below, lengths are in units of the ball's radius.

Outputs are computed in float64 and rounded to a public grid. In float32 a weight of exactly 0 could produce
scaled float32 normals only, so any other output would reveal that it is not 0.

γ√d = Φ⁻¹(1 − q), p = P(⟨V, x⟩ ≥ γ), logit p − logit q = ε, and p maximises m.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_expit, log_ndtr, ndtr, ndtri_exp

from ldp_core.errors import InvalidInput
from ldp_core.mechanisms.base import Use
from ldp_core.mechanisms.shared.ball import BallLaw, BallMechanism, lengths, shortened
from ldp_core.mechanisms.shared.blocks import checked, on_grid
from ldp_core.mechanisms.shared.law import Floating, Floats, Values, as_floats

if TYPE_CHECKING:
    import torch

NARROWINGS = 50
"""Steps of the golden-section search for logit p, down to 1e-10 of its interval."""
LEAST = 1e-30
"""Length below which a vector has no direction."""


BLOCK = 2**20
"""Number of values perturbed at a time."""
MOST_CUTS = 2**17
"""Number of budgets whose constants are cached."""
GRID_BITS = 18
"""Outputs are multiples of the standard deviation's power of two, divided by 2 to this power: fine enough to
change no figure, and coarse enough that thousands of float64 draws share each output. Float32 represents them
exactly up to 64 standard deviations.
"""


class Cut(NamedTuple):
    """Constants of the law that depend on ε, float64, shaped like ε."""

    log_p: Floats
    log_not_p: Floats
    log_q: Floats
    log_not_q: Floats
    cut: Floats
    """Edge γ√d of the half-space."""
    scale: Floats
    """Factor m√d."""
    square: Floats
    """E[α²]·d for α = ⟨V, x⟩."""


_cuts: dict[float, Floats] = {}
"""Cached constants in the order of `Cut`, by budget."""


class DirectionLaw(BallLaw["PrivUnit"]):
    """Law of a random direction biased towards the upload's own."""

    @cached_property
    def _cut(self) -> Cut:
        return cut_at(self.epsilon)

    def perturb(self, values: Values, generator: np.random.Generator | torch.Generator) -> Values:
        shapes = self.epsilon.shape, self.low.shape
        xp, data = checked(values, generator, np.array(-1.0), np.array(1.0), *shapes)
        shape = tuple(data.shape)
        d = self._size(shape)
        if not int(np.prod(shape)):
            return xp.empty_like(data)
        rows = int(np.prod(shape[:-1], dtype=np.int64))
        flat = data.reshape(rows, d)
        cut = cut_at(np.broadcast_to(self.epsilon, shape)[..., 0].reshape(rows))
        sent, step = xp.empty_like(flat), max(1, BLOCK // (d + 2))
        for first in range(0, rows, step):
            some = slice(first, first + step)
            sent[some] = self._answered(xp, flat[some], Cut(*(part[some] for part in cut)), generator)
        return sent.reshape(shape)

    def _answered(self, xp: Any, flat: Any, law: Cut, generator: Any) -> Any:
        """Rows perturbed in float64 and rounded to multiples of a power of two that depends on the law only:
        every output of one upload is possible for every other, weight by weight.
        """
        (rows, d), norm = flat.shape, self.mechanism.norm
        # two more draws a row: how far the answer lies along x, and which of its two ends it leans to
        if xp is np:
            drawn, wide = generator.standard_normal((rows, d + 2)), flat.astype(np.float64)
            length = lengths(wide)
            extra = drawn[:, d:]
        else:
            wide = flat.double()
            drawn = xp.randn((rows, d + 2), generator=generator, dtype=wide.dtype, device=flat.device)
            length = xp.linalg.vector_norm(wide, dim=1).cpu().numpy()
            extra = drawn[:, d:].cpu().numpy()
        nearer = (1 + np.minimum(length / norm, 1.0)) / 2
        along = np.where(ndtr(extra[:, 1]) < nearer, 1.0, -1.0) * _along(law, extra[:, 0])

        def column(numbers: Floats) -> Any:
            return numbers[:, None] if xp is np else xp.as_tensor(numbers[:, None], device=flat.device)

        nothing = length < LEAST
        unit = wide / column(np.where(nothing, 1.0, length))
        unit[np.flatnonzero(nothing), 0] = 1.0
        z = drawn[:, :d]
        sent = z + (column(along) - (z * unit).sum(-1)[:, None]) * unit
        spread = norm / law.scale
        grid = 2.0 ** (np.floor(np.log2(spread)) - GRID_BITS)
        answers = on_grid(xp, sent * column(spread), column(grid))
        return answers.astype(flat.dtype) if xp is np else answers.to(flat.dtype)

    @property
    def max_variance(self) -> Any:
        cut, own = self._cut, self.mechanism
        variance = own.norm**2 * ((cut.square - 1) / own.size + 1) / cut.scale**2
        return (variance + np.zeros_like(self.low))[()]

    def log_prob(self, output: ArrayLike, value: ArrayLike) -> Any:
        d, norm = self.mechanism.size, self.mechanism.norm
        x, y = self._inside(value) / norm, as_floats(output, "output") / norm
        cut = Cut(*(part[..., 0] if part.ndim else part for part in self._cut))
        shape = np.broadcast_shapes(x.shape, y.shape)
        if not shape or shape[-1] != d:
            raise InvalidInput(f"privunit must be given uploads of {d} weights; got shape {shape}")
        length = np.linalg.norm(x, axis=-1)
        nothing = (length < LEAST / norm)[..., None]
        unit = np.where(nothing, np.eye(1, d)[0], x / np.where(nothing, 1.0, length[..., None]))
        v = y * cut.scale[..., None]  # √d·V: standard normal but for the side of the cut
        along = (v * unit).sum(axis=-1)
        normal = -(v**2).sum(axis=-1) / 2 - d / 2 * np.log(2 * np.pi) + d * np.log(cut.scale / norm)
        share = np.minimum(length, 1.0)
        with np.errstate(divide="ignore"):
            sides = [np.log((1 + s * share) / 2) + _side(cut, s * along >= cut.cut) for s in (1, -1)]
        return (normal + np.logaddexp(*sides))[()]

    def marginal_log_prob(self, output: ArrayLike, value: ArrayLike) -> Any:
        """Marginal law of one weight, for an upload of the largest length."""
        cut, norm = self._cut, self.mechanism.norm
        u = np.clip(as_floats(value, "value") / norm, -1, 1)
        v = as_floats(output, "output") / norm * cut.scale
        # of a standard normal vector, what lies along x is normal with mean u·v and variance 1 − u²
        with np.errstate(divide="ignore", invalid="ignore"):
            beyond = (u * v - cut.cut) / np.sqrt(1 - u**2)
        beyond = np.where(np.isnan(beyond), np.inf, beyond)
        side = np.logaddexp(
            log_ndtr(beyond) + cut.log_p - cut.log_q, log_ndtr(-beyond) + cut.log_not_p - cut.log_not_q
        )
        return (-(v**2) / 2 - np.log(2 * np.pi) / 2 + np.log(cut.scale / norm) + side)[()]

    def delta(self, target: ArrayLike) -> Any:
        goal = as_floats(target, "target")
        # opposite directions: on one's side of the cut the odds are e^ε, and it is there with probability p
        excess = -np.exp(self._cut.log_p) * np.expm1(np.minimum(goal - self.epsilon, 0.0))
        return (excess + np.zeros_like(self.low))[()]

    def atoms(self, value: float) -> Floats:
        return np.empty(0)

    def _size(self, shape: tuple[int, ...]) -> int:
        """Number of weights of an upload: the last axis."""
        known = self.mechanism.dimension
        if not shape:
            raise InvalidInput("privunit perturbs an upload of weights; got a single number")
        if known is not None and shape[-1] not in (0, known):
            raise InvalidInput(f"privunit must be given uploads of {known} weights; got {shape[-1]}")
        return shape[-1]


class PrivUnit(BallMechanism):
    """One direction; exactly ε for the whole upload, attained by opposite directions."""

    law = DirectionLaw
    label = "PrivUnit"
    order = 12
    summary = (
        "Answers with a random direction that leans towards the true one: a whole upload for one ε, and "
        "noise that only many clients average out. Made for updates and for thousands of clients."
    )
    formula = (
        r"\tilde w=\tfrac{\tau}{m}\big(\alpha x+(I-xx^\top)Z\big),\quad Z\sim\mathcal N(0,\tfrac1dI),\quad "
        r"\Pr[\alpha\ge\gamma]=p,\quad \tfrac{p\,(1-q)}{q\,(1-p)}=e^{\varepsilon}"
    )
    reference = "Asi, Feldman and Talwar 2022; Bhowmick et al. 2018; mathematics, section 8"
    known_from_use: ClassVar[tuple[str, ...]] = ("dimension",)

    def fitted(self, use: Use) -> Self:
        return self.model_copy(update={"dimension": use.dimension})

    def project(self, values: Floating, low: ArrayLike, high: ArrayLike) -> Floating:
        """Scale vectors (last axis) down to the ball's radius; `low` and `high` are ignored."""
        return shortened(values, self.norm)


def cut_at(epsilon: Floats) -> Cut:
    """Constants for each budget, with the best p."""
    budgets, places = np.unique(epsilon, return_inverse=True)
    known = _cuts if len(_cuts) < MOST_CUTS else {}
    if new := [one for one in budgets.tolist() if one not in known]:
        known |= zip(new, np.stack(_solved(np.array(new)), axis=-1), strict=True)
    rows = np.reshape([known[one] for one in budgets.tolist()], (-1, len(Cut._fields)))
    return Cut(*(rows[places.reshape(epsilon.shape)][..., i] for i in range(len(Cut._fields))))


def _solved(budgets: Floats) -> Cut:
    """Constants of the law for budgets (n,), each by itself: others beside it change no bit."""
    golden = (np.sqrt(5) - 1) / 2
    left, right = np.zeros_like(budgets), budgets.copy()
    for _ in range(NARROWINGS):  # logit p lies between 0 and ε, and m has one maximum there
        a, b = right - golden * (right - left), left + golden * (right - left)
        lower = _log_scale(a, budgets) < _log_scale(b, budgets)
        left, right = np.where(lower, a, left), np.where(lower, right, b)
    t = (left + right) / 2
    cut = -ndtri_exp(log_expit(t - budgets))
    # E[α²]·d, from φ′(g) = −g·φ(g): beyond the cut 1 + gφ/q, before it 1 − gφ/(1 − q)
    hazard = np.exp(_log_phi(cut) - log_expit(t - budgets))
    hazard_before = np.exp(_log_phi(cut) - log_expit(budgets - t))
    p, not_p = np.exp(log_expit(t)), np.exp(log_expit(-t))
    return Cut(
        log_expit(t),
        log_expit(-t),
        log_expit(t - budgets),
        log_expit(budgets - t),
        cut,
        np.exp(_log_scale(t, budgets)),
        p * (1 + cut * hazard) + not_p * (1 - cut * hazard_before),
    )


def _log_scale(t: Floats, epsilon: Floats) -> Floats:
    """ln(m√d) = ln φ(g)·(p/q)·(1 − e^−ε) for logit p = t."""
    log_q = log_expit(t - epsilon)
    found: Floats = _log_phi(ndtri_exp(log_q)) + log_expit(t) - log_q + np.log(-np.expm1(-epsilon))
    return found


def _log_phi(g: Floats) -> Floats:
    return np.asarray(-(g**2) / 2 - np.log(2 * np.pi) / 2)


def _side(law: Cut, beyond: Any) -> Floats:
    """Log ratio of an output's density to that of N(0, I/d)."""
    return np.where(beyond, law.log_p - law.log_q, law.log_not_p - law.log_not_q)


def _along(law: Cut, z: Floats) -> Floats:
    """√d times the component along x, from standard normal z by inverse transform; accurate in the far
    tail.
    """
    above = log_ndtr(-z)  # ln of the probability of a larger one
    beyond = above < law.log_p
    far = -ndtri_exp(np.minimum(above - law.log_p, 0.0) + law.log_q)
    near = ndtri_exp(np.minimum(log_ndtr(z) - law.log_not_p, 0.0) + law.log_not_q)
    return np.where(beyond, far, near)
