"""Data classes of papers and their claims."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import Any

from ldp_core import datasets
from ldp_core.errors import InvalidExperiment, Problem, one_of, shown
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.inference import SEEDS, coinciding
from ldp_core.limits import VARIANTS
from ldp_core.papers.arms import Arm, Trained
from ldp_core.papers.statements import MOST, OF_TRIALS, QUANTITIES, Quantity, Statement
from ldp_core.system.shipped import ASSETS


@dataclass(frozen=True)
class Quote:
    where: str
    """Section, table, equation or algorithm."""
    text: str
    """Literal, except for white space."""


@dataclass(frozen=True)
class Control:
    """An arm that tests another explanation of a claim than the paper's."""

    arm: str
    why: str
    """What a control as good as the paper's arm would mean."""
    against: str = ""
    """The paper's arm that the control is compared with; "" if it is only shown."""


@dataclass(frozen=True)
class Reading:
    """One way to fill in a setting that the paper leaves open."""

    name: str
    says: str
    """The chosen values, and the evidence for them in the paper."""
    set: Mapping[str, Any] = field(default_factory=dict)
    """Field values that every arm takes in this reading; empty for the claim's own settings."""


@dataclass(frozen=True)
class Claim:
    """A claim of a paper with the arms that can test it."""

    id: str
    where: str
    """Figure or section of the paper."""
    title: str
    setting: str
    """In words."""
    statements: tuple[Statement, ...]
    measured: tuple[Arm, ...]
    """The paper's own arms and the controls."""
    controls: tuple[Control, ...] = ()
    seeds: int = SEEDS
    note: str = ""
    """What the paper leaves open, and how it was filled in."""
    paper: Mapping[str, float] = field(default_factory=dict)
    """Printed figure by arm, in the quantity's unit, as far as the paper has one."""
    about: str = "accuracy"
    """Name of the quantity in `statements.QUANTITIES`."""
    quotes: tuple[Quote, ...] = ()
    """Every printed figure of a statement occurs in one of them."""
    readings: tuple[Reading, ...] = ()
    """Two or three readings if the paper leaves a decisive setting open."""
    tried: int = 1
    """Number of readings that the claim's is chosen from."""

    @property
    def most(self) -> int:
        """Largest number of seeds that arms of an undecided statement are trained with."""
        return max([self.seeds, *(MOST.get(name, MOST["mnist"]) for name in self.data)])

    def read(self, name: str) -> Claim:
        """The claim with its arms in one reading; InvalidExperiment if it has no such."""
        reading = next((one for one in self.readings if one.name == name), None)
        if reading is None:
            known = one_of([one.name for one in self.readings])
            must = f"must be {known}" if self.readings else f"is not needed: {self.id} has one reading"
            raise InvalidExperiment([Problem("--reading", f"{must}; got {shown(name)}")])
        measured = tuple(arm.under(reading.set) for arm in self.measured) if reading.set else self.measured
        return replace(self, measured=measured, readings=(), tried=len(self.readings))

    @cached_property
    def read_each(self) -> dict[str, Claim]:
        """The claim in each of its readings, by name; under "" if it has one only."""
        return {one.name: self.read(one.name) for one in self.readings} or {"": self}

    @property
    def intervals(self) -> int:
        """Intervals that hold at once with 95 %: readings, each with the looks that may be taken at it."""
        return self.tried * (2 if self.most > self.seeds else 1)

    def least(self, label: str, seeds: int) -> float:
        """Least standard deviation of an arm's figure, as seeds may coincide: of trials, or of one sample."""
        about = getattr(self.arm(label), "about", "") or self.about
        if about in OF_TRIALS:
            return QUANTITIES[about].factor * coinciding(seeds)
        sizes = (datasets.get(one).test_size for one in self.data) if about == "accuracy" else ()
        return QUANTITIES["accuracy"].factor / min(sizes, default=inf)

    @property
    def data(self) -> set[str]:
        """Names of the data sets that arms are trained on."""
        return {str(arm.base.get("dataset", "digits")) for arm in self.measured if isinstance(arm, Trained)}

    @property
    def level(self) -> str:
        """Level of the claim's intervals."""
        return f"{100 - 5 / self.intervals:.4g} %"

    @property
    def quantity(self) -> Quantity:
        return QUANTITIES[self.about]

    def unit(self, arm: Arm) -> str:
        """Unit of an arm's figure, which is of another quantity than the claim's for some arms."""
        return QUANTITIES.get(getattr(arm, "about", ""), self.quantity).unit

    def arm(self, label: str) -> Arm:
        return next(arm for arm in self.measured if arm.label == label)

    @property
    def runs(self) -> tuple[Arm, ...]:
        """Arms of the claim, without those that report on another arm's run."""
        return tuple(arm for arm in self.measured if not (isinstance(arm, Trained) and arm.about))

    @property
    def missing(self) -> str:
        """Data that the claim needs and this machine lacks, in words."""
        return ", ".join(dict.fromkeys(arm.missing for arm in self.measured if arm.missing))

    @property
    def draft(self) -> Draft | None:
        """The claim's runs with one base as a draft with few seeds; None for a claim without training."""
        trained = [arm for arm in self.runs if isinstance(arm, Trained)]
        arms = [arm for arm in trained if arm.base == trained[0].base][: int(VARIANTS.maximum)]
        if not arms:
            return None
        base = parse({**arms[0].base, "name": f"{self.title} ({self.where})", "attack": None})
        return Draft(base, tuple(Variant(arm.label, dict(arm.set)) for arm in arms), min(self.seeds, SEEDS))


