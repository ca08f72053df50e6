"""What searches and training take, in times of one machine that are written down here.

How much a search does by itself follows from these, and so do its pictures: they are the same on every
machine. Only ratios of them count.
"""

from __future__ import annotations

import math

from ldp_core.attacks.base import Facts, Reconstructor
from ldp_core.attacks.shared.search import CHUNK, Search
from ldp_core.models.base import Model, Shape
from ldp_core.models.chain import is_chain

CONTROLS = 2
"""Attacks on the same upload without noise, and only clipped. Neither asks a mechanism anything."""
EVALUATION, PICTURE, PRODUCT = 1500.0, 100.0, 650e-6
"""Microseconds of a search's gradient: of each, however many pictures it is of; of each picture; and of each
product that a picture takes forwards.

These and the next ones: `python -m tests.benchmarks.search_units`, 2026-11-24, one core of an AMD EPYC, torch
2.13.0, load average 17.
"""
READING, WEIGHT, ANSWER = 2500.0, 0.54, 0.026
"""Microseconds of a closed form, both controls included: of each upload, of each weight in it, and of each
answer whose likelihood is asked for. This and `ROUND`: what a processor without AVX-512 was measured to take
(`ldp_core.runs.machine.calibration`), 2026-11-25.
"""
ROUND = 8000.0
"""Microseconds of a round besides local training."""
BATCH, TORCH = 550.0, 70e-6
"""Microseconds of a batch that PyTorch trains, and of each product of a sample in it."""
KERNEL = 25e-6
"""Microseconds of a product of a sample, where a kernel is made for the network."""
CORES = 2
"""Of that machine. Training uses all of them, a search one."""


def took(who: Reconstructor, seen: Facts, victims: int, steps: int | None = None) -> float:
    """Microseconds of a search in one round, with the controls; 0 for whoever does not search."""
    if not isinstance(who, Search):
        return 0.0
    limited = who if steps is None else who.at_most(steps)
    pictures = (1 + CONTROLS) * victims * limited.restarts
    together = pictures / math.ceil(pictures / CHUNK)
    return limited.effort(seen).gradients * (1 + CONTROLS) * victims * gradient(seen, together)


def reads(who: Reconstructor, seen: Facts, victims: int, dimension: int) -> float:
    """Microseconds of a closed form in one round on uploads of so many weights, with the controls; 0 for
    whoever searches.
    """
    if isinstance(who, Search):
        return 0.0
    return victims * (READING + WEIGHT * dimension + ANSWER * who.effort(seen).likelihoods)


def gradient(seen: Facts, together: float = CHUNK) -> float:
    """Microseconds of a picture's gradient, where so many are computed at once."""
    return EVALUATION / together + PICTURE + PRODUCT * seen.model.products(seen.shape, seen.classes)


def trains(model: Model, shape: Shape, classes: int, samples: float, batches: float) -> float:
    """Microseconds in which so many samples are trained on, forwards and backwards, in so many batches."""
    products = samples * model.products(shape, classes)
    work = products * KERNEL if is_chain(model, shape, classes) else batches * BATCH + products * TORCH
    return work / CORES
