"""Attack on weights that R-PSS sends without noise (paper 002; reference: attacks, section 4).

Which weights were perturbed is not sent, but visible: a step is small, so an unperturbed weight arrives close
to the server's own, and a perturbed one rarely does. The larger the noise, the clearer the separation. The
known part of the first layer's gradient is completed to a matrix of rank 1.
"""

import numpy as np

from ldp_core.attacks.base import Facts, Reconstructor
from ldp_core.attacks.observation import Image, Observation
from ldp_core.attacks.shared.first_layer import Mask, leading_of_known, reach, scaled
from ldp_core.mechanisms.base import Floats

NARROWING, FINEST = 0.8, 1e-7
"""Factor by which the threshold between clear and perturbed weights falls, down to float32's rounding."""


class ClearWeights(Reconstructor):
    label = "Weights in clear"
    order = 5
    summary = (
        "Takes the weights that arrive close to the server's own for the ones without noise, and finds the "
        "image whose multiples fit them ever more closely."
    )
    formula = (
        r"\min_{\delta,z}\sum_{(r,i)\in K}(\nabla_{ri}-\delta_r z_i)^2,\quad "
        r"K=\{j:|\tilde w_j-w_j|\le\max_{\text{public}}|\eta g|\}"
    )
    reference = "Attacks, section 4, on paper 002"
    also_knows = "public images of the same kind: how large a step one image can cause"

    def suits(self, facts: Facts) -> float | None:
        return 1.5 if facts.upload == "audit" and facts.clear else None

    def reconstruct(self, seen: Observation, *, generator: np.random.Generator) -> Image:
        rows, known = _close(seen)
        z, weight = leading_of_known(rows, known), known.astype(np.float64)
        scale, finest = (
            (reach(seen)[0] if seen.clear else 0.0) / seen.learning_rate,
            FINEST / seen.learning_rate,
        )
        while scale > finest:
            delta = _ratio(z, (weight * rows).transpose(0, 2, 1), weight.transpose(0, 2, 1))
            z = _ratio(delta, weight * rows, weight)
            misfit = rows - delta[:, :, None] * z[:, None]
            weight = known / (1 + (misfit / scale) ** 2) ** 2
            scale *= NARROWING
        return scaled(z, seen.white).reshape(-1, 1, *seen.shape)


def _close(seen: Observation) -> tuple[Floats, Mask]:
    """First layer's gradients (V, R, F + 1), and mask of the steps as small as an unperturbed one."""
    base, sent = seen.first_layer(seen.base), seen.first_layer(seen.uploads.astype(np.float64))
    steps = base - sent
    kept = np.ones(steps.shape, dtype=bool)
    if seen.clear:
        furthest = reach(seen)[0]
        middle = np.median(np.abs(seen.base if seen.target == "weights" else seen.uploads))
        kept = (np.abs(steps) <= furthest) & (np.abs(sent) <= middle + furthest)
    count = kept.sum(axis=0)
    rows = (steps * kept).sum(axis=0) / np.maximum(count, 1) / seen.learning_rate
    return rows, count > 0


def _ratio(vectors: Floats, matrices: Floats, weights: Floats) -> Floats:
    """Least-squares factors (V, F) of the columns of weighted matrices (V, R, F) as multiples of vectors."""
    above = np.einsum("vr,vrf->vf", vectors, matrices)
    below = np.einsum("vr,vrf->vf", vectors**2, weights)
    return np.asarray(above / np.maximum(below, 1e-300))
