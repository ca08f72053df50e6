"""Whether noise exceeds what weights can hold so far that nothing is learnt, whatever data and training."""

from __future__ import annotations

import math
from collections.abc import Callable

from ldp_core.experiment import Experiment
from ldp_core.theory.heard import by_lot, counting
from ldp_core.theory.server import ServerNoise

FAR, PIXELS = 5.0, 64
"""Ratio of noise to the most that weights in their ranges can hold beyond which nothing is learnt, for so
many inputs: a class's signal grows with their number, the noise with its root. Of 140 random runs beyond it
(digits and a sample of MNIST, models of three widths, SGD and Adam, equal and unequal clients) the best ended
at 26 %.
"""
MANY = 3.0
"""Least effective number of clients; with fewer, a round may be one client's own."""


def drowned(experiment: Experiment, noise: ServerNoise, held: Callable[[float], float]) -> float:
    """Ratio of the noise to the largest tolerable noise; NaN where it is unknown or says nothing.

    Args:
        held: returns the largest noise that weights tolerate in ranges of a half-width.
    """
    if noise.unknown or experiment.randomiser.role == "vote":
        return math.nan
    if experiment.target == "class_means" or by_lot(experiment) or counting(experiment) < MANY:
        return math.nan
    population, heard = experiment.population(), experiment.rounds * (1 - noise.empty)
    half = float((population.high - population.low).mean()) / 2
    if experiment.mechanism.region == "ball":
        half = experiment.mechanism.norm / math.sqrt(experiment.uploaded)  # type: ignore[attr-defined]
    updates = experiment.target == "update"
    borne = FAR * math.sqrt(math.prod(experiment.source.shape) / PIXELS) * (half if updates else held(half))
    return math.sqrt(noise.heard / (heard if updates else 1.0)) / borne
