"""Data classes of papers and their claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ldp_core import datasets
from ldp_core.errors import InvalidExperiment, one_of, shown
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.inference import SEEDS, coinciding
from ldp_core.limits import NAME_LENGTH, VARIANTS
from ldp_core.limits import SEEDS as ALLOWED
from ldp_core.papers.arms import Arm
from ldp_core.papers.statements import MOST, OF_TRIALS, QUANTITIES, Statement, operand
from ldp_core.system.shipped import ASSETS

Joined = Annotated[str, AfterValidator(lambda lines: " ".join(lines.split()))]
"""Text whose line breaks are spaces."""


class TomlTable(BaseModel):
    """A table of `paper.toml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Quote(TomlTable):
    where: str
    """Section, page, table, equation or algorithm."""
    text: Joined
    """Literal, except for white space."""


class Control(TomlTable):
    """An arm that tests another explanation of a claim than the paper's."""

    arm: str
    why: str
    """What a control as good as the paper's arm would mean."""
    against: str = ""
    """The paper's arm that the control is compared with; "" if it is only shown."""


class Reading(TomlTable):
    """One way to fill in what the paper leaves open, for all of its claims."""

    name: str
    says: str
    """The chosen values, and the evidence for them in the paper."""
    set: dict[str, Any] = {}
    """Field values that arms take in this reading."""
    arms: tuple[str, ...] = ()
    """Labels of those arms; none for all."""
    against: str = ""
    """Where the paper speaks against it; such a reading gives no verdict."""


class Main(TomlTable):
    """A paper's main claim."""

    claim: str
    says: str
    """In the paper's words, as short as they can be."""
    statements: tuple[str, ...] = Field(min_length=1)
    """Words of the claim's statements that it consists of."""
    shows: tuple[str, ...]
    """Labels of the arms whose figures stand beside it."""


@dataclass(frozen=True, kw_only=True)
class WrittenClaim:
    """What a claim has in the file and as it is read."""

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")

    id: str
    where: str
    """Figure, table or section of the paper."""
    title: str
    setting: str
    """In words."""
    quotes: Annotated[tuple[Quote, ...], Field(min_length=1)]
    """Every printed figure of a statement occurs in one of them."""
    controls: tuple[Control, ...] = ()
    seeds: Annotated[int, Field(ge=SEEDS, le=int(ALLOWED.maximum))] = SEEDS
    note: str = ""
    """What the paper does not say, and how it was filled in."""
    about: str = "accuracy"
    """Name of the quantity in `statements.QUANTITIES`."""


@dataclass(frozen=True, kw_only=True)
class Claim(WrittenClaim):
    """A claim of a paper with the arms that can test it."""

    statements: tuple[Statement, ...]
    measured: tuple[Arm, ...]
    """The paper's own arms and the controls."""
    paper: Mapping[str, float] = field(default_factory=dict)
    """Printed figure by arm, in the quantity's unit, as far as the paper has one."""
    readings: tuple[Reading, ...] = ()
    """Those of the paper that it is measured in; none if they do not change it."""
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
            raise InvalidExperiment.at("--reading", f"{must}; got {shown(name)}")
        its = reading.arms or self._by_label
        measured = tuple(arm.under(reading.set) if arm.label in its else arm for arm in self.measured)
        return replace(
            self, measured=measured, readings=(), tried=max(1, sum(not one.against for one in self.readings))
        )

    @cached_property
    def read_each(self) -> dict[str, Claim]:
        """The claim in each of its readings, by name; under "" if it has one only."""
        return {one.name: self.read(one.name) for one in self.readings} or {"": self}

    @property
    def intervals(self) -> int:
        """Intervals that hold at once with 95 %: readings, each with the looks that may be taken at it."""
        return self.tried * (2 if self.most > self.seeds else 1)

    def least(self, name: str, seeds: int) -> float:
        """Least standard deviation of an operand's figure, as seeds may coincide."""
        _, about = operand(name, self.about)
        if about in OF_TRIALS:
            return QUANTITIES[about].factor * coinciding(seeds)
        sizes = (datasets.get(one).test_size for one in self.data) if about == "accuracy" else ()
        return QUANTITIES["accuracy"].factor / min(sizes, default=inf)

    @cached_property
    def data(self) -> set[str]:
        """Names of the data sets that arms are trained on."""
        return {str(arm.base.get("dataset", "digits")) for arm in self.measured if not arm.named}

    @property
    def level(self) -> str:
        """Level of the claim's intervals."""
        return f"{100 - 5 / self.intervals:.4g} %"

    def arm(self, label: str) -> Arm:
        return self._by_label[label]

    @cached_property
    def _by_label(self) -> dict[str, Arm]:
        return {arm.label: arm for arm in self.measured}

    @property
    def missing(self) -> str:
        """Data that the claim needs and this machine lacks, in words."""
        return ", ".join(dict.fromkeys(arm.missing for arm in self.measured if arm.missing))

    @property
    def draft(self) -> Draft | None:
        """The claim's first runs as a draft with few seeds; None for a claim without training."""
        arms = [arm for arm in self.measured if not arm.named][: int(VARIANTS.maximum)]
        if not arms:
            return None
        name = f"{self.title} ({self.where})"[:NAME_LENGTH]
        base = parse({**arms[0].base, "name": name, "attack": None})
        return Draft(base, tuple(Variant(arm.label, dict(arm.set)) for arm in arms), min(self.seeds, SEEDS))


@dataclass(frozen=True, kw_only=True)
class WrittenPaper:
    """What a paper has in the file and as it is read."""

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")

    order: int = 100
    label: str
    title: str
    authors: tuple[str, ...]
    """Each as “Family, Given”."""
    year: int
    published: str
    """Journal or conference, with volume and pages."""
    identifier: str
    """DOI or address."""
    idea: Joined
    """In two sentences."""
    main: Main
    base: dict[str, Any]
    """Experiment with the system, from which the arms differ."""
    flaws: dict[str, Joined] = field(default_factory=dict)
    """Errors in the paper, by their titles."""
    readings: tuple[Reading, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Paper(WrittenPaper):
    """A published system, its paper, and the paper's claims."""

    name: str
    folder: Path
    origin: str
    """Distribution or folder that a paper from outside is of; "" for those of the house."""
    claims: tuple[Claim, ...]

    @property
    def source(self) -> str:
        """Authors, journal and year in short."""
        families = [one.partition(",")[0] for one in self.authors]
        who = " and ".join(families) if len(families) < 3 else f"{families[0]} et al."
        return f"{who}, {self.published} ({self.year})"

    @property
    def figures(self) -> Path:
        """File of the figures that come with the paper."""
        return self.folder / "figures.json" if self.origin else ASSETS / "papers" / f"{self.name}.json"

    @property
    def bibtex(self) -> str:
        where = "doi" if self.identifier.startswith("10.") else "url"
        own = {"author": " and ".join(self.authors), "title": self.title, "journal": self.published}
        own |= {"year": str(self.year), where: self.identifier}
        each = ",\n".join(f"  {name} = {{{text}}}" for name, text in own.items() if text)
        return f"@article{{{self.name},\n{each}\n}}\n"

    @cached_property
    def main_claim(self) -> Claim:
        """The claim with the statements and rivals of the main claim only."""
        whole = next(claim for claim in self.claims if claim.id == self.main.claim)
        its = tuple(one for one in whole.statements if one.what in self.main.statements)
        arms = {operand(name, "")[0] for one in its for name in one.operands}
        return replace(whole, statements=its, controls=tuple(c for c in whole.controls if c.against in arms))

    def claim(self, identity: str) -> Claim | None:
        return next((claim for claim in self.claims if claim.id == identity), None)
