"""A mechanism whose noise is each client's (or the server's) share of the noise in the sum of all uploads.

In a simulation, the noise of all clients with equal budgets is drawn at once and added to the upload of the
first of them: only the sum is seen.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldp_core.mechanisms.base import Floating, Floats, Region, Scope
from ldp_core.mechanisms.shared.ball import lengths
from ldp_core.mechanisms.shared.gaussian_noise import GaussianLaw, GaussianNoise
from ldp_core.mechanisms.shared.gaussian_privacy import mu_of


class SumLaw(GaussianLaw):
    def perturb(self, values: NDArray[Any], generator: np.random.Generator) -> NDArray[Any]:
        own: Any = self.mechanism
        data: Floats = own.clip(values.astype(np.float64), self.low, self.high)
        if own.apart:
            return (data + self.sigma * generator.standard_normal(data.shape)).astype(values.dtype)
        if own.grid:  # the public offset of the grid makes its error independent of the values
            offset = generator.random(data.shape) - 0.5
            data = (np.round(data / own.grid + offset) - offset) * own.grid
        budgets = np.broadcast_to(self.epsilon, (*data.shape[:-1], 1)).reshape(-1)
        flat = data.reshape(-1, data.shape[-1])
        for budget in np.unique(budgets):
            rows = np.flatnonzero(budgets == budget)
            sigma = float(own.sigma_of(np.array(budget), np.zeros(())))
            variance = len(rows) * (sigma**2 - own.grid**2 / 12)
            if own.grid:
                counts = generator.poisson(variance / own.grid**2 / 2, (2, data.shape[-1]))
                flat[rows[0]] += (counts[0] - counts[1]) * own.grid
            else:
                flat[rows[0]] += generator.normal(0.0, np.sqrt(variance), data.shape[-1])
        return flat.reshape(data.shape).astype(values.dtype)

    @property
    def sensitivity(self) -> Floats:
        own: Any = self.mechanism
        width = self.high - self.low
        if own.reach:
            return np.full(width.shape, 2 * own.reach)
        return width if own.ball else width * np.sqrt(own.dimension or 1)


class SumNoise(GaussianNoise):
    """The mechanism where noise is added to the sum; its ε is a client's budget for the whole run."""

    summary = "Noise is added to the sum of all uploads; its law follows from whom clients trust."
    law = SumLaw

    shares: tuple[tuple[float, float], ...]
    """Pairs of ε and the standard deviation of a client's share of the noise, each ε once."""
    grid: float = 0.0
    """Step of the grid that values are rounded to, for Skellam noise; 0 for Gaussian noise."""
    apart: bool = False
    """Whether each upload has noise of its own: what is left of a sum whose other members are known."""
    ball: bool = False
    """Whether uploads are scaled to the range's upper end as norm, instead of clipped weight by weight."""

    @property
    def label(self) -> str:  # type: ignore[override]
        return f"{'Skellam' if self.grid else 'Gaussian'} noise in the sum"

    @property
    def scope(self) -> Scope:
        return "upload"

    @property
    def region(self) -> Region:
        return "ball" if self.ball else "box"

    def sigma_of(self, epsilon: Floats, sensitivity: Floats) -> Floats:
        budgets, places = np.unique(epsilon, return_inverse=True)
        known = np.array(self.shares)
        nearest = known[np.abs(np.log(known[:, 0]) - np.log(budgets)[:, None]).argmin(axis=1)]
        # for a budget that no client has, the noise of the nearest one, as Gaussian noise grows
        more = mu_of(nearest[:, 0], self.delta_) / mu_of(budgets, self.delta_)
        share = nearest[:, 1] * np.where(budgets == nearest[:, 0], 1.0, more)
        found = np.hypot(share, self.grid / np.sqrt(12))
        return found[places].reshape(np.shape(epsilon)) + np.zeros_like(sensitivity)

    def clip(self, values: Floating, low: ArrayLike, high: ArrayLike) -> Floating:
        if self.ball:
            length = lengths(values.astype(np.float64))[..., None]
            clipped = values * np.minimum(1.0, high / np.maximum(length, 1e-300))
        else:
            clipped = np.clip(values, low, high)
        return clipped.astype(values.dtype)


SumNoise.name = "sum"
