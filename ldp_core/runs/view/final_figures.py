"""Final figures of a run: accuracy, worst-case ε of the whole run, identification by the attacker."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ldp_core.accounting import Table, entries_in, ledger
from ldp_core.experiment import Experiment
from ldp_core.runs.view.run_progress import RunProgress

MOST_POINTS = 32
"""Largest number of points of a curve in lists."""


@dataclass(frozen=True)
class Worst:
    """Worst-case ε of a whole run, of the client with the weakest guarantee; None, with the reason, if
    unbounded.
    """

    epsilon: float | None
    """The ε; None if some client has no guarantee."""
    delta: float
    why: str = ""
    """Reason for a missing guarantee."""


@dataclass(frozen=True)
class Final:
    label: str
    seeds: int
    accuracy: float | None
    """Mean accuracy over completed seeds; None without any."""
    epsilon: float | None
    """Worst-case ε of the whole run for the client with the weakest guarantee; None without a bound."""
    delta: float = 0.0
    hits: float = 0.0
    """Identifications from one-image uploads, a tie of k candidates counting 1/k, …"""
    attempts: int = 0
    """… number of attempts, …"""
    chance: float = 0.0
    """… and success rate of guessing; 0 without attempts."""
    curve: tuple[float, ...] = ()
    """Accuracy over rounds, thinned."""
    answer: str = ""
    """Result of a sweep, a search or an attack grid in a few words."""
    against: str = "server"
    """What the adversary sees whom ε holds against: a key of `accounting.AGAINST`."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def finals(runs: Iterable[RunProgress]) -> list[Final]:
    """Final figures of a job's variants, in order, without the noise-free reference."""
    variants: dict[int, list[RunProgress]] = {}
    for run in runs:
        variants.setdefault(run.variant, []).append(run)
    return [final(found) for number, found in sorted(variants.items()) if number >= 0]


def final(runs: Sequence[RunProgress]) -> Final:
    """Final figures of a variant over its seeds."""
    ended = [run.end for run in runs if run.end and run.end["status"] == "completed"]
    promised = next((worst(end["ledger"]) for end in ended if end.get("ledger")), Worst(None, 0.0))
    ledgers = (entries_in(end["ledger"]) for end in ended if end.get("ledger"))
    hits, attempts, chance = identified(runs)
    return Final(
        label=runs[0].label,
        seeds=len(runs),
        accuracy=float(np.mean([end["accuracy"] for end in ended])) if ended else None,
        epsilon=promised.epsilon,
        delta=promised.delta,
        hits=hits,
        attempts=attempts,
        chance=chance,
        curve=_thinned(runs),
        against=next((entries[0].against for entries in ledgers if entries), Final.against),
    )


def _thinned(runs: Sequence[RunProgress]) -> tuple[float, ...]:
    """Mean accuracy over seeds up to the last common round, thinned to MOST_POINTS values."""
    curves = [run.curves["accuracy"] for run in runs if "accuracy" in run.curves]
    length = min(map(len, curves)) if len(curves) == len(runs) else 0
    places = np.unique(np.linspace(0, max(0, length - 1), min(length, MOST_POINTS)).astype(int))
    means = [float(np.mean([curve[place] for curve in curves])) for place in places.tolist()]
    return tuple(round(mean, 4) for mean in means if math.isfinite(mean))


def found(answer: str, experiment: Experiment | None = None, accuracy: float | None = None) -> dict[str, Any]:
    """Final figures of a job that trains no runs of its own: a sentence, and the ε of the found
    experiment.
    """
    promised = worst(ledger(experiment)) if experiment else Worst(None, 0.0)
    line = Final("", 0, accuracy, promised.epsilon, promised.delta, answer=answer)
    return line.as_json()


def worst(table: Table) -> Worst:
    """Weakest whole-run guarantee in a ledger's table."""
    most = max((entry.run_worst for entry in entries_in(table)), key=lambda line: (line.bound, line.delta))
    return Worst(most.bound, most.delta) if math.isfinite(most.bound) else Worst(None, 0.0, most.why)


def identified(runs: Iterable[RunProgress]) -> tuple[float, int, float]:
    """Over clients, seeds and rounds: correctly identified uploads, attempts, and the success of guessing in
    [0, 1].
    """
    hits, attempts, chance = 0.0, 0, 0.0
    for tries in (one for run in runs for (upload, _), one in run.tries.items() if upload == "audit"):
        picks = tries.picks[: tries.rounds]
        if tries.candidates and len(picks) and not np.isnan(picks).any():
            hits, attempts = hits + float(picks.sum()), attempts + len(picks)
            chance = 1 / tries.candidates
    return hits, attempts, chance