@dataclass(frozen=True)
class Flaw:
    title: str
    text: str


@dataclass(frozen=True)
class Table:
    """A table of a paper: its arms in the paper's layout."""

    id: str
    where: str
    title: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[tuple[str, str], ...]]
    """Claim id and arm label of each column, by the row's heading."""


@dataclass(frozen=True)
class Paper:
    """A published system, its paper, and the paper's claims."""

    order: int
    label: str
    source: str
    """Authors, journal and year in short."""
    idea: str
    """In two sentences."""
    flaws: tuple[Flaw, ...]
    example: Mapping[str, Any]
    """A small experiment with the system."""
    claims: tuple[Claim, ...]
    tables: tuple[Table, ...] = ()

    def claim(self, identity: str) -> Claim | None:
        return next((claim for claim in self.claims if claim.id == identity), None)


def arms(base: Mapping[str, Any], named: Mapping[str, Mapping[str, Any]]) -> tuple[Arm, ...]:
    """Arms that differ from one base experiment in the fields they set."""
    return tuple(Trained(label, base, changes) for label, changes in named.items())


def paper(system: str, claims: tuple[Claim, ...], **given: Any) -> Paper:
    """A paper with its idea, its errors and its claims' quotations from `assets/papers/SYSTEM.toml`."""
    read = tomllib.loads((ASSETS / "papers" / f"{system}.toml").read_text(encoding="utf-8"))
    quotes: dict[str, list[Quote]] = {}
    for one in read["quotes"]:
        for identity in one["claims"].split():
            quotes.setdefault(identity, []).append(Quote(one["where"], _joined(one["text"])))
    made = tuple(replace(one, quotes=tuple(quotes.get(one.id, ()))) for one in claims)
    flaws = tuple(Flaw(one["title"], _joined(one["text"])) for one in read["flaws"])
    return Paper(idea=_joined(read["idea"]), flaws=flaws, claims=made, **given)


def _joined(lines: str) -> str:
    return " ".join(lines.split())


def grid(
    named: tuple[str, str, str],
    rows: Mapping[str, tuple[str, Any]],
    columns: Mapping[str, Any],
    label: Callable[[Any, Any], str],
) -> Table:
    """Table of this id, place and title: each row's claim and value, each column's value, and the label of
    the arm of two values.
    """
    cells = {
        head: tuple((claim, label(row, column)) for column in columns.values())
        for head, (claim, row) in rows.items()
    }
    return Table(*named, tuple(columns), cells)
