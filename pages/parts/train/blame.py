"""Cause of a divergence, as far as a run without noise with equal settings shows it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ldp_core import mechanisms
from ldp_core.errors import StudioError
from ldp_core.experiment import parse
from pages.parts.charts.series import Series
from pages.parts.ui.text import number, percent

WIDE = 8.0
"""Ratio of the safe range to the size of uploads from which on the range is blamed for the noise."""


class Blame(NamedTuple):
    cause: Literal["rate", "noise", "range"]
    why: str


def blame(one: Series, all_runs: Sequence[Series]) -> Blame | None:
    """Cause of a divergence; None without a completed run without noise."""
    asked = experiment_of(one)
    twins = [
        other for other in all_runs if _clean(other) and training(experiment_of(other)) == training(asked)
    ]
    rate = _rate(asked)
    if _clean(one):
        return Blame("rate", f"there is no noise: {rate}")
    if any(twin.diverged for twin in twins):
        return Blame("rate", f"without noise the same training diverges as well: {rate}")
    twin = next((twin for twin in twins if twin.round > 0), None)
    if twin is None:
        return None
    reaches = f"without noise the same training reaches {percent(twin.final('accuracy').mean())}"
    half, size = _half_width(asked), _size(twin)
    if half and size and half >= WIDE * size:
        times = f"{number(half / size, 2)} times the size of what is sent ({number(size, 2)})"
        return Blame(
            "range", f"{reaches}: the noise drove it out, most of it by the range, ±{number(half)}, {times}"
        )
    return Blame("noise", f"{reaches}: the noise drove it out")


def _clean(one: Series) -> bool:
    """True for runs without noise."""
    mechanism: Any = experiment_of(one).get("mechanism", {})
    name = mechanism.get("name") if isinstance(mechanism, dict) else mechanism
    return bool(one.runs) and not mechanisms.hides(name)


def training(experiment: Mapping[str, Any]) -> list[Any]:
    """Settings that determine local training; the experiment as JSON."""
    clients = experiment.get("clients")
    count = clients.get("count") if isinstance(clients, dict) else None  # fewer hold more samples each
    shared = ("dataset", "features", "model", "local", "partition", "rounds", "target", "selection", "system")
    return [*(experiment.get(key) for key in shared), count]


def experiment_of(one: Series) -> dict[str, Any]:
    found: Any = one.runs[0].start.get("experiment") if one.runs else None
    return found if isinstance(found, dict) else {}


def _rate(asked: dict[str, Any]) -> str:
    local = asked.get("local")
    rate = local.get("learning_rate") if isinstance(local, dict) else None
    return f"the learning rate{f', {rate:g},' if isinstance(rate, int | float) else ''} is too large"


def _half_width(asked: dict[str, Any]) -> float:
    """Mean half-width of the safe ranges; 0 if not recorded."""
    try:
        population = parse(asked).population()
    except StudioError:
        return 0.0
    return float((population.high - population.low).mean()) / 2


def _size(twin: Series) -> float:
    """Root mean square of uploads without noise; 0 if not recorded."""
    signal = twin.final("signal_variance")
    return math.sqrt(float(signal.mean())) if len(signal) and signal.mean() > 0 else 0.0
