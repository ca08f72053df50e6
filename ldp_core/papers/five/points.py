"""Comparison of all five systems, corrected, for three populations of clients and four values of the run's ε.

All else is equal (`presets.of_systems.five_side_by_side`). Each system gets the ε at which a client's worst-
case ε of the run has the given value (`accounting.epsilon_for`), or the largest ε allowed, and the learning
rate with the best final accuracy on public images. Leakage is the share of images identified, by the exact
likelihood, among ten candidates of a one-image, one-step upload.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from ldp_core.cost.traffic import traffic
from ldp_core.experiment import Draft, Variant, changed
from ldp_core.experiment.of_system import with_system
from ldp_core.inference import Interval, interval, wilson
from ldp_core.limits import EPSILON, spelled
from ldp_core.papers.arms import Leaking
from ldp_core.papers.base import Claim
from ldp_core.papers.stored import Figure, Shelf
from ldp_core.presets.of_systems.five_side_by_side import (
    BASE,
    OPTIMAL,
    OWN,
    PD,
    PERSONALIZED,
    PLDP,
    PPRD,
    SHARED,
)

NAME = "five"
RUNS = (10.0, 100.0, 1_000.0, 10_000.0)
"""Compared worst-case ε of a client's whole run, at the ledger's δ."""
MORE = 10
"""Factor on the run's ε of a volunteer."""
ASKED: Mapping[str, tuple[float, ...]] = {
    PLDP: (0.0613908, 0.315011, 1.15025, 5.15351, 51.2827),
    PERSONALIZED: (1.02986, 6.43882, 42.1903, 382.880, EPSILON.maximum),
    PPRD: (5.63954, 29.7794, 114.692, 386.887, EPSILON.maximum),
    PD: (0.0456046, 0.247260, 1.05251, 5.36515, 51.2827),
    OPTIMAL: (3.33336, 33.3305, 333.325, EPSILON.maximum, EPSILON.maximum),
}
"""ε of each system for each value of `RUNS`, and for ten times the last one."""
CLIENTS, VOLUNTEERS = 20, 2
ALIKE, TWO, UNLIKE = "All alike", "Two volunteers among twenty", "Unlike data"
POPULATIONS: Mapping[str, str] = {
    ALIKE: "twenty clients with images of all digits, and one budget for all",
    TWO: "the same clients; a run costs two of them ten times as much as the others",
    UNLIKE: "one budget for all; each client's images are mostly of one or two digits (Dirichlet 0.1)",
}
RATES = (0.05, 0.2, 0.8, 3.2, 12.8)
CHOSEN: Mapping[tuple[str, str], tuple[float, ...]] = {
    (PLDP, ALIKE): (3.2, 12.8, 3.2, 3.2),
    (PLDP, TWO): (12.8, 3.2, 3.2, 3.2),
    (PLDP, UNLIKE): (0.05, 3.2, 3.2, 3.2),
    (PERSONALIZED, ALIKE): (12.8, 12.8, 3.2, 3.2),
    (PERSONALIZED, TWO): (12.8, 12.8, 3.2, 3.2),
    (PERSONALIZED, UNLIKE): (12.8, 12.8, 3.2, 3.2),
    (PPRD, ALIKE): (12.8, 12.8, 3.2, 3.2),
    (PPRD, TWO): (3.2, 3.2, 3.2, 3.2),
    (PPRD, UNLIKE): (12.8, 12.8, 3.2, 3.2),
    (PD, ALIKE): (0.05, 0.2, 0.2, 0.2),
    (PD, TWO): (0.2, 0.2, 0.2, 0.2),
    (PD, UNLIKE): (0.2, 0.2, 0.2, 0.2),
    (OPTIMAL, ALIKE): (3.2, 12.8, 12.8, 12.8),
    (OPTIMAL, TWO): (3.2, 12.8, 12.8, 12.8),
    (OPTIMAL, UNLIKE): (0.8, 0.2, 0.2, 0.2),
}
"""Learning rates for each value of `RUNS`: those of `RATES` that end best on public images."""
SEEDS, IMAGES = 5, 4
"""Number of seeds of a point, and of attacked images of each client per round."""
WHOSE = ("clients", "partition")
LEARNS = 30.0
"""Accuracy in percent that the interval's lower end must exceed for a system to count as learning."""


