"""What the field really has: all five systems, corrected, at equal budgets of a run; accuracy and leakage.

The setting is that of the scenario “Five side by side”. Each system is given the ε at which a run costs a
client so much at worst (`accounting.afford`). Leakage is the share of images that a server picks out, by the
exact likelihood, among ten that an upload of one image in one step may have been made of.

A control: PD-LDPFL with PLDP-FL's mechanism in place of Piecewise, which answers within a window that moves
with the weight. A short step is hardly seen in the answers of two values; at the edges of a window it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ldp_core.attacks.findings.metrics import wilson
from ldp_core.experiment import Experiment
from ldp_core.limits import CANDIDATES, spelled
from ldp_core.papers.arms import Leaking
from ldp_core.papers.base import Claim
from ldp_core.papers.statements import Interval, interval
from ldp_core.papers.stored import Figure, Shelf
from ldp_core.presets.of_systems.five_side_by_side import (
    BASE,
    OPTIMAL,
    PD,
    PERSONALIZED,
    PLDP,
    PPRD,
    variants,
)

NAME = "five"
CONTROL = f"{PD} with PDPM"
RUNS = (10.0, 100.0, 1_000.0, 10_000.0, 100_000.0)
"""What a run costs a client at worst, in ε at the ledger's δ."""
ASKED: Mapping[str, tuple[float, ...]] = {
    PLDP: (0.0613908, 0.315011, 1.15025, 5.15351, 51.2827),
    PERSONALIZED: (1.02986, 6.43882, 42.1903, 382.880),
    PPRD: (5.63954, 29.7794, 114.692, 386.887),
    PD: (0.0456046, 0.247260, 1.05251, 5.36515, 51.2827),
    OPTIMAL: (3.33336, 33.3305, 333.325),
    CONTROL: (0.0613908, 0.315011, 1.15025, 5.15351, 51.2827),
}
"""Which ε a system asks for at each of `RUNS`. Where there are fewer, no ε costs so much that may be
asked for here (700 at most)."""
SEEDS, IMAGES = 5, 4
CHANCE = 1 / int(CANDIDATES.default)


def experiment(label: str, run: float) -> Experiment:
    """A system's run at a price, seed 0."""
    return ARMS[label, run].experiment()


def _arm(label: str, run: float, epsilon: float) -> Leaking:
    ((_, changes),) = variants({PD if label == CONTROL else label: epsilon})
    if label == CONTROL:
        changes = {**changes, "mechanism.name": "pdpm"}
    return Leaking(f"{label}, ε {spelled(int(run))}", BASE, changes, images=IMAGES)


ARMS: Mapping[tuple[str, float], Leaking] = {
    (label, run): _arm(label, run, epsilon)
    for label, asked in ASKED.items()
    for run, epsilon in zip(RUNS, asked, strict=False)
}
CLAIM = Claim(
    id=NAME,
    where="no paper",
    title="Five side by side",
    setting="Digits, 50 alike clients, logistic regression, three rounds; all corrected",
    statements=(),
    measured=tuple(ARMS.values()),
    seeds=SEEDS,
)


@dataclass(frozen=True)
class Point:
    label: str
    run: float
    """What a run costs a client at worst, in ε."""
    accuracy: Interval
    """Per cent, over seeds."""
    leaked: float
    """The share of images picked out, in [0, 1]."""
    low: float
    """Of its 95 % interval …"""
    high: float
    trials: int
    figures: tuple[Figure, ...]

    @property
    def hidden(self) -> bool:
        """True where picking cannot be told from guessing."""
        return self.low <= CHANCE

    @property
    def words(self) -> str:
        """Which it is."""
        return f"{self.label} at ε {spelled(int(self.run))}"


def points(shelf: Shelf) -> tuple[Point, ...]:
    """Those that were measured, system by system, by rising price."""
    found = []
    for (label, run), arm in ARMS.items():
        known = [shelf.figures.get(arm.key(seed)) for seed in range(SEEDS)]
        figures = tuple(one for one in known if one and one.value is not None and "trials" in one.also)
        if not figures:
            continue
        trials = sum(int(one.also["trials"]) for one in figures)
        hits = sum(one.also["identified"] * one.also["trials"] for one in figures)
        accuracy = interval(np.array([100 * (one.value or 0.0) for one in figures]))
        found.append(Point(label, run, accuracy, hits / trials, *wilson(hits, trials), trials, figures))
    return tuple(found)
