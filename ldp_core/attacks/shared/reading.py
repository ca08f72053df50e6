"""An upload as a gradient: known weights, their gradient, and its variance."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldp_core.attacks.observation import LayerNoise, Observation
from ldp_core.attacks.shared.first_layer import Mask, window
from ldp_core.attacks.shared.public_steps import PublicSteps
from ldp_core.mechanisms.base import Floats


@dataclass(frozen=True)
class KnownGradients:
    """Known part of the gradients of V uploads."""

    gradients: Floats
    """Gradients, (V, d); 0 where unknown."""
    known: Mask | None
    """Mask of known gradients, (V, d); None if all are known."""
    variance: Floats
    """Mean variance of the remaining noise on known gradients, (V,)."""


def read(seen: Observation, public: PublicSteps | None = None) -> KnownGradients:
    """Gradients of each victim's uploads; ranges of `public` steps are needed where `trims` says so.

    Outputs of windowed mechanisms are trimmed: through LeNet in ±0.2 images are then recovered from ε 16 to
    18 rather than 32 (tests/benchmarks). Without noise, weights at an end of their range count as clipped.
    """
    uploads = seen.uploads.astype(np.float64)
    if seen.clear and public is not None:
        return _in_clear(seen, uploads, public)
    steps, known = seen.steps[0].copy(), seen.steps[1].copy()
    variance = np.zeros(len(steps))
    for part in seen.parts:
        where, mechanism = part
        size = where.stop - where.start
        ends = seen.ends(where)
        if mechanism.role == "identity":
            sent = seen.uploads[0][:, where]
            low, high = (end.astype(np.float32) for end in ends)
            known[:, where] &= (sent > low) & (sent < high)
        elif public and (found := _trimmed(seen, part, uploads, public.furthest)):
            steps[:, where], known[:, where], squares = found
            variance += size * squares
        else:
            middle = np.clip(seen.base[where].mean(), *ends)
            each = mechanism.variance(middle, seen.epsilon[:, None], *ends)
            noise = np.broadcast_to(each, (len(steps), ends[0].shape[1])).mean(axis=1)
            variance += size * noise / seen.rounds
    rate, gaps = seen.learning_rate, None if known.all() else known
    return KnownGradients(np.where(known, steps, 0.0) / rate, gaps, variance / steps.shape[1] / rate**2)


def _in_clear(seen: Observation, uploads: Floats, public: PublicSteps) -> KnownGradients:
    """Gradients where public images have steps of that size, first of any label, then of the label found."""
    steps = seen.base - uploads
    sizes = np.abs(seen.base if seen.target == "weights" else uploads)
    small = np.abs(uploads) <= np.median(sizes) + public.furthest
    first = _of_kept(seen, steps, small & (np.abs(steps) <= public.each))
    of = labels(seen, first)
    return _of_kept(seen, steps, small & (steps >= public.low[of]) & (steps <= public.high[of]))


def _of_kept(seen: Observation, steps: Floats, kept: Mask) -> KnownGradients:
    count = kept.sum(axis=0)
    gradients = (steps * kept).sum(axis=0) / np.maximum(count, 1) / seen.learning_rate
    return KnownGradients(gradients, count > 0, np.zeros(len(gradients)))


def _trimmed(
    seen: Observation, part: LayerNoise, uploads: Floats, furthest: Floats
) -> tuple[Floats, Mask, NDArray[np.float64]] | None:
    """Steps (V, m), mask of the known ones, and variance (V,) of those; None without a window."""
    where, mechanism = part
    narrow = window(seen, mechanism) if seen.low.ndim == 1 else None
    if narrow is None:
        return None
    gain, half, centre = (part[:, :, 0] for part in (narrow.gain, narrow.half, narrow.centre))
    steps = seen.base[where] - (centre + (uploads[..., where] - centre) / gain)
    kept = np.abs(steps) <= half / gain + furthest[where]
    if seen.unsent is not None:
        kept &= ~seen.unsent[..., where]
    count = kept.sum(axis=0)
    spread = (half / gain)[:, 0] ** 2 / 3
    return (steps * kept).sum(axis=0) / np.maximum(count, 1), count > 0, spread / seen.rounds


def labels(seen: Observation, found: KnownGradients) -> NDArray[np.int64]:
    """Label of each victim's single image, (V,). If the last bias may be perturbed or unsent, the last
    layer's weights decide: its inputs are not negative, so the label's row has one sign.
    """
    *_, weight, _ = seen.model.slices(seen.shape, seen.classes)
    if not (seen.clear or seen.unsent is not None) or len(weight.shape) != 2:
        return seen.labels()
    rows = found.gradients[:, weight.start : weight.stop].reshape(-1, seen.classes, weight.shape[1])
    return rows.sum(axis=2).argmin(axis=1)


def trims(seen: Sequence[Observation]) -> bool:
    """Whether `read` needs the ranges of public steps."""
    noisy = [(one, own) for one in seen for _, own in one.parts if own.role != "identity"]
    return any(one.clear for one in seen) or any(window(one, own) is not None for one, own in noisy)
