"""Stored figures of claims, one JSON file a paper: those that come with it, and those measured here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from ldp_core.mechanisms.base import Floats
from ldp_core.papers.base import Claim
from ldp_core.papers.statements import DIVERGED, QUANTITIES, ROUND, operand
from ldp_core.system.json_file import read_json, write_json

OWN_VALUE = ("accuracy", "error")
MOST_NAMED = 3
"""Largest number of versions that are named; of more, only the number is given."""


@dataclass(frozen=True)
class StoredFigure:
    key: str
    """Key of the arm and seed (`Arm.key`)."""
    seed: int
    value: float | None
    """Accuracy in [0, 1], or another share; None if the run diverged or failed."""
    status: str
    seconds: float
    version: str
    date: str
    """YYYY-MM-DD."""
    setting: Mapping[str, Any]
    device: str = "cpu"
    curve: Sequence[float] = ()
    """Accuracy by round."""
    noise: float | None = None
    """Standard deviation of the aggregate's noise per weight, over all rounds."""
    size: float | None = None
    """Root mean square of the noise-free aggregate's weights in the last round."""
    chance: float | None = None
    """Share of the largest class."""
    also: Mapping[str, float] = field(default_factory=dict)
    """Further quantities of the run by name (`statements.QUANTITIES`), and other shares."""
    weights: str = ""
    """Digest of the last model's weights."""
    made_with: str = ""
    """Versions of Python and of the packages that compute."""

    @property
    def diverged(self) -> bool:
        return self.value is None and self.status.startswith("diverged")

    @property
    def judged(self) -> float | None:
        """Value for verdicts; for a diverged run the accuracy of its last model."""
        return self.curve[-1] if self.diverged and self.curve else self.value


def read(path: Path) -> list[StoredFigure]:
    """Figures of a file, up to the first that is unreadable."""
    known, found = {one.name for one in fields(StoredFigure)}, list[StoredFigure]()
    with suppress(OSError, ValueError, TypeError, LookupError):
        for row in read_json(path)["figures"]:
            found.append(
                StoredFigure(**{"value": None} | {k: value for k, value in row.items() if k in known})
            )
    return found


def write(path: Path, figures: Iterable[StoredFigure]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            name: value
            for name, value in asdict(one).items()
            if name == "value" or value not in (None, (), {}, "")
        }
        for one in figures
    ]
    write_json(path, {"figures": rows})


@dataclass(frozen=True)
class Shelf:
    """All known figures of a system; of equal key the latest counts."""

    figures: Mapping[str, StoredFigure] = field(default_factory=dict)

    @staticmethod
    def of(*files: Path) -> Shelf:
        """Figures of several files; of equal key and date later files win."""
        found: dict[str, StoredFigure] = {}
        for one in (figure for file in files for figure in read(file)):
            if one.key not in found or found[one.key].date <= one.date:
                found[one.key] = one
        return Shelf(found)

    def of_arm(self, claim: Claim, label: str) -> dict[int, StoredFigure]:
        """Figures of an arm by seed."""
        keys = claim.arm(label).keys
        return {seed: self.figures[key] for seed, key in enumerate(keys) if key in self.figures}

    def values(self, claim: Claim, names: Sequence[str]) -> dict[str, Floats]:
        """Figures of operands in their quantity's unit, for seeds that all have."""
        known = {name: self._came_to(claim, name) for name in names}
        seeds = sorted(set.intersection(*(set(one) for one in known.values()))) if known else []
        return {name: np.array([one[seed] for seed in seeds]) for name, one in known.items()}

    def measured(self, claim: Claim, name: str) -> int:
        """Number of an operand's runs that have its quantity, or that diverged before they had it."""
        label, _ = operand(name, "")
        lost = {seed for seed, one in self.of_arm(claim, label).items() if one.diverged}
        return len(lost | self._came_to(claim, name).keys())

    def _came_to(self, claim: Claim, name: str) -> dict[int, float]:
        """Figures of an operand by seed; without runs that failed or whose quantity was not measured."""
        label, what = operand(name, claim.about)
        factor = QUANTITIES[what].factor if what in QUANTITIES else 100.0
        each = {seed: _came_to(one, what) for seed, one in self.of_arm(claim, label).items()}
        return {seed: factor * one for seed, one in each.items() if one is not None}


def measured_by(figures: Iterable[StoredFigure]) -> str:
    """Which versions of the program measured figures, in words; "" without any."""
    found = sorted({one.version for one in figures})
    named = f"{len(found)} versions" if len(found) > MOST_NAMED else f"version {' and '.join(found)}"
    return named if found else ""


def _came_to(figure: StoredFigure, what: str) -> float | None:
    """Value of a quantity in a figure; None if the run failed or the quantity was not measured."""
    if what in OWN_VALUE:
        return figure.judged
    if what == DIVERGED:
        return float(figure.diverged)
    if what.startswith(ROUND):  # of a run that diverged before, its last model's
        return (
            figure.curve[min(int(what.removeprefix(ROUND)), len(figure.curve) - 1)] if figure.curve else None
        )
    return None if figure.value is None else figure.also.get(what)
