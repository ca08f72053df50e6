"""Will it learn? The server's noise held against the size of trained weights, before any training.

A rule of thumb, and said to be one. It was made from 221 random experiments on digits and tried on
others: `python -m tests.benchmarks.outlook` makes them again and counts how often it is right.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from scipy.special import ndtr

from ldp_core import datasets
from ldp_core.experiment import Experiment
from ldp_core.theory.clients import worst_variance
from ldp_core.theory.server import ServerNoise, server_noise

Word = Literal["learns", "borderline", "chance", "unknown"]

TRAINED = {
    ("digits", "logistic_regression"): 0.43,
    ("digits", "mlp"): 0.25,
}
"""Root mean square of trained weights without noise, in the default training."""

WEIGHTS = (0.3, 1.5)
"""Noise over size, where weights are sent: below the first it learns, above the second it does not."""
CHANGES = (1.2, 6.0)
"""The same for changes, with the noise of all rounds: later rounds repair some of it."""
NARROW = 0.35
"""A safe range that leaves less than this share of the weights' size keeps a model from learning well."""
UNCERTAIN = 0.5
"""Changes: where ranges and rounds leave less than this share, how far training gets was not measured."""
CENTRED = 0.1
"""How far a safe range's centre may lie from 0, in half-widths: the rule was measured for ranges around 0."""
WIDEST_CHANGE = 0.5
"""Half-width up to which the rule was measured for changes."""
UNEVEN = 1.5
"""Widest safe range over narrowest up to which the rule speaks: weighting by noise hears the narrow ones."""
MIXED = 4.0
"""Largest over smallest variance of the clients' noise: above it, who is drawn decides about a round."""
FEW = 3
"""Rounds in which anybody is heard: with fewer it is a matter of luck."""
USUAL = {
    "samples per client": (45, 300),
    "rounds": (5, 30),
    "learning rate": (0.2, 1.0),
    "epochs": (1, 3),
    "batch size": (5, 20),
}
"""The training for which the rule was measured."""
HITS = (126, 138)
"""Of the benchmark experiments that the rule was not made from, 221 to 399: right, and judged at all."""


@dataclass(frozen=True)
class Outlook:
    """What may be expected of a run."""

    word: Word
    sigma: float
    """Standard deviation of the server's noise per weight in a round in which somebody is heard."""
    size: float | None
    """Of trained weights, where it is known."""
    ratio: float | None
    why: str


def outlook(experiment: Experiment) -> Outlook:
    """The verdict on an experiment, and its reason in plain words."""
    noise = server_noise(experiment)
    sigma = math.sqrt(noise.heard)
    size = TRAINED.get((experiment.dataset, experiment.model.name))
    if noise.empty > 1 - 1e-9:
        return Outlook(
            "chance", sigma, size, None, "nobody ever sends anything: each client's limit forbids it"
        )
    why = _beyond(experiment, size)
    if why or size is None:
        return Outlook("unknown", sigma, size, None, f"{why}: press Train")
    return _judged(experiment, noise, size)


def _judged(experiment: Experiment, noise: ServerNoise, size: float) -> Outlook:
    heard, changes = experiment.rounds * (1 - noise.empty), experiment.target == "update"
    population = experiment.population()
    half = float((population.high - population.low).mean()) / 2
    left = clipped_size(size, heard * half / 2 if changes else half)
    sigma = math.sqrt(noise.heard)
    ratio = sigma * (math.sqrt(max(1.0, heard)) if changes else 1.0) / left
    if changes and left < UNCERTAIN * size:
        why = f"{heard:.0f} rounds of such changes may be too little for the weights that training wants"
        return Outlook("unknown", sigma, size, None, f"{why}, which was not measured: press Train")
    low, high = CHANGES if changes else WEIGHTS
    word: Word = "learns" if ratio <= low else "borderline" if ratio <= high else "chance"
    noises, count = worst_variance(experiment), experiment.clients.count
    by_lot = experiment.selection.size(count) != count
    if word == "chance" and not changes and by_lot and noises.max() > MIXED * noises.min():
        why = "quiet clients and loud ones are drawn by lot, and who is in the last round decides"
        return Outlook("unknown", sigma, size, ratio, f"{why}: press Train")
    whose = f"the noise of {heard:.0f} rounds" if changes else "the noise left at the server"
    times = f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"
    cut = f", of which the safe range leaves {left:.2g}" if left < 0.995 * size else ""
    why = f"{whose} is {times} times the size of a trained weight ({size:g}{cut})"
    bands = f"; it learns up to {low:g}, and not at all above {high:g}"
    if word == "learns" and left < NARROW * size:
        word, bands = "borderline", "; but the safe range is too narrow for the weights that training wants"
    elif word != "chance" and heard < FEW:
        word, bands = "borderline", f"; but only about {heard:.1f} rounds are heard, which ones is luck"
    return Outlook(word, sigma, size, ratio, why + bands)


def clipped_size(size: float, half: float) -> float:
    """The root mean square of normal weights of a size, once they are clipped to ± half."""
    z = half / size
    inside = 2 * ndtr(z) - 1 - 2 * z * math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return size * math.sqrt(max(0.0, float(inside + 2 * ndtr(-z) * z * z)))


def _beyond(experiment: Experiment, size: float | None) -> str:
    """Why the rule of thumb does not apply; "" if it does."""
    if size is None:
        return "how large its trained weights are has not been measured"
    if experiment.mechanism.name == "ldpsign":
        return "a sign is no estimate of a weight"
    if experiment.aggregator.name == "sign_majority":
        return "a vote keeps nothing of a weight but its sign"
    local = experiment.local
    if local.optimizer.name != "sgd":
        return "the rule of thumb was measured with SGD"
    now = {
        "samples per client": datasets.get(experiment.dataset).train_size / experiment.clients.count,
        "rounds": experiment.rounds,
        "learning rate": local.learning_rate,
        "epochs": local.epochs,
        "batch size": local.batch_size,
    }
    for what, (low, high) in USUAL.items():
        if not low <= now[what] <= high:
            return f"the rule of thumb was measured for {what} from {low:g} to {high:g}, not {now[what]:.3g}"
    if experiment.partition.name != "iid":
        return "the rule of thumb was measured with clients that hold the same mixture of classes"
    return _beyond_ranges(experiment)


def _beyond_ranges(experiment: Experiment) -> str:
    """Why it does not apply to these safe ranges; "" if it does."""
    population = experiment.population()
    half = (population.high - population.low) / 2
    if (abs(population.high + population.low) / 2 > CENTRED * half).any():
        return "the rule of thumb was measured for safe ranges around 0"
    if half.max() > UNEVEN * half.min():
        return "the rule of thumb was measured for clients whose safe ranges are alike"
    if experiment.target == "update" and half.mean() > WIDEST_CHANGE:
        return f"the rule of thumb was measured for changes within ±{WIDEST_CHANGE:g}, not ±{half.mean():.2g}"
    return ""
