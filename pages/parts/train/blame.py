"""Cause of a divergence, as far as a run without noise with equal settings shows it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from ldp_core.experiment import Experiment
from pages.parts.charts.series import Series
from pages.parts.train.server_panel import perturbed
from pages.parts.ui.text import number, percent

WIDE = 8.0
"""Ratio of the safe range to the size of uploads from which on the range is blamed for the noise."""


class Blame(NamedTuple):
    cause: Literal["rate", "noise", "range"]
    why: str


def blame(one: Series, all_runs: Sequence[Series]) -> Blame | None:
    """Cause of a divergence; None without a completed run without noise."""
    asked = one.experiment
    rate = f"the learning rate, {asked.local.learning_rate:g}, is too large"
    if not perturbed(one):
        return Blame("rate", f"there is no noise: {rate}")
    clean = (other for other in all_runs if other.runs and not perturbed(other))
    twins = [other for other in clean if training(other.experiment) == training(asked)]
    if any(twin.diverged for twin in twins):
        return Blame("rate", f"without noise the same training diverges as well: {rate}")
    twin = next((twin for twin in twins if twin.round > 0), None)
    if twin is None:
        return None
    reaches = percent(twin.final("accuracy").mean())
    drove = f"without noise the same training reaches {reaches}: the noise drove it out"
    population, signal = asked.population(), twin.final("signal_variance")
    half = float((population.high - population.low).mean()) / 2
    size = math.sqrt(signal.mean()) if len(signal) else 0.0
    if size and half >= WIDE * size:
        times = f"{number(half / size, 2)} times the size of what is sent ({number(size, 2)})"
        return Blame("range", f"{drove}, most of it by the range, ±{number(half)}, {times}")
    return Blame("noise", drove)


def training(experiment: Experiment) -> list[Any]:
    """Settings that determine local training."""
    shared = ("dataset", "features", "model", "local", "partition", "rounds", "target", "selection", "system")
    count = experiment.clients.count  # fewer hold more samples each
    return [*(getattr(experiment, name) for name in shared), count]
