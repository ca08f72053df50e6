"""Which of the five systems to use: all corrected, for three populations and four values of the run's ε.

All else is equal (`presets.of_systems.five_side_by_side`). Each system gets the ε at which a client's worst-
case ε of the run has the given value (`accounting.epsilon_for`), or the largest ε allowed, and the learning
rate with the best final accuracy on public images. Leakage is the share of images identified, by the exact
likelihood, among ten candidates of a one-image, one-step upload.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp_core import datasets
from ldp_core.experiment import Draft, Experiment, Variant, changed, plan
from ldp_core.inference import Interval, difference, interval, wilson
from ldp_core.limits import EPSILON, spelled
from ldp_core.papers.arms import Arm, Load
from ldp_core.papers.base import Claim
from ldp_core.papers.measuring import FigureListener
from ldp_core.papers.stored import Shelf, StoredFigure
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
LEARNS = 30.0
"""Accuracy in percent that the interval's lower end must exceed for a system to count as learning."""

HELD_OUT = datasets.get(str(BASE["dataset"])).test_size
NONE = f"None of the five surely learns it: no 95 % interval lies wholly above {LEARNS:.0f} %."


def settings(label: str, population: str, run: float, rate: float) -> dict[str, Any]:
    """Experiment fields of a point, by dotted name."""
    place = RUNS.index(run)
    own, more = ASKED[label][place : place + 2]
    found = {**OWN[label], **SHARED, "clients.count": CLIENTS, "local.learning_rate": rate}
    if population == UNLIKE:
        found |= {"partition.kind": "dirichlet", "partition.alpha": 0.1}
    mixed = [own] * (CLIENTS - VOLUNTEERS) + [more] * VOLUNTEERS
    return found | {"clients.epsilon": mixed if population == TWO else own}


def leaking(experiment: Experiment, load: Load) -> Mapping[str, Any]:
    """A run's figure, with the rate at which images are identified from its uploads in every round."""
    from ldp_core.leakage.over_rounds import picked  # torch
    from ldp_core.simulate import simulate

    run, states, data, result = FigureListener(), list[Any](), load(experiment.dataset), dict[str, Any]()
    for said in simulate(experiment, data, keep=states.append):
        result = run.hear(said) or result
    if result.get("value") is None:
        return result
    shares = picked(plan(experiment), data, states[:-1], IMAGES)
    rates = {f"identified_{name}" if name else "identified": one.value for name, one in shares.items()}
    return {**result, "also": {**result["also"], **rates, "trials": float(shares[None].trials)}}


ARMS: Mapping[tuple[str, str, float], Arm] = {
    (label, population, run): Arm(
        f"{label}, {population}, ε {spelled(int(run))}",
        BASE,
        settings(label, population, run, rate),
        leaking.__name__,
        leaking,
    )
    for (label, population), rates in CHOSEN.items()
    for run, rate in zip(RUNS, rates, strict=True)
}
CLAIM = Claim(
    id=NAME,
    where="no paper",
    title="Which of the five should I use?",
    setting="Digits, 20 clients, logistic regression, three rounds; all corrected",
    quotes=(),
    statements=(),
    measured=tuple(ARMS.values()),
    seeds=SEEDS,
)


@dataclass(frozen=True)
class PaperPoint:
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
    figures: tuple[StoredFigure, ...]

    @property
    def arm(self) -> Arm:
        return ARMS[self.label, self.population, self.run]

    @property
    def draft(self) -> Draft:
        """The measured runs, without their attack."""
        named = {"name": f"{self.arm.label} a run"}
        return Draft(changed(self.arm.experiment(), named), (Variant(self.label),), SEEDS)

    @property
    def learns(self) -> bool:
        return self.accuracy.mean - self.accuracy.half > LEARNS


def points(shelf: Shelf) -> tuple[PaperPoint, ...]:
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
        found.append(PaperPoint(label, population, run, accuracy, hits / trials, low, high, trials, figures))
    return tuple(found)


@dataclass(frozen=True)
class Advice:
    population: str
    runs: tuple[float, ...]
    """Values of the run's ε."""
    take: PaperPoint | None
    """The recommended system's point; None if no system learns."""
    says: str


def advice(found: Sequence[PaperPoint]) -> Iterator[Advice]:
    """Advice for each population; values of ε at which no system learns are joined and come first."""
    for population in POPULATIONS:
        rows = {run: [one for one in found if (one.population, one.run) == (population, run)] for run in RUNS}
        able = {run: [one for one in row if one.learns] for run, row in rows.items() if row}
        if none := tuple(run for run, learnt in able.items() if not learnt):
            yield Advice(population, none, None, NONE)
        for run, learnt in able.items():
            if learnt:
                take, says = _taken(learnt)
                yield Advice(population, (run,), take, says)


def in_short(found: Sequence[PaperPoint]) -> str:
    """Sentence with the ε at which no system learns, and the least identification where one does."""
    able = [one for one in found if one.learns]
    if not able:
        return NONE
    below = sorted({one.run for one in found} - {one.run for one in able})
    none = f"At ε {' and '.join(spelled(int(run)) for run in below)} a run none of the five surely learns; w"
    return (
        f"{none if below else 'W'}here one does, the server picks out at least "
        f"{100 * min(one.leaked for one in able):.0f} % of the images."
    )


def _taken(able: Sequence[PaperPoint]) -> tuple[PaperPoint, str]:
    """The most accurate point, or one within its error that clearly leaks less; with the advice in words."""
    best = max(able, key=lambda one: one.accuracy.mean)
    close = [one for one in able if not _ahead(best, one, max(1, len(able) * (len(able) - 1) // 2))]
    take = min((one for one in close if one is best or one.high < best.low), key=lambda one: one.leaked)
    says = [f"Take {_named(take)}."]
    if others := [_named(one) for one in close if one is not take]:
        says.append(f"{' and '.join(others)} {'is' if len(others) == 1 else 'are'} within its error.")
    return take, " ".join(says)


def _named(one: PaperPoint) -> str:
    return f"{one.label} ({one.accuracy.mean:.0f} % right, {100 * one.leaked:.0f} % picked out)"


def _ahead(one: PaperPoint, other: PaperPoint, among: int) -> bool:
    """Whether a point is surely more accurate than another, of `among` pairs from which these are."""
    mine, theirs = ({f.seed: f.value or 0.0 for f in point.figures} for point in (one, other))
    seeds = sorted(mine.keys() & theirs.keys())
    gap = difference(
        [mine[seed] for seed in seeds], [theirs[seed] for seed in seeds], among=among, held_out=HELD_OUT
    )
    return gap.outcome == "holds"
