"""Upper bounds for all attackers (reference: attacks, section 7), each with its label.

The worst-case bounds use the total ε of all observations of an image, which with an ε per coordinate is so
large that they exclude nothing, and say so. The instance bound holds for the given candidates and model only.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from ldp_core.limits import at_most, number
from ldp_core.mechanisms.base import Floats

VACUOUS = 0.999
"""Value from which on a bound on a share excludes nothing."""


@dataclass(frozen=True)
class IdentificationBound:
    """Upper bound on the identification rate among equally likely candidates."""

    name: Literal["mary", "gaussian", "instance"]
    label: str
    value: float

    @property
    def vacuous(self) -> bool:
        return self.value >= VACUOUS

    def as_json(self) -> dict[str, object]:
        return {"name": self.name, "label": self.label, "value": self.value, "vacuous": self.vacuous}


def mary(epsilon: ArrayLike, candidates: int) -> Floats:
    """Largest identification rate among M equally likely candidates, for the total ε of all observations: e^ε
    / (e^ε + M − 1), tight for randomised response over M outputs.
    """
    return 1 / (1 + (candidates - 1) * np.exp(-np.asarray(epsilon, np.float64)))


def gaussian(mu: ArrayLike, baseline: ArrayLike) -> Floats:
    """Largest success probability under Gaussian noise of what guessing achieves with κ: Φ(Φ⁻¹(κ) + μ) for a
    total sensitivity of μσ (Hayes et al. 2023).
    """
    return ndtr(ndtri(np.asarray(baseline, np.float64)) + np.asarray(mu, np.float64))


def instance(log_affinity: Floats) -> list[IdentificationBound]:
    """For each victim among its M candidates, from log Bhattacharyya coefficients (V, M) of their laws
    against the first one's: (1 + Σⱼ TVⱼ)/M with TVⱼ ≤ √(1 − BCⱼ²), an average over the true candidate.
    """
    apart = np.sqrt(np.maximum(-np.expm1(2 * np.minimum(log_affinity, 0.0)), 0.0))
    found: Floats = np.minimum(1.0, (1 + apart.sum(axis=1)) / log_affinity.shape[1])
    label = "for these inputs and this model"
    return [IdentificationBound("instance", _said(label, value), value) for value in found.tolist()]


def worst_case(total: float, mu: float | None, candidates: int) -> IdentificationBound:
    """Bound that holds for any images, by the ε of all observations of one (infinite without a pure ε), or by
    their sensitivity over σ for Gaussian noise.
    """
    if mu is not None:
        value = float(gaussian(mu, 1 / candidates))
        label = f"Gaussian bound, worst case, μ = {number(mu, 3)} for all that was seen of it"
        return IdentificationBound("gaussian", _said(label, value), value)
    if not np.isfinite(total):
        return IdentificationBound("mary", "no bound: no ε holds for this form", 1.0)
    value = float(mary(total, candidates))
    label = f"worst case, ε = {at_most(total, 4)} and δ = 0 for all that was seen of it"
    return IdentificationBound("mary", _said(label, value), value)


def _said(label: str, value: float) -> str:
    return f"{label}: excludes nothing" if value >= VACUOUS else label
