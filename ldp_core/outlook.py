"""Will it learn? The server's noise held against the size of trained weights, before any training.

The bands were measured on digits with logistic regression, 20 equal clients and 15 rounds (weights in
±1, changes in ±0.1 and ±0.02, Piecewise at ε 0.1 to 16): tests/test_outlook.py trains at their edges
again. They are a rule of thumb, and said to be one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from ldp_core.experiment import Experiment
from ldp_core.theory import client_weights, server_variance

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


@dataclass(frozen=True)
class Outlook:
    """What may be expected of a run."""

    word: Word
    sigma: float
    """Standard deviation of the server's noise per weight in one round."""
    size: float | None
    """Of trained weights, where it is known."""
    ratio: float | None
    why: str


def outlook(experiment: Experiment) -> Outlook:
    """The verdict on an experiment, and its reason in plain words."""
    sigma = math.sqrt(server_variance(experiment))
    size = TRAINED.get((experiment.dataset, experiment.model.name))
    why = _beyond(experiment, size)
    if why or size is None:
        return Outlook("unknown", sigma, size, None, f"{why}: press Train")
    changes = experiment.target == "update"
    grown = sigma * math.sqrt(experiment.rounds) if changes else sigma
    ratio = grown / size
    low, high = CHANGES if changes else WEIGHTS
    word: Word = "learns" if ratio <= low else "borderline" if ratio <= high else "chance"
    what = f"the noise of all {experiment.rounds} rounds" if changes else "the noise left at the server"
    times = f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"
    return Outlook(
        word, sigma, size, ratio, f"{what} is {times} times the size of a trained weight ({size:g})"
    )


def _beyond(experiment: Experiment, size: float | None) -> str:
    """Why the rule of thumb does not apply; "" if it does."""
    if size is None:
        return "how large its trained weights are has not been measured"
    if experiment.mechanism.name == "ldpsign":
        return "a sign is no estimate of a weight"
    if experiment.aggregator.name == "sign_majority":
        return "a vote keeps nothing of a weight but its sign"
    weights = client_weights(experiment)
    if experiment.partition.name != "iid" and weights.max() > 1.5 * weights.min():
        return "clients hold different classes, and some of them count more"
    return ""