def settings(label: str, population: str, run: float, rate: float) -> dict[str, Any]:
    """Experiment fields of a point, by dotted name."""
    place = RUNS.index(run)
    own, more = ASKED[label][place : place + 2]
    found = {**OWN[label], **SHARED, "clients.count": CLIENTS, "local.learning_rate": rate}
    if population == UNLIKE:
        found |= {"partition.kind": "dirichlet", "partition.alpha": 0.1}
    mixed = [own] * (CLIENTS - VOLUNTEERS) + [more] * VOLUNTEERS
    return found | {"clients.epsilon": mixed if population == TWO else own}


ARMS: Mapping[tuple[str, str, float], Leaking] = {
    (label, population, run): Leaking(
        f"{label}, {population}, ε {spelled(int(run))}",
        BASE,
        settings(label, population, run, rate),
        images=IMAGES,
    )
    for (label, population), rates in CHOSEN.items()
    for run, rate in zip(RUNS, rates, strict=True)
}
CLAIM = Claim(
    id=NAME,
    where="no paper",
    title="Which of the five should I use?",
    setting="Digits, 20 clients, logistic regression, three rounds; all corrected",
    statements=(),
    measured=tuple(ARMS.values()),
    seeds=SEEDS,
)


@dataclass(frozen=True)
class Point:
    label: str
    population: str
    run: float
    accuracy: Interval
    """Final, in percent, over seeds."""
    leaked: float
    """Identification rate, in [0, 1], and its 95 % interval."""
    low: float
    high: float
    trials: int
    figures: tuple[Figure, ...]

    @property
    def arm(self) -> Leaking:
        return ARMS[self.label, self.population, self.run]

    @property
    def draft(self) -> Draft:
        """The measured runs, without their attack."""
        named = {"name": f"{self.arm.label} a run"}
        return Draft(changed(self.arm.experiment(), named), (Variant(self.label),), SEEDS)

    @property
    def learns(self) -> bool:
        return self.accuracy.mean - self.accuracy.half > LEARNS


def points(shelf: Shelf) -> tuple[Point, ...]:
    """Measured points, in the order of `ARMS`; a diverged run counts with its last model."""
    found = []
    for (label, population, run), arm in ARMS.items():
        known = [shelf.figures.get(arm.key(seed)) for seed in range(SEEDS)]
        figures = tuple(one for one in known if one and one.value is not None and "trials" in one.also)
        if not figures:
            continue
        trials = sum(int(one.also["trials"]) for one in figures)
        hits = sum(one.also["identified"] * one.also["trials"] for one in figures)
        accuracy = interval(np.array([100 * (one.value or 0.0) for one in figures]))
        low, high = wilson(hits, trials)
        found.append(Point(label, population, run, accuracy, hits / trials, low, high, trials, figures))
    return tuple(found)


@cache
def sent(label: str) -> float:
    """Mean bytes of one upload of a client, at ε 1 000 for the run."""
    experiment = Leaking("", BASE, settings(label, ALIKE, RUNS[2], CHOSEN[label, ALIKE][2])).experiment()
    calls = experiment.selection.expected_uploads(experiment.clients.count, experiment.rounds)
    return traffic(experiment).packed / (experiment.clients.count * calls / experiment.rounds)


def with_own_clients(draft: Draft, one: Point) -> Draft:
    """The system of a point with its settings, on a draft's data, clients and budgets; InvalidExperiment if
    the system cannot use these.
    """
    made, whose = with_system(draft, str(OWN[one.label]["system.name"])), draft.base.as_json()
    own = {name: value for name, value in one.arm.set.items() if name.split(".")[0] not in WHOSE}
    return replace(made, base=changed(made.base, {**own, **{name: whose[name] for name in WHOSE}}))
