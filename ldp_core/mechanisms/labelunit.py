"""LabelUnit: one pure ε for a label and a vector together; PrivUnit on label × direction.

A client's vector is in the block of its label; the law is that of `shared.caps`, with one label PrivUnit's. A
vector in several blocks, with total length below the ball's radius, is a mean of the blocks' directions and
of one direction with its opposite: one of them is drawn, which preserves mean and guarantee.
"""

from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr, ndtr, ndtri_exp

from ldp_core.fields import Checked, Whole
from ldp_core.limits import DIMENSION
from ldp_core.mechanisms.base import Use
from ldp_core.mechanisms.shared.blocks import on_grid
from ldp_core.mechanisms.shared.caps import CapLaw, CapMechanism, Caps, ends, grid_of
from ldp_core.mechanisms.shared.law import Floating, Floats

DECIDE = 3
"""Number of normal draws per output besides its own values: opposite direction, cap, distance."""
Rows = NDArray[np.int64]


class LabelledLaw(CapLaw["LabelUnit"]):
    def answers(self, flat: Floats, caps: Caps, generator: np.random.Generator) -> Floats:
        own, sent = self.mechanism, np.empty(flat.shape)
        for alike, drawn in _drawn(generator, flat.shape, caps.labels, own):
            theirs = Caps(*(one[alike] for one in caps))
            sent[alike] = _answered(flat[alike], theirs, own, drawn)
        return sent

    @property
    def second_moments(self) -> tuple[Any, Any, Any]:
        """(b, c, s): over the blocks of an output, E Σ V Vᵀ = b·I + c·zzᵀ for direction z, with entries of
        standard deviation s; in squared units of the output.
        """
        caps, unit = self._caps, (self.mechanism.norm / self._caps.scale) ** 2
        return caps.labels * unit, (caps.square - caps.named) * unit, np.sqrt(caps.labels) * unit

    @property
    def naming(self) -> tuple[Any, Any]:
        """Probabilities that the reported labels contain the client's own label, and any other one."""
        caps = self._caps
        return caps.named, (caps.labels - caps.named) / max(self.mechanism.labels - 1, 1)


class LabelUnit(CapMechanism):
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

    @property
    def blocks(self) -> int:
        return self.labels

    def fitted(self, use: Use) -> Self:
        return super().fitted(use).model_copy(update={"labels": use.labels})

    def clip(self, values: Floating, low: ArrayLike, high: ArrayLike) -> Floating:
        """Scale vectors (last axis) so that their blocks' lengths sum to at most the radius."""
        blocks = values.astype(np.float64).reshape(*values.shape[:-1], self.labels, -1)
        length = np.linalg.norm(blocks, axis=-1).sum(axis=-1)[..., None]
        shorter = values * (self.norm / np.maximum(length, self.norm))
        return np.where(length > self.norm, shorter, values).astype(values.dtype)


def _drawn(
    generator: np.random.Generator, of: tuple[int, ...], labels: Floats, own: LabelUnit
) -> list[tuple[Rows, Floats]]:
    """Normal random numbers for rows with these numbers of labels, as (rows, numbers), drawn row by row, so
    that grouping changes nothing. Three numbers decide, one per label sorts, the rest form the output.
    """
    ends = np.flatnonzero(np.diff(labels, append=np.nan))
    found: dict[int, list[tuple[Rows, Floats]]] = {}
    first = 0
    for end in ends + 1:
        m = int(labels[first])
        shape = (int(end) - first, DECIDE + own.labels + m * (own.checked_size(of) // own.labels))
        numbers = generator.standard_normal(shape)
        found.setdefault(m, []).append((np.arange(first, end), numbers))
        first = int(end)
    alike = (zip(*parts, strict=True) for parts in found.values())
    return [(np.concatenate(rows), np.concatenate(numbers)) for rows, numbers in alike]


def _answered(x: Floats, caps: Caps, own: LabelUnit, drawn: Floats) -> Floats:
    """Outputs, on the public grid, for rows with equal numbers of labels."""
    k, labels, m = len(x), own.labels, int(caps.labels[0])
    inside = np.asarray(own.clip(x, -1, 1), np.float64) / own.norm
    (along, against), directions = ends(inside.reshape(k, labels, -1))
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
    sent = np.zeros((k, labels, z.shape[1]))
    answers = on_grid(v * spread[:, None, None], grid_of(spread)[:, None, None])
    sent[rows[:, None], keys.argsort(axis=1)[:, :m]] = answers
    return sent.reshape(k, -1)
