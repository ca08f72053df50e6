"""Size of one image's step in each weight, estimated from public images."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldp_core.attacks.observation import Observation
from ldp_core.mechanisms.base import Floats

PUBLIC, MOST = 64, 2**24
"""Number of public images whose steps are computed; for weights in clear as many as have so many numbers."""
FEW = 8
"""Number of images of a label below which images of all labels are used."""
ROUNDING = 1e-8
"""Float32 rounding error of a step, on either side."""


@dataclass(frozen=True)
class PublicSteps:
    """Ranges of one-step weight changes over public images."""

    furthest: Floats
    """Largest step in each weight's layer, (d,)."""
    each: Floats
    """Largest step of each weight, (d,)."""
    low: Floats
    """Lower ends of the steps of each label's images, widened by their range's length, (classes, d); (0, d)
    if nothing is sent in clear.
    """
    high: Floats


def public_steps(seen: Sequence[Observation]) -> PublicSteps:
    """Ranges of one-step weight changes; gradients are assumed at most 1 without public images."""
    one = next((one for one in seen if one.clear), seen[0])
    d = one.previous.size
    if one.public is None:
        far = np.full(d, one.learning_rate)
        ends = np.broadcast_to(far, (one.classes, d))
        return PublicSteps(far, far, -ends, ends)
    count = max(PUBLIC, MOST // d) if one.clear else PUBLIC
    x, y = one.public.x[:count], one.public.y[:count]
    steps = one.base - one.uploads_of(x, y)
    each = np.abs(steps).max(axis=0)
    furthest = each.copy()
    for layer in one.model.slices(one.shape, one.classes):
        furthest[layer.start : layer.stop] = furthest[layer.start : layer.stop].max()
    low, high = (np.empty((0, d)),) * 2
    if one.clear:
        alike = [steps[y == label] if (y == label).sum() >= FEW else steps for label in range(one.classes)]
        low, high = np.stack([a.min(0) for a in alike]), np.stack([a.max(0) for a in alike])
        more = high - low + ROUNDING
        low, high = low - more, high + more
    return PublicSteps(furthest, each, low, high)
