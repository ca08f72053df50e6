"""Mechanisms whose law depends on the range through its centre and half-width only.

The law is written once, on [−1, 1]; this class moves it to any safe range. Subclasses give the law in terms
of v = (value − centre) / half-width and ε, in forms that neither overflow nor cancel for ε from 1e-6 to 700:
powers of e^−ε rather than e^ε, and tanh, expm1 and log1p where a difference would lose digits.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldp_core.mechanisms.base import Mechanism
from ldp_core.mechanisms.shared.blocks import Blocks
from ldp_core.mechanisms.shared.law import Floating, Floats, Law, as_floats

STEPS = 8
"""Floating-point steps by which an output may differ from its exact value."""
FORGIVEN = 1e-5
"""Least tolerance for an output to count as an atom (see `near`)."""


class UnitLaw(Law["ScaleFree"]):
    by_value = True

    def perturb(self, values: NDArray[Any], generator: np.random.Generator) -> NDArray[Any]:
        return self._blocks.perturb(self.mechanism.unit_sample, values, generator)

    @cached_property
    def _blocks(self) -> Blocks:
        return Blocks(self.mechanism.unit_coefficients(self.epsilon), self.low, self.high)

    def moments(self, value: ArrayLike) -> tuple[Any, Any]:
        v, centre, half = normalised(value, self.low, self.high)
        mean = centre + half * (v + np.zeros_like(self.epsilon))
        return mean[()], (half**2 * self.mechanism.unit_variance(v, self.epsilon))[()]

    def summed(self, values: Floating, shares: Floats, rows: slice = slice(None)) -> tuple[Floats, Floats]:
        own = type(self).moments is not UnitLaw.moments
        if own or not self.mechanism.quadratic or max(self.low.shape[-1:], self.epsilon.shape[-1:]) > (1,):
            return super().summed(values, shares, rows)
        squares, width = shares**2, values.shape[1]
        end, slope, bow = (squares * part[rows] for part in self._curve)
        variance = np.full(width, end.sum())
        if bow.any():
            x = values.astype(np.float64)
            # the ends as what clips the values has rounded them
            low, high = (end[rows].astype(values.dtype).astype(np.float64) for end in (self.low, self.high))
            above = x - low
            variance += slope @ above if slope.any() else 0.0
            above *= np.subtract(high, x, out=x)
            variance += bow @ above
        return np.zeros(width), variance

    @cached_property
    def _curve(self) -> tuple[Floats, Floats, Floats]:
        """Variance of a quadratic law at the low end; its slope there in (x − low), and its coefficient of (x
        − low)·(high − x): (k,) each.
        """
        budget, law = self.epsilon, self.mechanism.unit_variance
        low, middle, high = (law(np.full_like(budget, at), budget) for at in (-1, 0, 1))
        width = self.high - self.low
        bow = middle - (low + high) / 2
        return (width**2 / 4 * low)[:, 0], (width / 4 * (high - low))[:, 0], (bow + 0 * width)[:, 0]

    @property
    def max_variance(self) -> Any:
        worst = np.clip(self.mechanism.unit_worst_input(self.epsilon), -1, 1)
        return (((self.high - self.low) / 2) ** 2 * self.mechanism.unit_variance(worst, self.epsilon))[()]

    def log_prob(self, output: ArrayLike, value: ArrayLike) -> Any:
        return self.likelihood(output)(value)

    def likelihood(self, output: ArrayLike) -> Callable[[ArrayLike], Any]:
        width, budget, unit = self.high - self.low, self.epsilon, self.mechanism
        centre, half = (self.low + self.high) / 2, width / 2
        away = (as_floats(output, "output") - centre) / half
        law = unit.unit_law(unit.unit_settled(away, budget, blur(output, centre, half)), budget, np.log(half))
        return lambda value: law(_placed(as_floats(value, "value"), self.low, self.high, width))[()]

    def log_affinity(self, value: ArrayLike, other: ArrayLike) -> Any:
        v, w = (normalised(x, self.low, self.high)[0] for x in (value, other))
        affinity = self.mechanism.unit_affinity(v, w, self.epsilon)
        return None if affinity is None else np.log(np.clip(affinity, 1e-300, 1.0))[()]

    @property
    def loss(self) -> Any:
        return (self.mechanism.unit_loss(self.epsilon) + np.zeros_like(self.low))[()]

    def delta(self, target: ArrayLike) -> Any:
        goal, loss = as_floats(target, "target"), self.mechanism.unit_loss(self.epsilon)
        with np.errstate(over="ignore"):
            delta = self.mechanism.unit_delta(np.minimum(goal, loss), self.epsilon)
        return (np.where(goal < loss, np.clip(delta, 0, 1), 0.0) + np.zeros_like(self.low))[()]

    def atoms(self, value: float) -> Floats:
        centre, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        return np.asarray(centre + half * self.mechanism.unit_atoms(float(self.epsilon)))

    def edges(self, value: float) -> Floats:
        v, centre, half = normalised(value, self.low, self.high)
        return np.asarray(centre + half * self.mechanism.unit_edges(float(v), float(self.epsilon)))


class ScaleFree(Mechanism):
    """Per-coordinate mechanism given by its law on [−1, 1]; unbiased, and exactly ε by default."""

    law = UnitLaw
    discrete: ClassVar[bool] = False
    """Whether all outputs are atoms."""
    quadratic: ClassVar[bool] = False
    """Whether the outputs' variance is a polynomial in v of degree 2 at most."""

    @abstractmethod
    def unit_coefficients(self, epsilon: Floats) -> dict[str, Floats]:
        """Coefficients of the sampler that depend on ε only."""

    @abstractmethod
    def unit_sample(self, v: Any, u: Any, k: Mapping[str, Any]) -> Any:
        """Outputs for inputs v from uniforms u in [0, 1) and coefficients k."""

    @abstractmethod
    def unit_variance(self, v: Floats, epsilon: Floats) -> Floats:
        """Variance of the output."""

    def unit_worst_input(self, epsilon: Floats) -> Floats:
        """Input with the largest variance; by default the middle."""
        return np.zeros_like(epsilon)

    @abstractmethod
    def unit_log_prob(self, y: Floats, v: Floats, epsilon: Floats) -> Floats:
        """Log-density of an output y, or log-probability of an atom."""

    def unit_atomic(self, y: Floats, epsilon: Floats) -> Any:
        """Whether an output is an atom, with a log-probability instead of a log-density."""
        return self.discrete

    def unit_settled(self, y: Floats, epsilon: Floats, blur: Floats) -> Floats:
        """Outputs moved to an atom if they differ from it by rounding only."""
        if not self.discrete or (blur <= FORGIVEN * (1 + np.abs(y))).all():
            return y
        for atom in self._atoms_of(epsilon):
            y = np.where(np.abs(y - atom) <= blur, atom, y)
        return y

    def unit_loss(self, epsilon: Floats) -> Floats:
        """Largest log-likelihood ratio."""
        return epsilon

    @abstractmethod
    def unit_delta(self, target: Floats, epsilon: Floats) -> Floats:
        """Exact δ at a target ε below the loss (from the loss on it is 0)."""

    def unit_atoms(self, epsilon: float) -> Floats:
        """Outputs with positive probability, for any input."""
        return np.empty(0)

    def unit_edges(self, v: float, epsilon: float) -> Floats:
        return np.empty(0)

    def unit_law(self, y: Floats, epsilon: Floats, log_half: Floats) -> Callable[[Floats], Any]:
        """`unit_log_prob` of one output as a function of v; densities minus `log_half`."""
        atomic = self.unit_atomic(y, epsilon)
        if atomic is True:
            return lambda v: self.unit_log_prob(y, v, epsilon)
        if atomic is False:
            return lambda v: self.unit_log_prob(y, v, epsilon) - log_half

        def law(v: Floats) -> Floats:
            log_prob = self.unit_log_prob(y, v, epsilon)
            return np.where(atomic, log_prob, log_prob - log_half)

        return law

    def unit_affinity(self, v: Floats, w: Floats, epsilon: Floats) -> Floats | None:
        """∫√(p·p′) between the laws of two inputs; None without a closed form."""
        if not self.discrete:
            return None
        total = np.zeros(np.broadcast_shapes(v.shape, w.shape, epsilon.shape))
        for atom in self._atoms_of(epsilon):
            total += np.exp((self.unit_log_prob(atom, v, epsilon) + self.unit_log_prob(atom, w, epsilon)) / 2)
        return total

    def _atoms_of(self, epsilon: Floats) -> Floats:
        """The n atoms at each budget, (n, …)."""
        atoms = np.array([self.unit_atoms(float(e)) for e in epsilon.ravel()])
        return atoms.T.reshape(-1, *epsilon.shape)


