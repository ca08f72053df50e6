"""Mechanisms that break what they promise, each rebuilt from its description."""

import numpy as np

from ldp_core import mechanisms
from ldp_core.mechanisms.base import Floats

LAYERS, ROUNDS = 4, 3
Trials = tuple[Floats, Floats]
"""Inputs and outputs."""


def _two(one: Floats, other: Floats, trials: int) -> Floats:
    return np.concatenate([np.broadcast_to(end, (trials, *end.shape)) for end in (one, other)]).astype(float)


def epsilon_as_sigma(epsilon: float, trials: int, generator: np.random.Generator) -> Trials:
    """A budget is handed to a parameter that wants a standard deviation."""
    x = _two(np.array([-1.0]), np.array([1.0]), trials)
    return x, x + generator.normal(0, epsilon, x.shape)


def range_of_the_upload(epsilon: float, trials: int, generator: np.random.Generator) -> Trials:
    """Piecewise in the range that each upload's own largest value gives."""
    x = _two(np.array([0.1, 0.1]), np.array([1.0, 0.1]), trials)
    most = np.abs(x).max(axis=1, keepdims=True)
    return x, mechanisms.get("piecewise").perturb(x / most, epsilon / 2, -1.0, 1.0, generator) * most


def clipped_after_noise(epsilon: float, trials: int, generator: np.random.Generator) -> Trials:
    """Noise for values in [−1, 1] on values that may lie anywhere, then clipping."""
    x = _two(np.array([-4.0]), np.array([4.0]), trials)
    return x, np.clip(x + generator.laplace(0, 2 / epsilon, x.shape), -1, 1)


def one_layer_s_sensitivity(epsilon: float, trials: int, generator: np.random.Generator) -> Trials:
    """Of an upload of several layers, each gets the noise that one layer alone would need."""
    x = _two(np.full(LAYERS, -1.0), np.full(LAYERS, 1.0), trials)
    return x, x + generator.laplace(0, 2 / epsilon, x.shape)


def noise_shared_over_rounds(epsilon: float, trials: int, generator: np.random.Generator) -> Trials:
    """The generator is seeded anew in each round, so that each adds the same noise."""
    still, moving = np.zeros((ROUNDS, 1)), np.linspace(0, 0.2, ROUNDS)[:, None]
    x = _two(still, moving, trials)
    return x, x + generator.laplace(0, 2 * ROUNDS / epsilon, (len(x), 1, 1))


def percentile_in_clear(epsilon: float, trials: int, generator: np.random.Generator) -> Trials:
    """The larger half of an upload is sent as it is, the rest as 0: less is sent, and nothing is hidden."""
    x = _two(np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.1, 0.2, 0.3, 0.5]), trials)
    return x, np.where(np.abs(x) >= np.median(np.abs(x), axis=1, keepdims=True), x, 0.0)


def input_in_last_digits(epsilon: float, trials: int, generator: np.random.Generator) -> Trials:
    """Rounded to two places, and what was added before comes through in the ninth."""
    x = _two(np.array([-1.0]), np.array([1.0]), trials)
    return x, np.round(x + generator.laplace(0, 2 / epsilon, x.shape), 2) + 1e-9 * x


def input_in_parity(epsilon: float, trials: int, generator: np.random.Generator) -> Trials:
    """The last of two digits is odd for one input and even for the other."""
    x = _two(np.array([-1.0]), np.array([1.0]), trials)
    even = 2 * np.round(50 * (x + generator.laplace(0, 2 / epsilon, x.shape)))
    return x, (even + (x > 0)) / 100


def sometimes_verbatim(epsilon: float, trials: int, generator: np.random.Generator) -> Trials:
    """Two answers of a hundred are the input itself."""
    x = _two(np.array([-1.0]), np.array([1.0]), trials)
    noisy = x + generator.laplace(0, 2 / epsilon, x.shape)
    return x, np.where(generator.random(x.shape) < 0.02, x, noisy)


WRONG = (
    input_in_last_digits,
    input_in_parity,
    sometimes_verbatim,
    epsilon_as_sigma,
    range_of_the_upload,
    clipped_after_noise,
    one_layer_s_sensitivity,
    noise_shared_over_rounds,
    percentile_in_clear,
)