def normalised(value: ArrayLike, low: Floats, high: Floats) -> tuple[Floats, Floats, Floats]:
    """Clipped values as v in [−1, 1] (exactly ±1 at the ends), with the centre and half-width."""
    width = high - low
    return _placed(as_floats(value, "value"), low, high, width), (low + high) / 2, width / 2


def _placed(x: Floats, low: Floats, high: Floats, width: Floats) -> Floats:
    """Values scaled to v in [−1, 1]."""
    v = x - low  # an attacker asks for grids: what is written over stays in the processor's cache
    v -= high - x
    v /= width
    return np.clip(v, -1, 1, out=v if isinstance(v, np.ndarray) else None)  # exactly ±1 at the ends


def blur(output: ArrayLike, centre: Floats, half: Floats) -> Floats:
    """Rounding error of an output in half-widths, from the floating-point spacing around its range."""
    given = np.asarray(output)
    step = np.finfo(given.dtype if given.dtype == np.float32 else np.float64).eps
    return STEPS * float(step) * (np.maximum(np.abs(given), np.abs(centre)) / half + 1)


def near(y: Floats, atom: Floats | float, tolerance: float = 1e-4) -> Any:
    """True where an output is an atom, up to what float32 and a shifted centre can blur."""
    return np.abs(y - atom) <= tolerance * (1 + np.abs(atom))


def two_atoms(y: Floats, upper: Floats, lower: Floats, log_upper: Floats, log_lower: Floats) -> Floats:
    """Log-probability of an output of a law with two atoms; −inf for other outputs."""
    result = np.where(near(y, upper), log_upper, np.where(near(y, lower), log_lower, -np.inf))
    return np.asarray(result, dtype=np.float64)


def one_of_two(y: Floats, upper: Floats, lower: Floats, p_upper: Floats, p_lower: Floats) -> Floats:
    """`two_atoms` from probabilities, with one logarithm per value."""
    above = near(y, upper)
    log_prob = np.log(np.where(above, p_upper, p_lower))
    result = np.where(above | near(y, lower), log_prob, -np.inf)
    return np.asarray(result, dtype=np.float64)
